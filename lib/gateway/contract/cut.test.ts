// What a stream costs that did not come to its end, compared with the same prompt's whole answer: never more when its provider broke off,
// and what the provider had counted by then is kept.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import { openAccount } from "./testing/accounts";
import { awaitCharge, awaitNothingHeld, chargesOf, expectPaid } from "./testing/books";
import { ask, deltaText, open, promptOf, readEvents } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();
const url = service.url("node");
/** Long enough to be read from a cache. */
const LONG = "The quick brown fox jumps over the lazy dog, and nobody minds. ".repeat(200);

const textOf = (directives: string) => `${LONG} [[simulate: ${directives}]]`;
const bodyOf = (directives: string, model: string) => promptOf({ prompt: textOf(directives), model, stream: true, maxTokens: 2_000 });

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

test("without the provider's count the GPT-4 family's own tokenizer counts, to the token, whoever breaks off", async () => {
  const model = "gpt-4o-mini";
  const account = await openAccount({ usd: "50" });
  const headers = { "idempotency-key": "left" };
  const body = bodyOf("slow=50 tokens=500", model);
  const leave = new AbortController();
  const response = await open({ url, key: account.key, headers, body, signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  const left = await awaitCharge(account.accountId);
  const saved = await ask({ url, key: account.key, headers, body });
  const asked = trueCount.o200k(textOf("slow=50 tokens=500"));
  // The cookbook's four around a message, its role included, and three before the reply.
  expect(left).toMatchObject({ outcome: "cancelled", input_tokens: BigInt(asked + 4 + 3), cached_input_tokens: 0n });
  expect(Number(left.output_tokens)).toBe(trueCount.o200k(deltaText(readEvents(saved.text))));

  const other = await openAccount({ usd: "50" });
  await service.models.simulate("close-midway");
  const broken = await ask({ url, key: other.key, body: bodyOf("tokens=30", model) });
  const cut = await awaitCharge(other.accountId);
  const certain = BigInt(trueCount.o200k(textOf("tokens=30")));
  expect(cut).toMatchObject({ outcome: "partial", input_tokens: certain, cached_input_tokens: certain });
  expect(Number(cut.output_tokens)).toBe(trueCount.o200k(deltaText(readEvents(broken.text))));
  await expectPaid(account);
  await expectPaid(other);
});

test("a client that leaves while the tokens of its broken stream are counted is charged once, as for the break-off", async () => {
  const account = await openAccount({ usd: "50" });
  const [begun, counted] = [signalled(), signalled()];
  let counts = 0;
  const count = async () => {
    counts += 1;
    begun.tell();
    await counted.told;
    return null;
  };
  replaceSingleton("token counter", { count });
  onTestFinished(() => forgetSingleton("token counter"));
  await service.models.simulate("close-midway");
  const leave = new AbortController();
  // There the request ends at once, whatever its stream does; our own server ends it after its stream.
  const next = service.url("next");
  const response = await open({ url: next, key: account.key, body: bodyOf("tokens=30", "gpt-4o-mini"), signal: leave.signal });
  const reading = response.text().catch(() => "");
  await begun.told;
  leave.abort();
  await reading;
  await sleep(200); // the server has noticed, and waits for the count
  counted.tell();
  expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "partial", estimated: true });
  await awaitNothingHeld();
  expect(await chargesOf(account.accountId)).toHaveLength(1);
  expect(counts).toBe(1);
  await expectPaid(account);
});

function signalled(): { told: Promise<void>; tell: () => void } {
  let tell = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell };
}
