// Whether the pool has addresses for a new account; works in a process without a signer too.

import { prisma } from "@/lib/db/prisma";

/** False when the pool is empty: new customers cannot sign in until the signer has created more. */
export async function hasFreeAddress(): Promise<boolean> {
  return (await prisma().addressPool.findFirst({ select: { derivationIndex: true } })) !== null;
}
