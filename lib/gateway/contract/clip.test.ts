// Clip to what fits: a request that could cost more than balance, key's cap or maxCost allow gets a lower output limit instead of a
// refusal, never below its minimum, and says so. What fits is decided where the hold is, so parallel requests share no stale figure.

import { describe, expect, test } from "vitest";
import { changeKey } from "@/lib/access/testing/change-key";
import { nanoUsd, parseUsd, usdText } from "@/lib/base/money";
import { openAccount, type TestAccount } from "./testing/accounts";
import { balanceOf, chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { type Answer, ask, misbehaving, modelOf, promptOf, QUESTION, readError, readEvents } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const model = modelOf("gpt-4o-mini");
const FULL = 16_000;
const chatPath = "/api/v1/chat/completions";

const url = (entry: "node" | "next" = "node") => service.url(entry);
const chatOf = (fields: object = {}, question = QUESTION) => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: question }],
  ...fields,
});

/** USD for exactly this many output tokens of the body, and no nano-dollar more. */
async function usdFor(outputTokens: number, body: object = promptOf()): Promise<string> {
  const { key } = await openAccount();
  const { text } = await ask({ url: url(), key, path: "/api/v1/quote", body: { ...body, maxTokens: 1 } });
  const { inputTokens } = JSON.parse(text) as { inputTokens: number };
  return usdText(nanoUsd(BigInt(inputTokens) * model.prices[0].input + BigInt(outputTokens) * model.prices[0].output));
}

async function lastLimit(): Promise<number | undefined> {
  return (await service.models.calls()).calls.at(-1)?.maxOutputTokens;
}

/** The request was answered with this limit: in header and body, at the provider, and in what it was charged. */
async function expectClipped(answer: Answer, limit: number, account: TestAccount): Promise<void> {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expect(answer.headers.get("x-clipped-to")).toBe(String(limit));
  expect(answer.text).toContain(`"clippedTo":${limit}`);
  expect(await lastLimit()).toBe(limit);
  await expectPaid(account);
  for (const charge of await chargesOf(account.accountId)) expect(charge.operator_loss).toBe(0n);
}

function expectWhole(answer: Answer): void {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200, text: expect.not.stringContaining("clippedTo") });
  expect(answer.headers.get("x-clipped-to")).toBeNull();
}

describe.each(entryNames)("through the %s server", (entry) => {
  test.each([
    ["the body", { clipToBalance: true }, {}, null],
    ["the header", {}, { "x-clip-to-balance": "true" }, null],
    ["the header in capitals", {}, { "x-clip-to-balance": "TRUE" }, null],
    ["the key's setting", {}, {}, 256],
  ] as const)(
    "asked for by %s, a prompt gets exactly the limit that the balance pays for",
    async (_how, fields, headers, clipMinTokens) => {
      const account = await openAccount({ usd: await usdFor(700), key: { clipMinTokens } });
      const body = promptOf({ maxTokens: FULL, ...fields });
      await expectClipped(await ask({ url: url(entry), key: account.key, headers, body }), 700, account);
    },
  );

  test("a stream and a chat completion say it as well, and a replay says it again", async () => {
    const account = await openAccount({ usd: await usdFor(1_000) });
    const headers = { "x-clip-to-balance": "true", "idempotency-key": "clipped" };
    const stream = await ask({ url: url(entry), key: account.key, headers, body: promptOf({ maxTokens: FULL, stream: true }) });
    await expectClipped(stream, 1_000, account);
    const done = readEvents(stream.text).at(-1)?.data ?? "";
    expect(JSON.parse(done)).toMatchObject({ clippedTo: 1_000 });
    const again = await ask({ url: url(entry), key: account.key, headers, body: promptOf({ maxTokens: FULL, stream: true }) });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(JSON.parse(readEvents(again.text).at(-1)?.data ?? "")).toMatchObject({ clippedTo: 1_000 });

    const chatting = await openAccount({ usd: "0.003" });
    for (const streamed of [false, true]) {
      const body = chatOf({ max_tokens: FULL, clipToBalance: true, stream: streamed });
      const answer = await ask({ url: url(entry), key: chatting.key, path: chatPath, body });
      expect(answer.text).toContain(`"clippedTo":${answer.headers.get("x-clipped-to")}`);
      expect(Number(answer.headers.get("x-clipped-to"))).toBeGreaterThanOrEqual(256);
    }
    await expectPaid(chatting);
  });
});

