// Clients that leave or stall. A stream's client pays for what it was sent, and for the input once a provider had accepted it; the provider
// is cut off at once, the slot is free again, and nothing stays held.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { findModel } from "@/lib/providers/catalogue";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import { readableOf } from "../http/reply-stream";
import { answer } from "../http/router";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, awaitNothingHeld, chargesOf, expectPaid, expectUncharged, openHolds, until } from "./testing/books";
import { ask, deltaText, misbehaving, open, promptOf, QUESTION, readEvents, readPromptBody } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService({ stallTimeoutMs: 300, env: { PROVIDER_IDLE_TIMEOUT_MS: "1000" } });
const { models } = service;
const oneSlot = { limits: { ratePerMinute: 1_000, concurrency: 1 } };

/** The slot is free again: with one slot, the next request is served. */
async function expectSlotFree(url: string, { key }: TestAccount): Promise<void> {
  await until("the slot is free", async () => (await ask({ url, key, body: promptOf() })).status === 200);
}

/** Our count of a text, whatever the vendor: OpenAI's own for its models, and the least that others make of it for theirs. */
const leastCount = (text: string): number => Math.floor(0.89 * trueCount.o200k(text));

const priceOf = (model: string) => {
  const found = findModel(model);
  if (!found) throw new Error(`no model ${model}`);
  return found;
};

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  /** Reads the stream's first event and leaves; resolves with the text received so far. */
  async function readAndLeave(account: TestAccount, body: object): Promise<string> {
    const leave = new AbortController();
    const response = await open({ url, key: account.key, body, signal: leave.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    leave.abort();
    return new TextDecoder().decode(value);
  }

  test.each(["gpt-4o-mini", "claude-haiku-4-5", "grok", "deepseek-chat"])(
    "%s: an abandoned stream is cut at the provider and charged as far as it got",
    async (model) => {
      const account = await openAccount(oneSlot);
      await models.clear();
      const body = misbehaving("slow=100 tokens=500", { stream: true, model });
      const seen = deltaText(readEvents(await readAndLeave(account, body)));
      const charge = await awaitCharge(account.accountId);
      expect(charge).toMatchObject({ outcome: "cancelled", streamed: true, estimated: true, operator_loss: 0n });
      // At least what the client saw, and no more than was sent by then.
      const { deltasSent } = await models.awaitCall(({ state }) => state === "aborted_by_client");
      expect(deltasSent).toBeLessThan(100);
      expect(Number(charge.output_tokens)).toBeGreaterThanOrEqual(leastCount(seen));
      expect(charge.output_cost).toBe(charge.output_tokens * priceOf(model).prices[0].output);
      await expectSlotFree(url, account);
      await expectPaid(account);
    },
  );

  test("Gemini bills a cut stream to its end: an abandoned one is read on, charged by Google's own count, and saved whole", async () => {
    const account = await openAccount(oneSlot);
    await models.clear();
    // Three seconds: a busy machine notices that the client left before the stream has ended.
    const body = misbehaving("slow=50 tokens=60", { stream: true, model: "gemini-2.5-flash-lite" });
    const headers = { "idempotency-key": "left" };
    const leave = new AbortController();
    const response = await open({ url, key: account.key, headers, body, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "cancelled", streamed: true, estimated: false, operator_loss: 0n });
    expect((await models.awaitCall(({ provider }) => provider === "gemini")).state).toBe("finished");
    await awaitNothingHeld();
    const events = readEvents((await ask({ url, key: account.key, headers, body })).text);
    expect(events.at(-1)?.event).toBe("done");
    expect(readPromptBody(events.at(-1)?.data ?? "").usage.outputTokens).toBe(Number(charge.output_tokens));
    await expectSlotFree(url, account);
    await expectPaid(account);
  });

  test("Gemini, abandoned and then silent: charged for what arrived, once it times out", async () => {
    const account = await openAccount(oneSlot);
    await models.clear();
    const seen = deltaText(
      readEvents(await readAndLeave(account, misbehaving("stall-after=2", { stream: true, model: "gemini-2.5-flash-lite" }))),
    );
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "cancelled", estimated: true });
    expect(Number(charge.output_tokens)).toBeGreaterThanOrEqual(leastCount(seen));
    await expectPaid(account);
  });

  test("a stream abandoned while the model pauses is cancelled at once", async () => {
    const account = await openAccount(oneSlot);
    await models.clear();
    await readAndLeave(account, misbehaving("stall-after=2", { stream: true }));
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled", streamed: true });
    await models.awaitCall(({ state }) => state === "aborted_by_client");
    await expectSlotFree(url, account);
    await expectPaid(account);
  });

  test("a stream abandoned before its first token: the input is charged, since the provider had accepted it", async () => {
    const account = await openAccount(oneSlot);
    await models.clear();
    const leave = new AbortController();
    const body = misbehaving("hang keep-alive=20", { stream: true });
    const response = open({ url, key: account.key, body, signal: leave.signal }).catch(() => null);
    await models.awaitCall(({ status }) => status === 200);
    await until("some keep-alive has come", async () => (await models.calls()).calls.some(({ bytesSent }) => bytesSent > 60));
    leave.abort();
    await response;
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "cancelled", output_tokens: 0n, output_cost: 0n, estimated: true });
    expect(charge.input_cost).toBe(charge.input_tokens * priceOf("gpt-4o-mini").prices[0].input);
    expect(charge.input_tokens).toBeGreaterThan(0n);
    await expectSlotFree(url, account);
    await expectPaid(account);
  });

  test("a stream abandoned before the provider has sent its headers: the input is charged, since it was sent", async () => {
    const account = await openAccount();
    await models.clear();
    const leave = new AbortController();
    const response = open({ url, key: account.key, body: misbehaving("hang", { stream: true }), signal: leave.signal }).catch(() => null);
    await models.awaitCall(({ state }) => state === "running");
    leave.abort();
    await response;
    await models.awaitCall(({ state }) => state === "aborted_by_client");
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "cancelled", provider: "openai", output_tokens: 0n, estimated: true });
    expect(charge.input_cost).toBeGreaterThan(0n);
    await expectPaid(account);
  });

  test("a stream abandoned while its provider refuses it, and before it is tried again, costs nothing", async () => {
    const account = await openAccount();
    await models.clear();
    process.env.PROVIDER_RETRIES = "5";
    forgetSingleton("config");
    try {
      const leave = new AbortController();
      const body = misbehaving("status=503 retry-after=2", { stream: true });
      const response = open({ url, key: account.key, body, signal: leave.signal }).catch(() => null);
      await models.awaitCall(({ status }) => status === 503);
      await sleep(200); // the answer has arrived, and the next try waits for two seconds
      leave.abort();
      await response;
      await expectUncharged(account);
    } finally {
      process.env.PROVIDER_RETRIES = "0";
      forgetSingleton("config");
    }
  });

  test("a stream that is read on for a client that left, and that its provider refuses by itself, costs nothing", async () => {
    const account = await openAccount();
    await models.clear();
    const leave = new AbortController();
    const body = misbehaving("delay=700 status=503", { stream: true, model: "gpt-5.4" });
    const response = open({ url, key: account.key, body, signal: leave.signal }).catch(() => null);
    await models.awaitCall(({ state }) => state === "running");
    leave.abort();
    await response;
    await models.awaitCall(({ status }) => status === 503);
    await expectUncharged(account);
  });

  test.each(["gpt-5.4", "claude-opus-5", "deepseek-v4-pro"])(
    "%s may reason: a stream that its client left is read on, keeps its slot, and is charged by the provider's count",
    async (model) => {
      const account = await openAccount({ ...oneSlot, usd: "50" });
      await models.clear();
      const body = misbehaving("reasoning=4000 slow=50 tokens=80", { stream: true, model, maxTokens: 8_000 });
      const leave = new AbortController();
      const response = await open({ url, key: account.key, body, signal: leave.signal });
      await response.body?.getReader().read();
      leave.abort();
      const early = await ask({ url, key: account.key, body: promptOf() });
      expect(early.status).toBe(429);
      const charge = await awaitCharge(account.accountId);
      expect(charge).toMatchObject({ outcome: "cancelled", estimated: false, operator_loss: 0n });
      expect(Number(charge.output_tokens)).toBeGreaterThanOrEqual(4_000);
      expect((await models.awaitCall(({ state }) => state === "finished")).state).toBe("finished");
      await expectSlotFree(url, account);
      await expectPaid(account);
    },
  );

  test("an abandoned JSON request is finished and charged in full", async () => {
    const account = await openAccount(oneSlot);
    await models.clear();
    const leave = new AbortController();
    const response = open({ url, key: account.key, body: misbehaving("delay=300"), signal: leave.signal }).catch(() => null);
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    leave.abort();
    await response;
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "complete", streamed: false, estimated: false });
    expect((await models.awaitCall(({ question }) => question.startsWith(QUESTION))).state).toBe("finished");
    await expectSlotFree(url, account);
    await expectPaid(account);
  });

  test("a stream's body that is never read leaks nothing once it is cancelled", async () => {
    const account = await openAccount(oneSlot);
    const response = await open({ url, key: account.key, body: misbehaving("slow=100", { stream: true }) });
    await response.body?.cancel();
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled" });
    await expectSlotFree(url, account);
    await expectPaid(account);
  });

  test("a client that is gone when its answer arrives is charged exactly once", async () => {
    const account = await openAccount();
    await readAndLeave(account, misbehaving("slow=20", { stream: true }));
    await awaitCharge(account.accountId);
    await awaitNothingHeld();
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });
});

