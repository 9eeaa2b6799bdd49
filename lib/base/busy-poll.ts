// Busy polling for short waits. A process that sleeps until its answer arrives wakes up late and with cold CPU caches: where the
// answer takes half a millisecond, that adds a third. Only a lone request is polled for. With several requests under way, either
// their work keeps the process awake anyway, or the CPU time belongs to them.

import { cpus } from "node:os";
import { setImmediate } from "node:timers";
import { processSingleton } from "./process-singleton";

/** The longest busy poll, in milliseconds. After a longer wait the next one sleeps. */
const LONGEST_MS = 2;

/** Number of waits that sleep after a poll in vain: the process that works on the answer may need this CPU. */
const SLEEPS_AFTER_VAIN = 16;

/** With a single CPU, the process that works on the answer could not run while we poll. */
const hasProcessorToSpare = cpus().length > 1;

const requests = processSingleton("requests under way", () => ({ count: 0 }));

/** Call when a request begins. */
export function countRequest(): void {
  requests().count += 1;
}

/** Call when a request has ended. */
export function uncountRequest(): void {
  requests().count -= 1;
}

export const requestsUnderWay = (): number => requests().count;

const mayStayAwake = (): boolean => hasProcessorToSpare && requestsUnderWay() <= 1;

/** Waits for the answers of one source, and learns from each whether the next is worth polling for. */
export class BusyPoll {
  /** Number of short waits that sleep before one is polled. */
  #sleeps = 1;

  /** Begins a wait. The returned function ends it: call it when the answer is there or will not come. A second call does nothing. */
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
