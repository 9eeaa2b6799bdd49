// How long the event loop keeps work waiting: how late a timer of the main thread runs. Callers that must know that the loop still turns
// are told each time it does.

import { processSingleton } from "../process-singleton";
import { metrics } from "./metrics";

const TURN_EVERY_MS = 250;
/** The worst delay is remembered for one to two of these. */
const WINDOW_MS = 5_000;

interface Delays {
  windowSince: number;
  worstMs: number;
  worstBeforeMs: number;
}

const delays = processSingleton<Delays>("event loop delays", () => ({ windowSince: 0, worstMs: 0, worstBeforeMs: 0 }));

/** The worst delay of the last five to ten seconds, in milliseconds. */
export const eventLoopDelayMs = (): number => Math.round(Math.max(delays().worstMs, delays().worstBeforeMs));

/** Measures the event loop, and calls `onTurn` four times a second while it is free. Keeps no process alive. */
export function watchEventLoop(onTurn: () => void): { stop: () => void } {
  let lastAt = performance.now();
  const turn = () => {
    const at = performance.now();
    recordDelay(at, Math.max(0, at - lastAt - TURN_EVERY_MS));
    lastAt = at;
    onTurn();
  };
  const timer = setInterval(turn, TURN_EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}

function recordDelay(at: number, delayMs: number): void {
  metrics().eventLoopDelaySeconds.observe(delayMs / 1_000);
  const known = delays();
  if (at - known.windowSince >= WINDOW_MS) {
    known.worstBeforeMs = known.worstMs;
    known.worstMs = 0;
    known.windowSince = at;
  }
  known.worstMs = Math.max(known.worstMs, delayMs);
}
