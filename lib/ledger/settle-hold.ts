// Settling a hold: it ends with what its answer cost, on the disk before anybody is told. Settling is idempotent, so whatever came
// between, a broken connection or a database that could not just now, it is tried again while the caller waits, and after that while
// the process lives.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "@/lib/base/observe/log";
import { sqlStateOf } from "@/lib/db/failure";
import type { Commit } from "./commit/commit";
import type { Settled, Settlement } from "./holds";

const RETRY_DELAYS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200, 3_200];

/**
 * Ends one hold together with those that end beside it.
 * @throws Error when the database stayed away for over 15 s, or refuses this settlement for good
 */
export async function settleHold(commit: Commit, settlement: Settlement): Promise<Settled> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await commit.settle(settlement);
    } catch (error) {
      if (isRefusal(error)) throw error;
      log().warn({ err: error, requestId: settlement.hold.requestId }, "settling a hold failed, trying again");
    }
    await sleep(delayMs);
  }
  return commit.settle(settlement);
}

/**
 * True when the database refused the item itself (a value, a constraint, an exception of ours) and would again. A lock that
 * was not got, a server without memory or connections, a deadlock: those pass.
 */
export const isRefusal = (error: unknown): boolean => /^(22|23|42|P0)/.test(sqlStateOf(error) ?? "");
