import { afterEach, beforeEach, expect, test } from "vitest";
import { FailedAuthLimiter } from "@/lib/access/limits/failed-auth";
import { type LimitState, MemoryLimiter, type RateState } from "@/lib/access/limits/memory-limiter";
import { setClock } from "@/lib/base/clock";
import { retryAfter, writeLimitHeaders } from "./caller";

const limits = { ratePerMinute: 100, concurrency: 10 };
const time = { ms: 1_700_000_000_000 };
let restoreClock = () => {};

beforeEach(() => {
  restoreClock = setClock(() => time.ms);
});
afterEach(() => restoreClock());

function headersOf(state: LimitState | RateState): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": "req_1" };
  writeLimitHeaders(headers, state);
  return headers;
}

test("an answer carries one policy each for rate and concurrency, the remainder of both, and the older headers", () => {
  const { state } = new MemoryLimiter().enter("account", limits);
  expect(headersOf(state)).toEqual({
    "x-request-id": "req_1",
    "ratelimit-policy": '"rate";q=100;w=60, "concurrency";q=10;qu="concurrent-requests"',
    ratelimit: '"rate";r=99;t=1, "concurrency";r=9',
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "99",
    "x-ratelimit-reset": "1700000001",
  });
});

test("after a refusal by the rate, the reset equals Retry-After", () => {
  const limiter = new MemoryLimiter();
  const refusal = Array.from({ length: 4 }, () => limiter.enter("account", { ratePerMinute: 3, concurrency: 10 })).at(-1);
  if (!refusal || refusal.granted) throw new Error("the fourth request should be refused");
  expect(retryAfter(refusal.retryAfterMs)).toBe("20");
  expect(headersOf(refusal.state)).toMatchObject({ ratelimit: '"rate";r=0;t=20, "concurrency";r=7', "x-ratelimit-reset": "1700000020" });
});

test("an answer that took longer than the reset reports 0 seconds, never a negative number", () => {
  const { state } = new MemoryLimiter().enter("account", limits);
  time.ms += 30_000;
  expect(headersOf(state).ratelimit).toBe('"rate";r=99;t=0, "concurrency";r=9');
});

test("Retry-After is whole seconds, rounded up, and never 0", () => {
  expect([0, 1, 600, 1_000, 1_001].map(retryAfter)).toEqual(["1", "1", "1", "1", "2"]);
});

test("an answer to a caller without an account reports its address's remaining failures", () => {
  time.ms = 1_700_000_000_000;
  const limiter = new FailedAuthLimiter(2, { link: null });
  expect(headersOf(limiter.state("192.0.2.1"))).toMatchObject({
    "ratelimit-policy": '"failed-auth";q=2;w=60',
    ratelimit: '"failed-auth";r=2;t=0',
  });
  limiter.record("192.0.2.1");
  expect(headersOf(limiter.state("192.0.2.1"))).toMatchObject({
    ratelimit: '"failed-auth";r=1;t=30',
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "1",
  });
  limiter.record("192.0.2.1");
  expect(headersOf(limiter.state("192.0.2.1"))).toMatchObject({ ratelimit: '"failed-auth";r=0;t=30', "x-ratelimit-reset": "1700000030" });
  expect(limiter.check("192.0.2.1")).toEqual({ granted: false, retryAfterMs: 30_000 });
});
