// Short waits, sat out awake. A process that sleeps until its answer is there is woken late, and finds the processor's caches cold:
// where the answer takes half a millisecond, that is a third more. Only a request that is alone is waited for like that. With more
// of them something else keeps the process awake, or the time is theirs.

import { cpus } from "node:os";
import { setImmediate } from "node:timers";
import { processSingleton } from "./process-singleton";

/** The longest that a wait stays awake, in milliseconds; what takes longer is slept through the next time. */
const LONGEST_MS = 2;

/** So many waits are slept through after one that stayed awake in vain: whoever we wait for may need this processor. */
const SLEEPS_AFTER_VAIN = 16;

/** With a single processor, whoever we wait for could not work meanwhile. */
const hasProcessorToSpare = cpus().length > 1;

const requests = processSingleton("requests under way", () => ({ count: 0 }));

/** Tells that a request begins. */
export function countRequest(): void {
  requests().count += 1;
}

/** Tells that a request has ended. */
export function uncountRequest(): void {
  requests().count -= 1;
}

export const requestsUnderWay = (): number => requests().count;

const mayStayAwake = (): boolean => hasProcessorToSpare && requestsUnderWay() <= 1;

/** Waits for answers of one and the same: it learns from each whether the next is worth staying awake for. */
export class BusyPoll {
  /** How many short ones are slept through before one is sat out awake. */
  #sleeps = 1;

  /** Begins a wait; whoever has the answer, or knows that none will come, calls what it returns. Twice is once. */
  begin(): () => void {
    const beganAt = performance.now();
    const isAwake = this.#sleeps === 0 && mayStayAwake();
    let isOver = false;
    const stayAwake = (): void => {
      if (!isOver && mayStayAwake() && performance.now() - beganAt < LONGEST_MS) setImmediate(stayAwake);
    };
    if (isAwake) stayAwake();
    return () => {
      if (isOver) return;
      isOver = true;
      if (performance.now() - beganAt >= LONGEST_MS) this.#sleeps = isAwake ? SLEEPS_AFTER_VAIN : Math.max(1, this.#sleeps);
      else if (!isAwake) this.#sleeps = Math.max(0, this.#sleeps - 1);
    };
  }
}