test("what fits is not touched: the answer, its headers and its limit are those of any prompt", async () => {
  const account = await openAccount();
  expectWhole(await ask({ url: url(), key: account.key, body: promptOf({ maxTokens: FULL, clipToBalance: true }) }));
  expect(await lastLimit()).toBe(FULL);
  await expectPaid(account);
});

test("never below the minimum: 256 tokens, or the key's own, or the limit itself when that is lower", async () => {
  const body = promptOf({ maxTokens: FULL, clipToBalance: true });
  const short = await openAccount({ usd: await usdFor(255) });
  const refused = readError(await ask({ url: url(), key: short.key, body }), "INSUFFICIENT_BALANCE");
  expect(refused.details).toMatchObject({ affordableMaxTokens: 255 });
  await expectUncharged(short);

  const enough = await openAccount({ usd: await usdFor(256) });
  await expectClipped(await ask({ url: url(), key: enough.key, body }), 256, enough);

  const frugal = await openAccount({ usd: await usdFor(20), key: { clipMinTokens: 20 } });
  await expectClipped(await ask({ url: url(), key: frugal.key, body }), 20, frugal);
  const generous = await openAccount({ usd: await usdFor(999), key: { clipMinTokens: 1_000 } });
  readError(await ask({ url: url(), key: generous.key, body }), "INSUFFICIENT_BALANCE");

  const small = await openAccount({ usd: await usdFor(99) });
  readError(await ask({ url: url(), key: small.key, body: promptOf({ maxTokens: 100, clipToBalance: true }) }), "INSUFFICIENT_BALANCE");
  await expectUncharged(small);
});

test("without money at all, and for an input that costs more than there is, nothing is clipped", async () => {
  const body = promptOf({ maxTokens: FULL, clipToBalance: true });
  const empty = await openAccount({ usd: "0" });
  expect(readError(await ask({ url: url(), key: empty.key, body }), "INSUFFICIENT_BALANCE").details.affordableMaxTokens).toBe(0);
  const account = await openAccount({ usd: "0.0001" });
  const long = promptOf({ prompt: "many words ".repeat(5_000), clipToBalance: true });
  expect(readError(await ask({ url: url(), key: account.key, body: long }), "INSUFFICIENT_BALANCE").details.affordableMaxTokens).toBe(0);
});

test("the key's cap clips like the balance, and the lower of both decides", async () => {
  const body = promptOf({ maxTokens: FULL, clipToBalance: true });
  const cap = { nanoUsd: parseUsd(await usdFor(400)), period: "day" as const };
  const capped = await openAccount({ key: { cap } });
  await expectClipped(await ask({ url: url(), key: capped.key, body }), 400, capped);
  readError(await ask({ url: url(), key: capped.key, body: promptOf({ maxTokens: FULL }) }), "SPEND_CAP_REACHED");

  const both = await openAccount({ usd: await usdFor(600), key: { cap } });
  await expectClipped(await ask({ url: url(), key: both.key, body }), 400, both);
  const poorer = await openAccount({ usd: await usdFor(300), key: { cap } });
  await expectClipped(await ask({ url: url(), key: poorer.key, body }), 300, poorer);

  const tiny = await openAccount({ key: { cap: { ...cap, nanoUsd: parseUsd(await usdFor(255)) } } });
  readError(await ask({ url: url(), key: tiny.key, body }), "SPEND_CAP_REACHED");
  await expectUncharged(tiny);
});

test("maxCost clips, too: what it allows is used instead of a refusal, down to the minimum", async () => {
  const account = await openAccount();
  const maxCost = Number(await usdFor(500));
  await expectClipped(
    await ask({ url: url(), key: account.key, body: promptOf({ maxTokens: FULL, clipToBalance: true, maxCost }) }),
    500,
    account,
  );
  readError(await ask({ url: url(), key: account.key, body: promptOf({ maxTokens: FULL, maxCost }) }), "INVALID_REQUEST");
  const less = Number(await usdFor(255));
  const refused = await ask({ url: url(), key: account.key, body: promptOf({ maxTokens: FULL, clipToBalance: true, maxCost: less }) });
  expect(readError(refused, "INVALID_REQUEST").details.reason).toBe("max_cost_exceeded");
});

