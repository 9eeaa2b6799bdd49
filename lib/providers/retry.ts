// When to try the same provider again: growing pauses with jitter, so that many callers do not return in step, and never
// a pause that would outlast what is left of the call's first-token budget.

import { isConnectTimeout } from "./transport";
import type { ProviderFailure } from "./types";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/** A pause between half and the whole of 250 ms × 2^attempt, at most 8 s. `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
  return ceiling / 2 + (ceiling / 2) * random;
}

export interface RetryQuestion {
  failure: ProviderFailure;
  /** 0 for the first retry. */
  attempt: number;
  retries: number;
  /** What is left of the first-token budget. */
  remainingMs: number;
  random: number;
}

/** Milliseconds to wait before the same request is sent again, or null when it should not be. */
export function planRetry({ failure, attempt, retries, remainingMs, random }: RetryQuestion): number | null {
  if (attempt >= retries) return null;
  if (failure.kind !== "unavailable" && !isConnectTimeout(failure)) return null;
  // A pause shorter than the provider asked for would only be refused again.
  const pauseMs = Math.max(backoffMs(attempt, random), failure.retryAfterMs ?? 0);
  return pauseMs < remainingMs ? pauseMs : null;
}
