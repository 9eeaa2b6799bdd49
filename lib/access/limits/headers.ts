// Limits as the caller sees them: response headers, written on every answer.
//
// RateLimit-Policy and RateLimit follow draft-ietf-httpapi-ratelimit-headers-11: lists of quoted policy names; `q` quota,
// `w` window in seconds, `qu` unit; `r` remaining, `t` seconds until reset. X-RateLimit-Reset is Unix seconds, as GitHub
// made it common; the clients that also know seconds from now tell the two apart by their size.

import { nowMs } from "@/lib/base/clock";
import type { LimitState, RateState } from "./entry";

/** Adds the headers of `state` to `headers` (lower-case names): an account's two limits, or the one of an address, on failures. */
export function writeLimitHeaders(headers: Record<string, string>, state: LimitState | RateState): void {
  const { ratePerMinute, remaining, resetAtMs } = state;
  const resetS = Math.max(0, Math.ceil((resetAtMs - nowMs()) / 1_000));
  if ("concurrency" in state) {
    headers["ratelimit-policy"] = `"rate";q=${ratePerMinute};w=60, "concurrency";q=${state.concurrency};qu="concurrent-requests"`;
    headers.ratelimit = `"rate";r=${remaining};t=${resetS}, "concurrency";r=${state.freeSlots}`;
  } else {
    headers["ratelimit-policy"] = `"failed-auth";q=${ratePerMinute};w=60`;
    headers.ratelimit = `"failed-auth";r=${remaining};t=${resetS}`;
  }
  headers["x-ratelimit-limit"] = `${ratePerMinute}`;
  headers["x-ratelimit-remaining"] = `${remaining}`;
  headers["x-ratelimit-reset"] = `${Math.ceil(resetAtMs / 1_000)}`;
}

/** The value of Retry-After: whole seconds, at least 1. */
export const retryAfter = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))}`;
