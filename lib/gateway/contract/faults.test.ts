// Providers at their worst. Each fault becomes the contract's error or a correct answer: never a wrong charge, never the provider's own
// message where the request is not at fault, never a hold that stays.

import { describe, expect, test } from "vitest";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { listSettings } from "@/lib/db/settings";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import { inputBoundForCall } from "@/lib/providers/token-bound";
import { loadOverruns, needsByteBound } from "../prompt/quote";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, chargesOf, expectPaid, expectUncharged, until } from "./testing/books";
import {
  type Answer,
  ask,
  deltaText,
  misbehaving,
  modelOf,
  promptOf,
  QUESTION,
  readCosts,
  readError,
  readErrorBody,
  readEvents,
  readPromptBody,
} from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService({
  env: { PROVIDER_FIRST_TOKEN_TIMEOUT_MS: "1000", PROVIDER_IDLE_TIMEOUT_MS: "600", PROVIDER_TOTAL_TIMEOUT_MS: "2500" },
});
const { models } = service;

const unavailable = { reason: "provider_unavailable", retryable: true };
const busy = { reason: "provider_busy", retryable: true };
const timeout = { reason: "provider_timeout", retryable: true };

/** Faults before anything is delivered, for both kinds of request. */
const early: [directives: string, details: object][] = [
  ["status=500", unavailable],
  ["status=502", unavailable],
  ["status=529", { ...busy, retryAfterMs: 5_000 }],
  ["status=429 retry-after=30", { ...busy, retryAfterMs: 30_000 }],
  ["hang", timeout],
  ["hang keep-alive=50", timeout],
  ["rubbish", unavailable],
  ["status=401", { reason: "provider_unavailable", retryable: false }],
  ["status=404", { reason: "provider_unavailable", retryable: false }],
];

/** Faults that spoil a JSON answer, since it is delivered in one piece. */
const late: [directives: string, details: object][] = [
  ["close-midway", unavailable],
  ["rubbish-midway", unavailable],
  ["stall-after=1", timeout],
  ["usage-negative", unavailable],
  ["usage=in:1000000000,out:5", unavailable],
  ["usage=in:5,out:1000000000", unavailable],
  ["usage=in:900000,out:5", unavailable],
  ["usage=in:5,out:900000", unavailable],
];

/** A wire format's faults look the same behind either HTTP server, so only one server runs through all of them. */
const vendors = { node: ["gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash-lite"], next: ["gpt-4o-mini"] } as const;

function set(name: string, value: string): void {
  process.env[name] = value;
  forgetSingleton("config");
}

