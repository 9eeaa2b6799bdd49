// Whether a new account could be given addresses, as a process without a signer can tell too.

import { prisma } from "@/lib/db/prisma";

/** False when the pool is empty: nobody who is new can sign in until the signer has made more. */
export async function hasFreeAddress(): Promise<boolean> {
  return (await prisma().addressPool.findFirst({ select: { derivationIndex: true } })) !== null;
}
