// Number of cases of a property test: a fixed sample in a normal run, so that it fails for everybody or for nobody, and 100,000 new ones
// with LONG=1.

const isLong = process.env.LONG === "1";

/** Parameters of a property test. A failure prints its seed; put it here to reproduce it. */
export const cases = (sample: number): { numRuns: number; seed?: number } =>
  isLong ? { numRuns: 100_000 } : { numRuns: sample, seed: 20_260_101 };

/** The time limit of a test that runs `cases`: a long run ends when its cases do. */
export const caseTimeoutMs = isLong ? 12 * 3_600_000 : 240_000;