function expectFault(answer: Answer, details: object): void {
  const isBusy = "reason" in details && details.reason === busy.reason;
  const { error, details: got, requestId } = readError(answer, isBusy ? "PROVIDER_BUSY" : "INTERNAL_ERROR");
  expect(Object.keys(got)).toEqual(["reason", "retryable", ...(isBusy ? ["retryAfterMs"] : []), "docs"]);
  expect(got).toMatchObject(details);
  expect(answer.headers.get("retry-after")).toBe(isBusy ? String(Number(got.retryAfterMs) / 1_000) : null);
  // The provider's own message and our credentials are not passed on.
  expect(answer.text.replace(requestId, "")).not.toMatch(/html|Gateway|Bearer|api.?key|sk-|server had an error|overloaded|simulat/i);
  expect(error).toMatch(/not charged$/);
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  describe.each(vendors[entry])("%s", (model) => {
    test.each([...early, ...late])("JSON, %s: the contract's error, and nothing charged", async (directives, details) => {
      const account = await openAccount();
      expectFault(await ask({ url, key: account.key, body: misbehaving(directives, { model }) }), details);
      await expectUncharged(account);
    });

    test.each(early)("a stream, %s: its true status before the first token, and nothing charged", async (directives, details) => {
      const account = await openAccount();
      expectFault(await ask({ url, key: account.key, body: misbehaving(directives, { model, stream: true }) }), details);
      await expectUncharged(account);
    });

    test.each([
      ["close-midway", "provider_unavailable"],
      ["rubbish-midway", "provider_unavailable"],
      ["error-midway", "provider_unavailable"],
      ["stall-after=4", "provider_timeout"],
    ])("a stream, %s: an error event with its cost, charged for exactly what was delivered", async (directives, reason) => {
      const account = await openAccount();
      const { status, text } = await ask({ url, key: account.key, body: misbehaving(directives, { model, stream: true }) });
      expect(status).toBe(200);
      const events = readEvents(text);
      const last = events.at(-1);
      expect(events.slice(0, -1).every(({ event }) => event === "delta")).toBe(true);
      expect(last?.event).toBe("error");
      const { details, error, requestId } = readErrorBody(last?.data ?? "", "INTERNAL_ERROR");
      expect(details).toMatchObject({ reason, retryable: true });
      expect(error).toMatch(/charged for the part you received$/);
      expect(text.replace(requestId, "")).not.toMatch(/html|Gateway|server had an error/i);

      const [charge] = await chargesOf(account.accountId);
      expect(charge).toMatchObject({ request_id: requestId, outcome: "partial", streamed: true, operator_loss: 0n });
      // The charge is what is certainly owed: the provider's count so far, or our own.
      expect(charge?.input_tokens).toBeGreaterThan(0n);
      expect(charge?.output_tokens).toBeLessThanOrEqual(BigInt(trueCount.o200k(deltaText(events))));
      const cost = readCosts(last?.data ?? "");
      expect(cost).toEqual({
        inputCost: charge?.input_cost,
        outputCost: charge?.output_cost,
        totalCost: (charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n),
      });
      await expectPaid(account);
    });

    test("JSON with an error inside is busy where it says so, else unavailable, and nothing is charged", async () => {
      const account = await openAccount();
      const says = model.startsWith("gpt") ? unavailable : busy;
      expectFault(await ask({ url, key: account.key, body: misbehaving("error-midway", { model }) }), says);
      await expectUncharged(account);
    });

    test("503 is busy where its words say so", async () => {
      const account = await openAccount();
      const says = model.startsWith("claude") ? unavailable : busy;
      expectFault(await ask({ url, key: account.key, body: misbehaving("status=503", { model }) }), says);
      await expectUncharged(account);
    });

    test("a prompt that the provider refuses is the caller's error, in the provider's words", async () => {
      const account = await openAccount();
      for (const stream of [false, true]) {
        const answer = await ask({ url, key: account.key, body: misbehaving("status=400", { model, stream }) });
        const { details, error } = readError(answer, "INVALID_REQUEST");
        expect(details).toMatchObject({ reason: "provider_rejected", issues: [{ path: "prompt" }] });
        expect(error).toMatch(/^prompt: was rejected by .+'s provider: ./);
        expect(answer.text).not.toMatch(/invalid_request|INVALID_ARGUMENT/);
      }
      await expectUncharged(account);
    });

    test("429 with a short Retry-After, then an answer: the client sees the answer, charged once", async () => {
      const account = await openAccount();
      await models.clear();
      await models.simulate("status=429 retry-after=0");
      set("PROVIDER_RETRIES", "1");
      const answer = await ask({ url, key: account.key, body: promptOf({ model }) });
      set("PROVIDER_RETRIES", "0");
      expect(answer.status).toBe(200);
      expect((await models.calls()).calls.map(({ status }) => status)).toEqual([429, 200]);
      expect(await chargesOf(account.accountId)).toHaveLength(1);
      await expectPaid(account);
    });

    test.each([false, true])("stream %s: an answer without usage is charged by our own count, never above the hold", async (stream) => {
      const account = await openAccount();
      const { text } = await ask({ url, key: account.key, body: misbehaving("no-usage", { model, stream }) });
      const done = stream ? readEvents(text).at(-1) : undefined;
      expect(done?.event).toBe(stream ? "done" : undefined);
      const { usage } = readPromptBody(done?.data ?? text);
      const [charge] = await chargesOf(account.accountId);
      expect(charge).toMatchObject({ estimated: true, outcome: "complete", output_tokens: BigInt(usage.outputTokens) });
      await expectPaid(account);
    });

    test.each([false, true])("stream %s: an answer for which its provider counts nothing is charged by our own count", async (stream) => {
      const account = await openAccount();
      const answer = await ask({ url, key: account.key, body: misbehaving("usage=in:0,out:0", { model, stream }) });
      expect(answer.status, answer.text).toBe(200);
      const [charge] = await chargesOf(account.accountId);
      expect(charge).toMatchObject({ estimated: true, outcome: "complete", operator_loss: 0n });
      expect([charge?.input_cost, charge?.output_cost]).not.toContain(0n);
      await expectPaid(account);
    });

    test("an answer that a content filter ended is an answer, and is charged", async () => {
      const account = await openAccount();
      expect((await ask({ url, key: account.key, body: misbehaving("filtered", { model }) })).status).toBe(200);
      expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "complete" });
      await expectPaid(account);
    });

    test("a stream with absurd usage is charged by our own count", async () => {
      const account = await openAccount();
      const { text } = await ask({ url, key: account.key, body: misbehaving("usage=in:900000,out:5", { model, stream: true }) });
      expect(readEvents(text).at(-1)?.event).toBe("error");
      expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "partial", estimated: true, operator_loss: 0n });
      await expectPaid(account);
    });
  });

  test("a provider that keeps failing is not called any more: requests are refused at once", async () => {
    const account = await openAccount();
    await models.clear();
    for (const _ of [1, 2, 3, 4, 5]) await ask({ url, key: account.key, body: misbehaving("status=500") });
    const { count } = await models.calls();
    expectFault(await ask({ url, key: account.key, body: promptOf() }), busy);
    expect((await models.calls()).count).toBe(count);
    await expectUncharged(account);
  });
});

