// Our own count, used only when a provider gave none, errs on the customer's side.

import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateUsage } from "./completion";

test("four bytes are a token, and each message adds three; the input never exceeds its held bound", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), fc.nat(1_000), (prompt, answer, bound) => {
      const usage = estimateUsage({ messages: [{ role: "user", content: prompt }] }, answer, bound);
      expect(usage.inputTokens).toBe(Math.min(bound, 3 + Math.ceil(Buffer.byteLength(prompt) / 4)));
      expect(usage.outputTokens).toBe(Math.ceil(Buffer.byteLength(answer) / 4));
      expect([usage.cachedInputTokens, usage.reasoningTokens]).toEqual([0, 0]);
    }),
  );
});

test("nothing delivered counts as zero", () => {
  expect(estimateUsage({ messages: [] }, "", 100)).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});
