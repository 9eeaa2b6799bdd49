// The time of day, in one place, so that a test can set it. SQL functions take the time from here as a parameter.

import { processSingleton } from "./process-singleton";

interface Clock {
  nowMs: () => number;
}

/** The system's own Date: Next is loaded later and replaces the global one with a slower one. */
const SystemDate = Date;

const clock = processSingleton<Clock>("clock", () => ({ nowMs: SystemDate.now }));

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Unix time in milliseconds. */
export const nowMs = (): number => clock().nowMs();

/** The current time as a Date. */
export const now = (): Date => dateOf(clock().nowMs());

/** A Date of Unix milliseconds. */
export const dateOf = (ms: number): Date => new SystemDate(ms);

/** Replaces the clock of this process; returns a function that restores it. Only tests call this. */
export function setClock(readMs: () => number): () => void {
  const before = clock().nowMs;
  clock().nowMs = readMs;
  return () => {
    clock().nowMs = before;
  };
}
