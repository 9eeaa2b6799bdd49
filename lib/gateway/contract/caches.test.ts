// Prompt caches of different accounts are kept apart: what a provider is told of an account, and what its cache then counts.

import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { endpoints, setEndpoints } from "@/lib/providers/endpoints";
import { openAccount } from "./testing/accounts";
import { chargesOf } from "./testing/books";
import { type Answer, ask, promptOf } from "./testing/client";
import { recordRequests } from "./testing/recorder";
import { openService } from "./testing/service";
import { openX402, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);
const openai = await recordRequests(endpoints(), "openai");
const deepseek = await recordRequests(openai.endpoints, "deepseek");
const restore = setEndpoints(deepseek.endpoints);

beforeEach(() => {
  for (const { requests } of [openai, deepseek]) requests.length = 0;
});
afterAll(async () => {
  restore();
  await Promise.all([openai.stop(), deepseek.stop()]);
});

const messages = [{ role: "user", content: "Hello" }];
const forms = [
  { name: "chat completions", path: undefined, body: promptOf(), recorder: openai, field: "prompt_cache_key" },
  {
    name: "Responses",
    path: "/api/v1/messages",
    body: { model: "gpt-6-luna", max_tokens: 64, messages },
    recorder: openai,
    field: "prompt_cache_key",
  },
  { name: "DeepSeek", path: undefined, body: promptOf({ model: "deepseek-chat" }), recorder: deepseek, field: "user_id" },
];

test.each(forms)(
  "over $name two accounts send different values, and the keys of one account equal ones",
  async ({ path, body, recorder, field }) => {
    const [one, other] = [await openAccount(), await openAccount()];
    const second = await createKey({ accountId: one.accountId, name: "second" });
    for (const key of [one.key, second.key, other.key, one.key]) await succeed(ask({ url: service.url("node"), key, path, body }));
    const scopes = recorder.requests.map((request) => request.body[field]);
    expect(scopes).toEqual([scopes[0], scopes[0], scopes[2], scopes[0]]);
    expect(scopes[2]).not.toBe(scopes[0]);
    for (const scope of scopes) expect(scope).toMatch(/^[A-Za-z0-9_-]{43}$/);
    for (const { body: sent, headers } of recorder.requests) {
      const all = JSON.stringify([sent, headers]);
      for (const name of [one.accountId, one.keyId, other.accountId]) expect(all).not.toContain(name);
    }
  },
);

test("over x402 the account is the address that pays, by its payment and by its credit", async () => {
  const [one, other] = [await x402.newPayer(), await x402.newPayer()];
  const body = promptOf({ maxTokens: 100 });
  for (const payer of [one, one, other]) await succeed(x402.sign(payer, body).then((payment) => x402.send(body, payment)));
  const scopes = openai.requests.map((request) => request.body.prompt_cache_key);
  expect(scopes).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), scopes[0], expect.any(String)]);
  expect(scopes[2]).not.toBe(scopes[0]);
});

test("a text that another account sent is not read from its cache", async () => {
  const [one, other] = [await openAccount(), await openAccount()];
  for (const model of ["gpt-4o-mini", "deepseek-chat"]) {
    const content = `${randomUUID()} ${"alpha ".repeat(3_000)}`;
    const body = { model, max_tokens: 20, messages: [{ role: "user", content }] };
    for (const { key } of [one, one, other]) await succeed(ask({ url: service.url("node"), key, path: "/api/v1/chat/completions", body }));
  }
  const cached = async ({ accountId }: typeof one) => (await chargesOf(accountId)).map((charge) => charge.cached_input_tokens > 0n);
  expect(await cached(one)).toEqual([false, true, false, true]);
  expect(await cached(other)).toEqual([false, false]);
});

async function succeed(asked: Promise<Answer>): Promise<void> {
  const { status, text } = await asked;
  expect(status, text).toBe(200);
}
