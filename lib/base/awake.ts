// Short waits, sat out awake. A process that sleeps until its answer is there is woken late, and finds the processor's caches cold:
// where the answer takes half a millisecond, that is a third more. Only a request that is alone is waited for like that. With more
// of them something else keeps the process awake, or the time is theirs.

import { cpus } from "node:os";
import { setImmediate } from "node:timers";
import { once } from "./once";

/** The longest that a wait stays awake, in milliseconds; what usually takes longer is slept through. */
const LONGEST_MS = 2;

/** With a single processor, whoever we wait for could not work meanwhile. */
const hasProcessorToSpare = cpus().length > 1;

const requests = () => once("requests under way", () => ({ count: 0 }));

/** Tells that a request begins. */
export function countRequest(): void {
  requests().count += 1;
}

/** Tells that a request has ended. */
export function uncountRequest(): void {
  requests().count -= 1;
}

const mayStayAwake = (): boolean => hasProcessorToSpare && requests().count <= 1;

/** Waits for answers of one and the same: it learns from each whether the next is worth staying awake for. */
export class ShortWait {
  #lastMs = Number.POSITIVE_INFINITY;

  /** Begins a wait; whoever has the answer calls what it returns. */
  begin(): () => void {
    const beganAt = performance.now();
    let isOver = false;
    const stayAwake = (): void => {
      if (!isOver && mayStayAwake() && performance.now() - beganAt < LONGEST_MS) setImmediate(stayAwake);
    };
    if (this.#lastMs < LONGEST_MS) stayAwake();
    return () => {
      isOver = true;
      this.#lastMs = performance.now() - beganAt;
    };
  }
}