describe.each(entryNames)("a provider that counts more than the hold, through the %s server", (entry) => {
  const url = service.url(entry);

  async function forget(modelId: string): Promise<void> {
    forgetSingleton("overrun models");
    await pool().query("DELETE FROM setting WHERE name = $1", [`token_bound:${modelId}`]);
  }

  async function expectOverrun(account: TestAccount, text: string, { model, loss }: { model: string; loss: bigint }): Promise<bigint> {
    const [charge] = await chargesOf(account.accountId);
    const { totalCost } = readCosts(text);
    expect(charge?.operator_loss).toBe(loss);
    expect(totalCost).toBe((charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n));
    const { input: inputPrice, output: outputPrice } = modelOf(model).prices[0];
    expect((charge?.input_tokens ?? 0n) * inputPrice + (charge?.output_tokens ?? 0n) * outputPrice).toBe(totalCost + loss);
    const { rows } = await pool().query<{ amount: bigint }>(
      "SELECT amount FROM ledger_entry WHERE account_id = 'operator_loss' AND transfer_id = $1",
      [charge?.request_id],
    );
    expect(rows).toEqual([{ amount: -loss }]);
    await expectPaid(account);
    return totalCost;
  }

  test.each([false, true])(
    "stream %s: charged up to the hold, the rest is the operator's loss, and bytes bound the model from then on",
    async (stream) => {
      const model = "gpt-4o-mini";
      await forget(model);
      const account = await openAccount();
      const prompt = `${QUESTION} [[simulate: usage=in:2000,out:300]]`;
      const { tokenBound, prices } = modelOf(model);
      const { input: inputPrice, output: outputPrice } = prices[0];
      const bound = inputBoundForCall({ messages: [{ role: "user", content: prompt }] }, tokenBound);
      const ceiling = BigInt(bound) * inputPrice + 300n * outputPrice;
      const due = 2_000n * inputPrice + 300n * outputPrice;
      const answer = await ask({ url, key: account.key, body: promptOf({ prompt, maxTokens: 300, stream }) });
      expect(answer.status).toBe(200);
      const body = stream ? (readEvents(answer.text).at(-1)?.data ?? "") : answer.text;
      expect(readPromptBody(body).usage).toEqual({ inputTokens: 2_000, outputTokens: 300, totalTokens: 2_300 });
      expect(await expectOverrun(account, body, { model, loss: due - ceiling })).toBe(ceiling);

      expect(needsByteBound(model)).toBe(true);
      expect(await listSettings("token_bound:")).toEqual([{ name: `token_bound:${model}`, value: "bytes" }]);
      forgetSingleton("overrun models"); // like another process, or after a restart
      expect(needsByteBound(model)).toBe(false);
      await loadOverruns();
      expect(needsByteBound(model)).toBe(true);

      const refused = await ask({ url, key: account.key, body: promptOf({ maxCost: 1e-9, maxTokens: 1 }) });
      const byBytes = BigInt(inputBoundForCall({ messages: [{ role: "user", content: QUESTION }] }, "bytes")) * inputPrice + outputPrice;
      expect(/up to \$0?([\d.]+)/.exec(refused.text)?.[1]).toBe(`.${byBytes.toString().padStart(9, "0").replace(/0+$/, "")}`);
      await forget(model);
    },
  );

  test("more output than requested: charged up to the hold, and the input's bound stays", async () => {
    await forget("grok");
    const account = await openAccount();
    const answer = await ask({ url, key: account.key, body: misbehaving("usage=in:20,out:500", { model: "grok", maxTokens: 100 }) });
    expect(answer.status).toBe(200);
    const [charge] = await chargesOf(account.accountId);
    const due = 20n * modelOf("grok").prices[0].input + 500n * modelOf("grok").prices[0].output;
    await expectOverrun(account, answer.text, {
      model: "grok",
      loss: due - nanoUsd((charge?.input_cost ?? 0n) + (charge?.output_cost ?? 0n)),
    });
    expect(charge?.operator_loss).toBeGreaterThan(0n);
    expect(needsByteBound("grok")).toBe(false);
  });

  test("an overrun never takes the balance below zero", async () => {
    await forget("gpt-4o-mini");
    const account = await openAccount({ usd: "0.0007" });
    await ask({ url, key: account.key, body: misbehaving("usage=in:9000,out:1024") });
    await until("it is charged", async () => (await chargesOf(account.accountId)).length === 1);
    await expectPaid(account);
    await forget("gpt-4o-mini");
  });
});
