// Limits as the caller sees them: response headers, written on every answer.
//
// RateLimit-Policy and RateLimit follow draft-ietf-httpapi-ratelimit-headers-11: lists of quoted policy names; `q` quota,
// `w` window in seconds, `qu` unit; `r` remaining, `t` seconds until reset. X-RateLimit-Reset is Unix seconds, as GitHub
// made it common; the clients that also know seconds from now tell the two apart by their size.

import { nowMs } from "@/lib/base/clock";
import type { LimitState } from "./entry";

/** Adds the headers of `state` to `headers` (lower-case names). */
export function writeLimitHeaders(headers: Record<string, string>, state: LimitState): void {
  const { ratePerMinute, concurrency, remaining, freeSlots } = state;
  const resetS = Math.max(0, Math.ceil((state.resetAtMs - nowMs()) / 1_000));
  headers["ratelimit-policy"] = `"rate";q=${ratePerMinute};w=60, "concurrency";q=${concurrency};qu="concurrent-requests"`;
  headers.ratelimit = `"rate";r=${remaining};t=${resetS}, "concurrency";r=${freeSlots}`;
  headers["x-ratelimit-limit"] = `${ratePerMinute}`;
  headers["x-ratelimit-remaining"] = `${remaining}`;
  headers["x-ratelimit-reset"] = `${Math.ceil(state.resetAtMs / 1_000)}`;
}

/** The value of Retry-After: whole seconds, at least 1. */
export const retryAfter = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))}`;
