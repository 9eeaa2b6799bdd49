// A payment whose end no node tells is polled at once, and then less and less often.

import { expect, onTestFinished, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { PaymentId } from "../claims/claim";
import { runWithBackoff } from "./backoff";

const HOUR_MS = 3_600_000;

test("in a day what has no end is asked for some thirty times, whatever goes wrong; when it had one, at once again", async () => {
  let [timeMs, asked] = [0, 0];
  onTestFinished(setClock(() => timeMs));
  const claim = { id: "pay_without_end" as PaymentId };
  const inVain = async () => {
    asked += 1;
    if (asked % 2 === 0) throw new Error("no node tells");
    return false;
  };
  for (; timeMs < 24 * HOUR_MS; timeMs += 1_000) await runWithBackoff(claim, inVain).catch(() => {});
  expect(asked).toBeGreaterThan(24);
  expect(asked).toBeLessThan(40);
  timeMs += HOUR_MS;
  const atLast = async () => {
    asked = 0;
    return true;
  };
  await runWithBackoff(claim, atLast);
  expect(asked).toBe(0);
  await runWithBackoff(claim, inVain);
  expect(asked).toBe(1);
});
