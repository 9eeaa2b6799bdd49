// When a delivery is tried again, and when its endpoint is left alone. A delivery has ten attempts over three days; an endpoint that fails
// three times in a row rests, so that a dead endpoint costs no more than a request now and then, however much waits for it.

import { createHash } from "node:crypto";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Before the second attempt, the third, … the tenth: together three days. */
const pausesMs = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR] as const;
export const MAX_ATTEMPTS = pausesMs.length + 1;
/** A pause is this much shorter or longer, so that deliveries that failed together are not tried again together. */
const JITTER = 0.1;

/** Milliseconds until the next attempt after `attempts` failed ones; null when there is none. */
export function pauseAfter(deliveryId: string, attempts: number): number | null {
  const pause = pausesMs[attempts - 1];
  if (pause === undefined) return null;
  const random = createHash("sha256").update(`${deliveryId} ${attempts}`).digest().readUInt32BE(0) / 2 ** 32;
  return Math.round(pause * (1 - JITTER + 2 * JITTER * random));
}

export const FAILURES_BEFORE_REST = 3;
const FIRST_REST_MS = 30 * SECOND;
const MAX_REST_MS = HOUR;

/** Milliseconds for which an endpoint rests after `failures` failed attempts in a row. */
export const restAfter = (failures: number): number =>
  failures < FAILURES_BEFORE_REST ? 0 : Math.min(FIRST_REST_MS * 2 ** (failures - FAILURES_BEFORE_REST), MAX_REST_MS);

/** An endpoint that answers, but slowly, is only kept apart. */
const MAX_SLOW_REST_MS = 5 * MINUTE;

/** The same after slow answers. */
export const slowRestAfter = (failures: number): number => Math.min(restAfter(failures), MAX_SLOW_REST_MS);

/** An answer that takes longer counts as a failure of its endpoint, whatever it says: it keeps a place from others. */
export const SLOW_MS = 5 * SECOND;

const MAX_RETRY_AFTER_MS = DAY;

/** Milliseconds of a Retry-After header, in seconds or as a date, at most a day; 0 if there is none. */
export function readRetryAfter(header: string | undefined, atMs: number): number {
  if (header === undefined) return 0;
  const wanted = /^\d{1,10}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - atMs;
  return Number.isFinite(wanted) ? Math.min(Math.max(wanted, 0), MAX_RETRY_AFTER_MS) : 0;
}

/** An endpoint whose every attempt failed for this long is disabled. */
export const DISABLED_AFTER_MS = 5 * DAY;
