// What a stream costs that did not come to its end, compared with the same prompt's whole answer: never more when its provider broke off,
// and what the provider had counted by then is kept.

import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { awaitCharge, expectPaid } from "./testing/books";
import { ask, open, promptOf } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();
const url = service.url("node");
/** Long enough to be read from a cache. */
const LONG = "The quick brown fox jumps over the lazy dog, and nobody minds. ".repeat(200);

const bodyOf = (directives: string, model: string) =>
  promptOf({ prompt: `${LONG} [[simulate: ${directives}]]`, model, stream: true, maxTokens: 2_000 });

/** The same prompt each time, whatever goes wrong. */
async function chargeFor(directives: string, model: string, fault?: string) {
  const account = await openAccount({ usd: "50" });
  if (fault) await service.models.simulate(fault);
  await ask({ url, key: account.key, body: bodyOf(directives, model) });
  const charge = await awaitCharge(account.accountId);
  await expectPaid(account);
  return charge;
}

describe.each(["gpt-4o-mini", "gpt-5.4", "claude-opus-4-7", "gemini-2.5-flash-lite", "grok", "deepseek-v4-pro"])("%s", (model) => {
  test.each(["close-midway", "error-midway"])(
    "a provider that breaks off (%s) is never paid for more input than the whole answer has",
    async (fault) => {
      const whole = await chargeFor("cached=2000 tokens=30", model);
      const cut = await chargeFor("cached=2000 tokens=30", model, fault);
      expect([whole.outcome, cut.outcome]).toEqual(["complete", "partial"]);
      expect(cut.input_cost).toBeLessThanOrEqual(whole.input_cost);
      expect(cut.output_cost).toBeLessThanOrEqual(whole.output_cost);
      expect(cut.input_cost).toBeGreaterThan(0n);
    },
  );
});

test("what Claude counted at a stream's beginning is charged as it was counted, whoever breaks off", async () => {
  const model = "claude-opus-4-7";
  const whole = await chargeFor("cached=2000 tokens=30", model);
  const cut = await chargeFor("cached=2000 tokens=30", model, "close-midway");
  expect([cut.input_tokens, cut.cached_input_tokens, cut.input_cost]).toEqual([
    whole.input_tokens,
    whole.cached_input_tokens,
    whole.input_cost,
  ]);
  const account = await openAccount({ usd: "50" });
  const leave = new AbortController();
  const body = bodyOf("cached=2000 slow=50 tokens=500", model);
  const response = await open({ url, key: account.key, body, signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  const left = await awaitCharge(account.accountId);
  expect(left).toMatchObject({ outcome: "cancelled", cached_input_tokens: whole.cached_input_tokens });
  await expectPaid(account);
});
