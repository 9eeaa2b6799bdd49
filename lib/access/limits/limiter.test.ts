import { afterEach, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { failedAuth } from "./failed-auth";
import { closeLimits, limiter } from "./limiter";
import { MemoryLimiter } from "./memory-limiter";
import { RedisLimiter } from "./redis-limiter";

afterEach(async () => {
  await closeLimits();
  vi.unstubAllEnvs();
  forgetSingleton("config");
});

test("without REDIS_URL limits are in memory, one limiter per process", () => {
  vi.stubEnv("REDIS_URL", "");
  expect(limiter()).toBeInstanceOf(MemoryLimiter);
  expect(limiter()).toBe(limiter());
});

test("with REDIS_URL a process serves before Redis has ever answered", () => {
  vi.stubEnv("REDIS_URL", "redis://127.0.0.1:1");
  expect(limiter()).toBeInstanceOf(RedisLimiter);
  expect(limiter().enter("account", { ratePerMinute: 1, concurrency: 1 })).toMatchObject({ granted: true });
});

test("FAILED_AUTH_PER_MINUTE sets how many failures an address has", () => {
  vi.stubEnv("FAILED_AUTH_PER_MINUTE", "1");
  failedAuth().record("192.0.2.1");
  expect(failedAuth().check("192.0.2.1").granted).toBe(false);
});
