// Whether payouts may be signed: not while reserves have a deficit.

import { prisma } from "@/lib/db/prisma";

/** False from a deficit report until a later report is covered. Already signed payouts are not stopped. */
export async function isPayoutAllowed(): Promise<boolean> {
  const where = { state: { not: "unknown" } }; // an unknown report neither stops nor resumes payouts
  const newest = await prisma().reserveReport.findFirst({ where, orderBy: { id: "desc" }, select: { state: true } });
  return newest?.state !== "deficit";
}
