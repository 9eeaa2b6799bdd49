// A quote states the hold of the same body as a prompt, exact to the nano-dollar, and has no effects.

import { describe, expect, test } from "vitest";
import { parseUsd } from "@/lib/base/money";
import { listModels, priceVersion } from "@/lib/providers/catalogue";
import { openAccount } from "./testing/accounts";
import { balanceOf, expectPaid, expectUncharged } from "./testing/books";
import { type Answer, ask, expectCommonHeaders, misbehaving, open, promptOf, readError } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

interface QuoteBody {
  model: string;
  inputTokens: number;
  maxOutputTokens: number;
  maxReasoningTokens: number;
  covered: boolean;
  paymentCents: number;
  affordableMaxTokens: number;
  withinMaxCost: boolean;
  priceVersion: string;
  whenLeft: string;
}

function readQuote(answer: Answer): QuoteBody & Record<"ceiling" | "expected" | "available", bigint> {
  expect(answer.status, answer.text).toBe(200);
  const amount = (name: string) => parseUsd(new RegExp(`"${name}":([\\d.]+)`).exec(answer.text)?.[1] ?? "");
  const amounts = { ceiling: amount("ceiling"), expected: amount("expected"), available: amount("available") };
  return { ...(JSON.parse(answer.text) as QuoteBody), ...amounts };
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const quote = (key: string | undefined, body: unknown) => ask({ url, key, path: "/api/v1/quote", body });

  test("its fields, for every model: a ceiling that can be recomputed, and an estimate below it", async () => {
    const account = await openAccount();
    for (const model of listModels().filter(({ type }) => type !== "embedding")) {
      const answer = await quote(account.key, promptOf({ model: model.id, system: "Be brief.", maxTokens: 333 }));
      const quoted = readQuote(answer);
      expectCommonHeaders(answer.headers, answer.headers.get("x-request-id") ?? "");
      expect(Object.keys(quoted)).toEqual([
        ...["model", "inputTokens", "maxOutputTokens", "maxReasoningTokens", "ceiling", "expected", "available", "covered"],
        ...["paymentCents", "affordableMaxTokens", "capLeft", "clippedTo", "withinMaxCost", "priceVersion", "pricing", "whenLeft"],
      ]);
      expect(quoted).toMatchObject({ model: model.id, maxOutputTokens: 333, priceVersion: priceVersion(model), withinMaxCost: true });
      const { inputTokens, maxReasoningTokens, ceiling, expected } = quoted;
      expect(BigInt(quoted.paymentCents)).toBe((ceiling + 9_999_999n) / 10_000_000n);
      expect(ceiling).toBe(BigInt(inputTokens) * model.prices[0].input + BigInt(333 + maxReasoningTokens) * model.prices[0].output);
      expect(expected).toBeGreaterThan(0n);
      expect(expected).toBeLessThanOrEqual(ceiling);
      expect(quoted.available).toBe(account.credit);
      expect(quoted.covered).toBe(ceiling <= account.credit);
    }
    await expectUncharged(account);
  });

  test.each([
    ["gpt-4o-mini", "cut"],
    ["claude-haiku-4-5", "cut"],
    ["gpt-5.5", "drained"],
    ["gemini-3.5-flash-lite", "drained"],
  ])("what becomes of a stream of %s whose client leaves: %s", async (model, whenLeft) => {
    const { key } = await openAccount();
    expect(readQuote(await quote(key, promptOf({ model }))).whenLeft).toBe(whenLeft);
  });

  test("the smallest request: a few tokens of input and one of output are expected, and no more than the ceiling", async () => {
    const { key } = await openAccount();
    const { expected, ceiling } = readQuote(await quote(key, promptOf({ prompt: "a", maxTokens: 1 })));
    expect(expected).toBeGreaterThan(0n);
    expect(expected).toBeLessThanOrEqual(ceiling);
  });

  test("the ceiling equals the later hold, and is covered", async () => {
    const account = await openAccount();
    const body = misbehaving("slow=20 tokens=40", { stream: true });
    const { ceiling, covered } = readQuote(await quote(account.key, body));
    expect(covered).toBe(true);
    const stream = await open({ url, key: account.key, body });
    const during = readQuote(await quote(account.key, body));
    expect(account.credit - during.available).toBe(ceiling);
    await stream.text();
    await expectPaid(account);
  });

  test("nothing is held or charged, and no provider is called", async () => {
    const account = await openAccount();
    await service.models.clear();
    await Promise.all(Array.from({ length: 20 }, () => quote(account.key, promptOf())));
    expect((await service.models.calls()).count).toBe(0);
    await expectUncharged(account);
  });

  test("a balance that does not cover it: the same numbers as the 402, in a 200", async () => {
    const account = await openAccount({ usd: "0.0005" });
    const body = promptOf({ maxTokens: 16_000 });
    const quoted = readQuote(await quote(account.key, body));
    expect(quoted.covered).toBe(false);
    const { details } = readError(await ask({ url, key: account.key, body }), "INSUFFICIENT_BALANCE");
    expect(quoted.affordableMaxTokens).toBe(details.affordableMaxTokens);
    expect(quoted.affordableMaxTokens).toBeGreaterThan(0);
    const most = promptOf({ maxTokens: quoted.affordableMaxTokens });
    expect(readQuote(await quote(account.key, most)).covered).toBe(true);
    expect(readQuote(await quote(account.key, promptOf({ maxTokens: quoted.affordableMaxTokens + 1 }))).covered).toBe(false);
    expect((await ask({ url, key: account.key, body: most })).status).toBe(200);
    await expectPaid(account);
  });

  test("no money at all: not covered, and nothing is affordable", async () => {
    const account = await openAccount({ usd: "0" });
    expect(readQuote(await quote(account.key, promptOf()))).toMatchObject({ available: 0n, covered: false, affordableMaxTokens: 0 });
    expect(await balanceOf(account.accountId)).toBe(0n);
  });

  test("maxCost is compared without a refusal: enough at the ceiling, not a nano-dollar below", async () => {
    const { key } = await openAccount();
    const { ceiling } = readQuote(await quote(key, promptOf()));
    const usd = (amount: bigint) => Number(amount) / 1e9;
    expect(readQuote(await quote(key, promptOf({ maxCost: usd(ceiling) })))).toMatchObject({ ceiling, withinMaxCost: true });
    expect(readQuote(await quote(key, promptOf({ maxCost: usd(ceiling - 1n) })))).toMatchObject({ ceiling, withinMaxCost: false });
  });

  test.each([
    [promptOf({ max_tokens: 5 }), "INVALID_REQUEST"],
    [promptOf({ maxTokens: 0 }), "INVALID_REQUEST"],
    [promptOf({ maxCost: 1e-10 }), "INVALID_REQUEST"],
    ["{", "INVALID_REQUEST"],
    [promptOf({ model: "gpt-none" }), "INVALID_MODEL"],
  ] as const)("a body that is refused as a prompt is refused with the same error: %j", async (body, code) => {
    const { key } = await openAccount();
    const asPrompt = readError(await ask({ url, key, body }), code);
    const { error, details } = readError(await quote(key, body), code);
    expect({ error, details }).toEqual({ error: asPrompt.error, details: asPrompt.details });
  });

  test("it counts as one request of the rate, and its slot is free at once", async () => {
    const { key } = await openAccount({ limits: { ratePerMinute: 3, concurrency: 1 } });
    for (const left of ["2", "1", "0"]) expect((await quote(key, promptOf())).headers.get("x-ratelimit-remaining")).toBe(left);
    readError(await quote(key, promptOf()), "RATE_LIMIT_EXCEEDED");
  });

  test("it needs a key, and accepts only POST", async () => {
    readError(await quote(undefined, promptOf()), "INVALID_API_KEY");
    const got = await ask({ url, path: "/api/v1/quote", method: "GET" });
    readError(got, "METHOD_NOT_ALLOWED");
    expect(got.headers.get("allow")).toBe("POST");
  });
});
