// Retries: bounded pauses with jitter, never beyond the budget or five seconds, never for failures that a retry cannot fix.

import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs, planRetry } from "./call";
import { ProviderFailure, type ProviderFailureKind } from "./types";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const question = { attempt: 0, retries: 2, remainingMs: 60_000, random: 0.5 };

test("a pause is between half and all of a doubling ceiling, never above eight seconds", () => {
  fc.assert(
    fc.property(fc.nat(60), random, (attempt, chance) => {
      const ceiling = Math.min(250 * 2 ** attempt, 8_000);
      const pause = backoffMs(attempt, chance);
      expect(pause).toBeGreaterThanOrEqual(ceiling / 2);
      expect(pause).toBeLessThanOrEqual(ceiling);
    }),
  );
});

test("a planned pause is never shorter than Retry-After and never outlasts the budget", () => {
  fc.assert(
    fc.property(
      fc.nat(4),
      fc.integer({ min: -10, max: 100_000 }),
      fc.option(fc.nat(100_000), { nil: undefined }),
      random,
      (attempt, remainingMs, retryAfterMs, chance) => {
        const failure = new ProviderFailure("unavailable", "busy", { retryAfterMs });
        const pause = planRetry({ failure, attempt, retries: 5, remainingMs, random: chance });
        if (pause === null)
          expect(Math.max(backoffMs(attempt, chance), retryAfterMs ?? 0)).toBeGreaterThanOrEqual(Math.min(remainingMs, 5_000));
        else {
          expect(pause).toBeLessThan(remainingMs);
          expect(pause).toBeLessThanOrEqual(5_000);
          expect(pause).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
        }
      },
    ),
  );
});

test("no more than the configured retries", () => {
  const failure = new ProviderFailure("unavailable", "busy");
  expect(planRetry({ ...question, failure, attempt: 1 })).not.toBeNull();
  expect(planRetry({ ...question, failure, attempt: 2 })).toBeNull();
  expect(planRetry({ ...question, failure, retries: 0 })).toBeNull();
});

test("only failures that time can fix are retried", () => {
  const kinds: ProviderFailureKind[] = ["timeout", "rejected", "misconfigured", "malformed", "aborted"];
  for (const kind of kinds) expect(planRetry({ ...question, failure: new ProviderFailure(kind, "no") })).toBeNull();
  const connect = Object.assign(new Error("connect"), { code: "UND_ERR_CONNECT_TIMEOUT" });
  expect(planRetry({ ...question, failure: new ProviderFailure("timeout", "connect", { cause: connect }) })).not.toBeNull();
});