test("the body wins over the header, and the header over the key", async () => {
  const usd = await usdFor(700);
  const off = await openAccount({ usd, key: { clipMinTokens: 256 } });
  const on = { "x-clip-to-balance": "true" };
  const asked = (key: string, fields: object, headers: Record<string, string> = {}) =>
    ask({ url: url(), key, headers, body: promptOf({ maxTokens: FULL, ...fields }) });
  readError(await asked(off.key, { clipToBalance: false }, on), "INSUFFICIENT_BALANCE");
  readError(await asked(off.key, {}, { "x-clip-to-balance": "false" }), "INSUFFICIENT_BALANCE");
  await expectClipped(await asked(off.key, { clipToBalance: true }, { "x-clip-to-balance": "false" }), 700, off);
});

test("a changed setting of a key counts from the next request, in this process at once", async () => {
  const account = await openAccount({ usd: await usdFor(700) });
  const body = promptOf({ maxTokens: FULL });
  readError(await ask({ url: url(), key: account.key, body }), "INSUFFICIENT_BALANCE");
  await changeKey(account.keyId, { clipMinTokens: 256 });
  await expect.poll(async () => (await ask({ url: url(), key: account.key, body })).status, { interval: 20, timeout: 30_000 }).toBe(200);
  await expectPaid(account);
});

test.each(["", "yes", "1", "true, true", "null"])("the header %j is refused", async (value) => {
  const { key } = await openAccount();
  const answer = await ask({ url: url(), key, headers: { "x-clip-to-balance": value }, body: promptOf() });
  expect(readError(answer, "INVALID_REQUEST").details.issues).toEqual([{ path: "X-Clip-To-Balance", message: "must be true or false" }]);
});

test.each(["true", 1, null, {}])("the field %j is refused", async (clipToBalance) => {
  const { key } = await openAccount();
  const { details } = readError(await ask({ url: url(), key, body: promptOf({ clipToBalance }) }), "INVALID_REQUEST");
  expect(details.issues).toMatchObject([{ path: "clipToBalance" }]);
});

describe("a chat completion without an output limit", () => {
  const body = chatOf();

  test("has 16,384 tokens, or the model's maximum if that is lower", async () => {
    const { key } = await openAccount();
    expectWhole(await ask({ url: url(), key, path: chatPath, body }));
    expect(await lastLimit()).toBe(16_384);
    expectWhole(await ask({ url: url(), key, path: chatPath, body: { ...body, model: "gpt-4" } }));
    expect(await lastLimit()).toBe(Math.min(16_384, modelOf("gpt-4").maxOutputTokens));
    expectWhole(await ask({ url: url(), key, body: promptOf() }));
    expect(await lastLimit()).toBe(1_024);
  });

  test("is clipped to what fits although nobody asked for it; a limit that was named is not", async () => {
    const account = await openAccount({ usd: "0.002" });
    const named = await ask({ url: url(), key: account.key, path: chatPath, body: { ...body, max_tokens: 16_384 } });
    expect(named.status).toBe(402);
    const answer = await ask({ url: url(), key: account.key, path: chatPath, body: { ...body, clipToBalance: false } });
    const limit = Number(answer.headers.get("x-clipped-to"));
    expect(limit).toBeGreaterThan(256);
    await expectClipped(answer, limit, account);
    const capped = await ask({ url: url(), key: account.key, path: chatPath, body: { ...body, maxCost: 0.0005 } });
    expect(Number(capped.headers.get("x-clipped-to"))).toBeGreaterThanOrEqual(256);
  });

  test("is refused only once not even the minimum fits", async () => {
    const account = await openAccount({ usd: "0.0001" });
    expect((await ask({ url: url(), key: account.key, path: chatPath, body })).status).toBe(402);
    await expectUncharged(account);
  });
});

