// Placing a hold: money set aside before the provider is called, visible to every other request at once.

import { isStatementError } from "@/lib/db/failure";
import type { Commit } from "./commit/commit";
import type { Hold, HoldDecision } from "./holds";
import { releaseUnknown } from "./waiting-settlements";

/**
 * Decides one hold, together with others that arrive at the same time. With a claim it is on the disk when this resolves; without one
 * PostgreSQL writes it a moment later, and a crash of the database may forget it.
 * @throws what pg throws; a hold that may have been placed nevertheless is released once the database answers again
 */
export async function placeHold(commit: Commit, hold: Hold): Promise<HoldDecision> {
  try {
    return await commit.place(hold);
  } catch (error) {
    if (!isStatementError(error)) releaseUnknown(commit, hold);
    throw error;
  }
}
