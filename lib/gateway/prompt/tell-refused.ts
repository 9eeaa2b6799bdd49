// Tells an account's owner that a request was refused for want of money, or for its key's cap: once the refusal is final. A prompt that may
// be clipped is refused and tried again; if it is answered in the end, its owner is told nothing.

import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { prisma } from "@/lib/db/prisma";
import type { Hold, HoldRefusal } from "@/lib/ledger/holds";

/** Costs nothing where the owner has heard of it before. Never throws: the refusal stands, told or not. */
export async function tellRefused(
  decision: HoldRefusal,
  { accountId, keyId, ceiling, requestId }: Pick<Hold, "accountId" | "keyId" | "ceiling" | "requestId">,
): Promise<void> {
  if ((decision.outcome !== "insufficient" && decision.outcome !== "cap_reached") || decision.isTold) return;
  try {
    await prisma().$executeRaw`SELECT gateway_tell_refused(${accountId}, ${keyId}, ${ceiling}::bigint, ${now()}::timestamptz)`;
  } catch (error) {
    log().error({ err: error, requestId }, "an account's owner could not be told that a request was refused");
  }
}
