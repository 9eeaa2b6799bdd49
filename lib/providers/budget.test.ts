// The budget's promises, with a fake clock: each wait has its own limit, a slow reader does not count against the provider, and one
// timer serves them all.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallBudget } from "./budget";
import { ProviderFailure } from "./types";

const limits = { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 1_000, PROVIDER_IDLE_TIMEOUT_MS: 300, PROVIDER_TOTAL_TIMEOUT_MS: 10_000 };
let controller: AbortController;
let budget: CallBudget;

beforeEach(() => {
  vi.useFakeTimers();
  controller = new AbortController();
  budget = new CallBudget(limits, controller.signal);
  budget.awaitFirstToken(1_000);
});
afterEach(() => {
  budget.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("the first token has its whole time and no more, whatever keep-alive bytes arrive", () => {
  for (let ms = 0; ms < 990; ms += 90) {
    budget.awaitChunk();
    vi.advanceTimersByTime(90);
    budget.gotChunk();
  }
  expect(budget.remainingMs()).toBeCloseTo(10, 3);
  expect(budget.aborted).toBe(false);
  vi.advanceTimersByTime(11);
  expect(budget).toMatchObject({ aborted: true, expired: "first token", reason: { kind: "timeout" } });
});

test("silence mid-stream counts from the moment we ask for more", () => {
  budget.startStreaming();
  vi.advanceTimersByTime(2_000);
  budget.awaitChunk();
  vi.advanceTimersByTime(299);
  expect(budget.aborted).toBe(false);
  vi.advanceTimersByTime(301);
  expect(budget.expired).toBe("next chunk");
});

test("a slow reader does not count as the provider's silence, but the total time runs on", () => {
  budget.startStreaming();
  budget.awaitChunk();
  budget.gotChunk();
  vi.advanceTimersByTime(9_900);
  expect(budget.aborted).toBe(false);
  vi.advanceTimersByTime(200);
  expect(budget.expired).toBe("end of the answer");
});

test("however many chunks come, there is one timer", () => {
  budget.startStreaming();
  for (let chunk = 0; chunk < 1_000; chunk += 1) {
    budget.awaitChunk();
    budget.gotChunk();
  }
  expect(vi.getTimerCount()).toBe(1);
});

test("it stops once, notifies every listener, and keeps the first reason", () => {
  const onAbort = vi.fn();
  budget.on("abort", onAbort);
  controller.abort();
  budget.stop(new ProviderFailure("timeout", "later"));
  expect(onAbort).toHaveBeenCalledTimes(1);
  expect(budget.reason?.kind).toBe("aborted");
});

test("once closed, neither a timeout nor the caller stops it", () => {
  budget.close();
  controller.abort();
  vi.advanceTimersByTime(20_000);
  expect(budget.aborted).toBe(false);
});

test("after a late first token it can be renewed within the total time; after anything else it cannot", () => {
  vi.advanceTimersByTime(1_001);
  budget.renew();
  expect(budget.aborted).toBe(false);
  budget.awaitFirstToken(60_000);
  expect(budget.remainingMs()).toBeLessThan(9_000);
  controller.abort();
  budget.renew();
  expect(budget).toMatchObject({ aborted: true, reason: { kind: "aborted" } });
});

test("a renewed budget ends with the total time, however long the shortest wait is", () => {
  budget.close();
  budget = new CallBudget({ ...limits, PROVIDER_IDLE_TIMEOUT_MS: 1_000, PROVIDER_TOTAL_TIMEOUT_MS: 1_200 }, null);
  budget.awaitFirstToken(1_000);
  vi.advanceTimersByTime(1_001);
  expect(budget.expired).toBe("first token");
  budget.renew();
  budget.awaitFirstToken(1_000);
  vi.advanceTimersByTime(200);
  expect(budget).toMatchObject({ aborted: true, expired: "end of the answer" });
});

test("a caller who gave up in the meantime stops a renewed budget at once", () => {
  vi.advanceTimersByTime(1_001);
  controller.abort();
  budget.renew();
  expect(budget.reason?.kind).toBe("aborted");
});

test("a pause ends after its time, or at once with the stop's reason", async () => {
  const first = budget.pause(100);
  await vi.advanceTimersByTimeAsync(100);
  await first;
  const second = expect(budget.pause(100)).rejects.toMatchObject({ kind: "aborted" });
  controller.abort();
  await second;
});