test("a stream that Next gets and never reads: charged for the little that was prepared, and its slot is free", async () => {
  const account = await openAccount(oneSlot);
  await models.clear();
  const reply = await answer({
    method: "POST",
    path: "/api/v1/prompt",
    query: "",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    readBody: () => ({ text: JSON.stringify(misbehaving("slow=20 tokens=500", { stream: true })) }),
    remoteAddress: "127.0.0.1",
    signal: new AbortController().signal,
  });
  if (typeof reply.body === "string") throw new Error(`no stream: ${reply.body}`);
  const unread = readableOf(reply, reply.body, 200);
  expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled", streamed: true, estimated: true });
  expect((await models.awaitCall(({ state }) => state === "aborted_by_client")).deltasSent).toBeLessThan(100);
  expect(unread.locked).toBe(false);
  await expectSlotFree(service.url("next"), account);
  await expectPaid(account);
});

// Chunks of Chat Completions, since they are large: what the system and both ends keep for a connection is full after some of them. Of an
// answer that is read on every token is handled, so it is no longer than that takes.
test.each([
  ["cut at the provider", { reasoning_effort: "none" }, 200_000, { estimated: true }],
  ["read on, since its model may reason", {}, 50_000, { estimated: false }],
])("a client that never reads is cut off and pays like one that left, for a stream that is %s", async (_, fields, tokens, charged) => {
  const account = await openAccount({ ...oneSlot, usd: "50" });
  await models.clear();
  const messages = [{ role: "user", content: `${QUESTION} [[simulate: tokens=${tokens}]]` }];
  const body = JSON.stringify({ model: "deepseek-flash", messages, stream: true, max_tokens: 300_000, ...fields });
  const { hostname, port } = new URL(service.url("node"));
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.on("error", () => undefined);
  try {
    const head = `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\ncontent-type: application/json`;
    socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled", streamed: true, ...charged });
    await expectSlotFree(service.url("node"), account);
    await expectPaid(account);
  } finally {
    socket.destroy();
  }
});
