// Which failures are retried, how often, and after what delay.

import { ConnectionError, hasCode, PennyPromptError } from "./errors";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface RetryOptions {
  maxRetries: number;
  /** The total time to wait for an earlier request under the same idempotency key. */
  longestWaitMs: number;
  sleep: Sleep;
}

/** Calls `run` until it succeeds, fails for good, or has been retried `maxRetries` times; then the last error is thrown. */
export async function retrying<T>(
  run: () => Promise<T>,
  { maxRetries, longestWaitMs, sleep }: RetryOptions,
  signal?: AbortSignal,
): Promise<T> {
  let retries = 0;
  let waitedMs = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      // The first request under this key is still running; most often it is our own, whose connection was lost. Waiting for its end does
      // not count as a retry: giving up would abandon an answer that is paid for.
      const isRunning = maxRetries > 0 && hasCode(error, "REQUEST_IN_PROGRESS");
      const isLast = isRunning ? waitedMs >= longestWaitMs : retries >= maxRetries;
      if (isLast || !mayRetry(error)) throw error;
      const delayMs = delayBefore(error, tries);
      if (isRunning) waitedMs += delayMs;
      else retries++;
      await sleep(delayMs, signal);
    }
  }
}

function mayRetry(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.status === undefined || error.status >= 500;
  if (!(error instanceof PennyPromptError)) return false;
  if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false;
  switch (error.status) {
    case 409:
    case 429:
    case 503:
      return true;
    case 500:
      // An error with a cost is the answer that was paid for under this key: a retry would only return it again.
      return error.details.retryable === true && error.details.cost === undefined;
    default:
      return false;
  }
}

/** Half of the delay is random, so that many clients that failed together do not come back together. */
function delayBefore(error: unknown, tries: number): number {
  const grown = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
  const requestedMs = error instanceof PennyPromptError ? error.retryAfterMs : undefined;
  return Math.max(requestedMs ?? 0, grown * (0.5 + Math.random() / 2));
}

/** A Retry-After header, seconds or a date, in milliseconds from now; undefined when it is missing or neither. */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal?.addEventListener("abort", leave, { once: true });
  });
