// Long work in slices of time. Work over outside input that may take long is a generator, which yields wherever it may be interrupted. In
// each turn of the event loop one slice of one such work runs, in the order of arrival: long works wait for each other, and nothing else does.

import { processSingleton } from "./process-singleton";

/** Work that yields about every tenth of a millisecond, and returns its result. */
export type Slices<Result> = Generator<void, Result, void>;

/** Work that is done by then costs no turn of the event loop, and no promise. */
const FIRST_SLICE_MS = 1;
const SLICE_MS = 5;

/** Runs the work: at once when it is short, otherwise in slices, with the event loop's other work between them. */
export function runInSlices<Result>(work: Slices<Result>): Result | Promise<Result> {
  const step = runSlice(work, FIRST_SLICE_MS);
  return step.done ? step.value : waitingWork().add(work);
}

/** Runs the work whole: for work that is known to be short. */
export function runAtOnce<Result>(work: Slices<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

function runSlice<Result>(work: Slices<Result>, ms: number): IteratorResult<void, Result> {
  const endsAt = performance.now() + ms;
  let step = work.next();
  while (!step.done && performance.now() < endsAt) step = work.next();
  return step;
}

/** The works that are not done; each gets a slice in turn. */
class WaitingWork {
  /** Each runs one slice, and is true once its work has ended. */
  readonly #slices: (() => boolean)[] = [];

  add<Result>(work: Slices<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#slices.push(() => {
        try {
          const step = runSlice(work, SLICE_MS);
          if (step.done) resolve(step.value);
          return step.done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      });
      if (this.#slices.length === 1) setImmediate(this.#runNext);
    });
  }

  readonly #runNext = (): void => {
    const slice = this.#slices.shift();
    if (slice && !slice()) this.#slices.push(slice);
    if (this.#slices.length > 0) setImmediate(this.#runNext);
  };
}

const waitingWork = processSingleton("work in slices", () => new WaitingWork());
