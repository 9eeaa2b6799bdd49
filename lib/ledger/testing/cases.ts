// Number of cases of a property test: a fixed sample in a normal run, so that it fails for everybody or for nobody, and new ones with
// LONG=1: up to 100,000, for at most ten minutes a property, so that a long part of many properties ends.

const isLong = process.env.LONG === "1";

interface Cases {
  numRuns: number;
  seed?: number;
  interruptAfterTimeLimit?: number;
  markInterruptAsFailure?: boolean;
}

/** Parameters of a property test. A failure prints its seed; put it here to reproduce it. */
export const cases = (sample: number): Cases =>
  isLong ? { numRuns: 100_000, interruptAfterTimeLimit: 600_000, markInterruptAsFailure: false } : { numRuns: sample, seed: 20_260_101 };

/** The time limit of a test that runs `cases`. */
export const caseTimeoutMs = isLong ? 900_000 : 240_000;