test("parallel agents on a small balance: each request is answered or refused, refused ones pass later, and the books are exact", async () => {
  const body = misbehaving("tokens=30 delay=20", { maxTokens: FULL, clipToBalance: true });
  // Less than one of them would hold without a clip.
  const account = await openAccount({ usd: await usdFor(4_000, misbehaving("tokens=30 delay=20")) });
  readError(await ask({ url: url(), key: account.key, body: { ...body, clipToBalance: false } }), "INSUFFICIENT_BALANCE");
  const agents = Array.from({ length: 8 }, async (_, agent) => {
    const limits: number[] = [];
    while (limits.length < 3) {
      const answer = await ask({ url: url(entryNames[agent % 2]), key: account.key, body });
      if (answer.status === 200) limits.push(Number(answer.headers.get("x-clipped-to")));
      // Refused only while the others hold what there is: a minimum would not have fitted.
      else expect(readError(answer, "INSUFFICIENT_BALANCE").details.affordableMaxTokens).toBeLessThan(256);
      expect(await balanceOf(account.accountId)).toBeGreaterThanOrEqual(0n);
    }
    return limits;
  });
  for (const limit of (await Promise.all(agents)).flat()) {
    expect(limit).toBeGreaterThanOrEqual(256);
    expect(limit).toBeLessThanOrEqual(4_000);
  }
  expect(await chargesOf(account.accountId)).toHaveLength(24);
  await expectPaid(account);
});

describe("a quote", () => {
  const quote = async (key: string, fields: object = {}) => {
    const { text } = await ask({ url: url(), key, path: "/api/v1/quote", body: promptOf({ maxTokens: FULL, ...fields }) });
    return JSON.parse(text) as { clippedTo: number | null; capLeft: number | null; covered: boolean };
  };

  test("says what a clip would make of the body: by balance, cap and maxCost", async () => {
    const { key } = await openAccount();
    expect(await quote(key)).toMatchObject({ clippedTo: FULL, capLeft: null, covered: true });
    expect(await quote(key, { maxCost: Number(await usdFor(800)) })).toMatchObject({ clippedTo: 800 });
    const poor = await openAccount({ usd: await usdFor(700) });
    expect(await quote(poor.key)).toMatchObject({ clippedTo: 700, covered: false });
    const poorer = await openAccount({ usd: await usdFor(255) });
    expect(await quote(poorer.key)).toMatchObject({ clippedTo: null, covered: false });
    const own = await openAccount({ usd: await usdFor(255), key: { clipMinTokens: 100 } });
    expect(await quote(own.key)).toMatchObject({ clippedTo: 255 });
  });

  test("counts what the key has spent and what is left of its cap, to the nano-dollar", async () => {
    const cap = { nanoUsd: parseUsd(await usdFor(1_000)), period: "month" as const };
    const account = await openAccount({ key: { cap } });
    expect(await quote(account.key)).toMatchObject({ clippedTo: 1_000, covered: true, capLeft: Number(usdText(cap.nanoUsd)) });
    const answer = await ask({ url: url(), key: account.key, body: promptOf({ maxTokens: FULL, clipToBalance: true }) });
    expect(answer.headers.get("x-clipped-to")).toBe("1000");
    const [charge] = await chargesOf(account.accountId);
    const left = cap.nanoUsd - (charge?.input_cost ?? 0n) - (charge?.output_cost ?? 0n);
    const after = await quote(account.key);
    expect(after.capLeft).toBe(Number(usdText(nanoUsd(left))));
    const next = await ask({ url: url(), key: account.key, body: promptOf({ maxTokens: FULL, clipToBalance: true }) });
    expect(next.headers.get("x-clipped-to")).toBe(String(after.clippedTo));
  });
});

test.each([
  ["/api/v1/chat/completions", { messages: [{ role: "user", content: QUESTION }], max_tokens: 10_000_000 }],
  ["/api/v1/chat/completions", { messages: [{ role: "user", content: QUESTION }], max_completion_tokens: 10_000_000 }],
  ["/api/v1/responses", { input: QUESTION, max_output_tokens: 10_000_000 }],
  ["/api/v1/messages", { messages: [{ role: "user", content: QUESTION }], max_tokens: 10_000_000 }],
])("%s takes a limit above the model's maximum as the maximum, and says so", async (path, body) => {
  const account = await openAccount();
  const answer = await ask({ url: url(), key: account.key, path, body: { model: model.id, ...body } });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expect(answer.headers.get("x-clipped-to")).toBe(String(model.maxOutputTokens));
  expect(await lastLimit()).toBe(model.maxOutputTokens);
  await expectPaid(account);
});
