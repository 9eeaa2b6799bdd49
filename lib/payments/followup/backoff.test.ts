// A payment whose end no node shows is polled at once, and then less and less often.

import { expect, onTestFinished, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { PaymentId } from "../claims/claim";
import { runWithBackoff } from "./backoff";

const HOUR_MS = 3_600_000;

test("a payment without an end is polled about thirty times a day, even on errors; an end resets the backoff", async () => {
  let [timeMs, looks] = [0, 0];
  onTestFinished(setClock(() => timeMs));
  const claim = { id: "pay_without_end" as PaymentId };
  const inVain = async () => {
    looks += 1;
    if (looks % 2 === 0) throw new Error("no node tells");
    return false;
  };
  for (; timeMs < 24 * HOUR_MS; timeMs += 1_000) await runWithBackoff(claim, inVain).catch(() => {});
  expect(looks).toBeGreaterThan(24);
  expect(looks).toBeLessThan(40);
  timeMs += HOUR_MS;
  const atLast = async () => {
    looks = 0;
    return true;
  };
  await runWithBackoff(claim, atLast);
  expect(looks).toBe(0);
  await runWithBackoff(claim, inVain);
  expect(looks).toBe(1);
});
