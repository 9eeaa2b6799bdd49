// Whether payouts may be signed at all: not while less lies on the chains than is owed.

import { prisma } from "@/lib/db/prisma";

/** False from the report of a deficit on, until another one says that there is enough. Nothing that is signed already is stopped. */
export async function isPayoutAllowed(): Promise<boolean> {
  const where = { state: { not: "unknown" } }; // what cannot be told stops nothing and frees nothing
  const newest = await prisma().reserveReport.findFirst({ where, orderBy: { id: "desc" }, select: { state: true } });
  return newest?.state !== "deficit";
}
