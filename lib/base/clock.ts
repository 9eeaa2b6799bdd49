// The time of day, in one place, so that it can follow the database's clock, and a test can set it. Deciding functions in SQL take the
// database's own time: see db_time.

import { processSingleton } from "./process-singleton";

interface Clock {
  /** Reads the system's clock, or the clock that replaces it: see followClock. */
  nowMs: () => number;
  /** A test's clock. */
  ofTest?: (() => number) | undefined;
}

/** The system's own Date: Next is loaded later and replaces the global one with a slower one. */
const SystemDate = Date;

const clock = processSingleton<Clock>("clock", () => ({ nowMs: SystemDate.now }));

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Unix time in milliseconds. */
export function nowMs(): number {
  const { ofTest, nowMs: read } = clock();
  return ofTest ? ofTest() : read();
}

/** The current time as a Date. */
export const now = (): Date => dateOf(nowMs());

/** A Date of Unix milliseconds. */
export const dateOf = (ms: number): Date => new SystemDate(ms);

/** Replaces the clock of this process; returns a function that restores it. Only tests call this. */
export function setClock(readMs: () => number): () => void {
  const before = clock().ofTest;
  clock().ofTest = readMs;
  return () => {
    clock().ofTest = before;
  };
}

/** Goes by another clock than the system's, read in Unix milliseconds; returns a function that ends this. */
export function followClock(readMs: () => number): () => void {
  clock().nowMs = readMs;
  return () => {
    clock().nowMs = SystemDate.now;
  };
}

/** The system's clock minus the followed clock, in milliseconds. Positive: the system's clock is fast. */
export const systemClockOffsetMs = (): number => SystemDate.now() - clock().nowMs();
