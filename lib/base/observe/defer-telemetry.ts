// Bookkeeping that nobody waits for: metrics and lines of the log. It is done in the same turn, once everything is under way that
// somebody does wait for.

import { onceKept } from "../process-singleton";
import { log } from "./log";

/** What waits for the next tick: one for all, since each costs as much as what is done in it. */
const waiting = onceKept<(() => void)[]>("done afterwards", () => []);

/** Runs `work` when all that can go on now has gone on: what it would read must not change by then. What it throws is logged. */
export function deferTelemetry(work: () => void): void {
  if (waiting().push(work) === 1) process.nextTick(runAll);
}

function runAll(): void {
  for (const work of waiting().splice(0)) runSafely(work);
}

function runSafely(work: () => void): void {
  try {
    work();
  } catch (error) {
    log().error({ err: error }, "noting what happened failed");
  }
}
