// Releasing a hold: it ends without a charge, and its money and its idempotency key are free again.

import { log } from "@/lib/base/observe/log";
import { type Commit, settleHold } from "./commit/commit";
import { type Hold, releaseOf } from "./holds";
import { settleLater } from "./waiting-settlements";

/** Frees a hold, on the disk before it resolves; if that fails now, the hold is freed once the database answers again. */
export async function releaseHold(commit: Commit, hold: Hold): Promise<void> {
  const release = releaseOf(hold);
  try {
    await settleHold(commit, release);
  } catch (error) {
    // This error must not hide the caller's own.
    log().error({ err: error, requestId: hold.requestId }, "could not release a hold; retrying later");
    settleLater(commit, release);
  }
}
