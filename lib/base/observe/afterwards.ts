// Bookkeeping that nobody waits for: metrics and lines of the log. It is done in the same turn, once everything is under way that
// somebody does wait for.

import { log } from "./log";

/** Runs `work` when all that can go on now has gone on: what it would read must not change by then. What it throws is logged. */
export const afterwards = (work: () => void): void => process.nextTick(runSafely, work);

function runSafely(work: () => void): void {
  try {
    work();
  } catch (error) {
    log().error({ err: error }, "noting what happened failed");
  }
}
