// Idempotency-Key through both HTTP servers: a repeated request gets the first answer and is charged once, as JSON and as a stream, even
// when the first client was gone or the stream broke off.

import { describe, expect, test } from "vitest";
import type { KeyScope } from "@/lib/access/find-key";
import { createKey } from "@/lib/access/keys";
import { pool } from "@/lib/db/pool";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, awaitNothingHeld, chargesOf, expectPaid, expectUncharged, openHolds, until } from "./testing/books";
import {
  type Answer,
  ask,
  deltaText,
  expectCommonHeaders,
  misbehaving,
  open,
  promptOf,
  readCosts,
  readError,
  readErrorBody,
  readEvents,
  readPromptBody,
} from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const once = { "idempotency-key": "order 66 / first" };

function expectReplay(again: Answer, first: Answer, requestId: string): void {
  expect(again.status).toBe(first.status);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect(again.headers.get("server-timing")).toMatch(/^gateway;dur=\d+\.\d+, provider;dur=0\.00$/);
  expectCommonHeaders(again.headers, requestId);
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test("JSON: the same answer, byte for byte, and one charge", async () => {
    const account = await openAccount();
    const send = () => ask({ url, key: account.key, headers: once, body: promptOf() });
    const first = await send();
    for (const again of [await send(), await send()]) {
      expect(again.text).toBe(first.text);
      expectReplay(again, first, readPromptBody(first.text).requestId);
    }
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("a stream: the same text and the same last event, and one charge", async () => {
    const account = await openAccount();
    const send = () => ask({ url, key: account.key, headers: once, body: promptOf({ stream: true }) });
    const first = await send();
    const again = await send();
    expect(deltaText(readEvents(again.text))).toBe(deltaText(readEvents(first.text)));
    expect(readEvents(again.text).at(-1)).toEqual(readEvents(first.text).at(-1));
    expectReplay(again, first, readPromptBody(readEvents(first.text).at(-1)?.data ?? "").requestId);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("a replay costs nothing, so it needs no balance", async () => {
    const account = await openAccount({ usd: "0.0007" });
    const send = () => ask({ url, key: account.key, headers: once, body: promptOf() });
    expect((await send()).status).toBe(200);
    readError(await ask({ url, key: account.key, body: promptOf({ maxTokens: 4_000 }) }), "INSUFFICIENT_BALANCE");
    expect((await send()).headers.get("idempotent-replayed")).toBe("true");
    await expectPaid(account);
  });

  test("another body under the same key is refused, even if it differs by one space", async () => {
    const account = await openAccount();
    await ask({ url, key: account.key, headers: once, body: promptOf() });
    for (const body of [promptOf({ maxTokens: 9 }), `${JSON.stringify(promptOf())} `, promptOf({ stream: true })]) {
      const { details } = readError(await ask({ url, key: account.key, headers: once, body }), "INVALID_REQUEST");
      expect(details).toMatchObject({ reason: "idempotency_mismatch", issues: [{ path: "Idempotency-Key" }] });
    }
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("the same key in another account is independent", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    for (const { key } of [one, other])
      expect((await ask({ url, key, headers: once, body: promptOf() })).headers.has("idempotent-replayed")).toBe(false);
    await expectPaid(other);
  });

  test("REQUEST_IN_PROGRESS while the first runs, and its answer afterwards", async () => {
    const account = await openAccount();
    const send = () => ask({ url, key: account.key, headers: once, body: misbehaving("delay=500") });
    const first = send();
    await until("the first is held", async () => (await openHolds(account.accountId)) === 1);
    const between = await send();
    readError(between, "REQUEST_IN_PROGRESS");
    expect(between.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect((await first).status).toBe(200);
    expect((await send()).text).toBe((await first).text);
    await expectPaid(account);
  });

  test("a failed request stores nothing: its key may be used again, even for another body", async () => {
    const account = await openAccount();
    readError(await ask({ url, key: account.key, headers: once, body: misbehaving("status=500") }), "INTERNAL_ERROR");
    readError(await ask({ url, key: account.key, headers: once, body: "{" }), "INVALID_REQUEST");
    await expectUncharged(account);
    const answer = await ask({ url, key: account.key, headers: once, body: promptOf() });
    expect([answer.status, answer.headers.has("idempotent-replayed")]).toEqual([200, false]);
    await expectPaid(account);
  });

  test("JSON whose client is gone: finished, charged, and saved under its key", async () => {
    const account = await openAccount();
    const leave = new AbortController();
    const body = misbehaving("delay=300");
    const first = open({ url, key: account.key, headers: once, body, signal: leave.signal }).catch(() => null);
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    leave.abort();
    expect(await first).toBeNull();
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "complete" });
    await awaitNothingHeld();
    const again = await ask({ url, key: account.key, headers: once, body });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(readPromptBody(again.text).text).toMatch(/^Simulated answer/);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("a stream that broke off is replayed unchanged: its text, then its error with the cost", async () => {
    const account = await openAccount();
    const send = () => ask({ url, key: account.key, headers: once, body: misbehaving("close-midway", { stream: true }) });
    const first = await send();
    const again = await send();
    expect(deltaText(readEvents(again.text))).toBe(deltaText(readEvents(first.text)));
    const last = readEvents(again.text).at(-1);
    expect(last).toEqual(readEvents(first.text).at(-1));
    expect(last?.event).toBe("error");
    const { requestId } = readErrorBody(last?.data ?? "", "INTERNAL_ERROR");
    expectReplay(again, first, requestId);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test("a stream whose client left is replayed as far as it got, and never as a whole answer", async () => {
    const account = await openAccount();
    const leave = new AbortController();
    const body = misbehaving("slow=150", { stream: true });
    const response = await open({ url, key: account.key, headers: once, body, signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    const charge = await awaitCharge(account.accountId);
    await awaitNothingHeld();
    const events = readEvents((await ask({ url, key: account.key, headers: once, body })).text);
    expect(deltaText(events)).toMatch(/^Simulated/);
    const last = events.at(-1);
    expect(last?.event).toBe("error");
    const { details } = readErrorBody(last?.data ?? "", "INTERNAL_ERROR");
    expect(details).toMatchObject({ retryable: false });
    expect(readCosts(last?.data ?? "").totalCost).toBe(charge.input_cost + charge.output_cost);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
    await expectPaid(account);
  });

  test.each([
    ["empty", ""],
    ["256 characters", "k".repeat(256)],
    ["not ASCII", "caf\u00e9"],
    ["a tab", "a\tb"],
  ])("a key that is %s is refused, and nothing is held", async (_case, value) => {
    const account = await openAccount();
    const answer = await ask({ url, key: account.key, headers: { "idempotency-key": value }, body: promptOf() });
    expect(readError(answer, "INVALID_REQUEST").details).toMatchObject({
      reason: "idempotency_key",
      issues: [{ path: "Idempotency-Key" }],
    });
    await expectUncharged(account);
  });

  test("255 printable characters are a valid key", async () => {
    const account = await openAccount();
    const headers = { "idempotency-key": "~!'\"\\%_;--".padEnd(255, "k") };
    const first = await ask({ url, key: account.key, headers, body: promptOf() });
    expect((await ask({ url, key: account.key, headers, body: promptOf() })).text).toBe(first.text);
  });

  test("after 24 hours the key is free again", async () => {
    const account = await openAccount();
    const send = () => ask({ url, key: account.key, headers: once, body: promptOf() });
    const first = readPromptBody((await send()).text).requestId;
    await pool().query("UPDATE idempotent_reply SET expires_at = now() - interval '1 second' WHERE request_id = $1", [first]);
    expect(readPromptBody((await send()).text).requestId).not.toBe(first);
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });
});

test("an answer belongs to the key that asked for it: another gets it only if it may read the whole account, and nobody is charged twice", async () => {
  const account = await openAccount({ key: { scopes: ["prompt", "read"] } });
  const [other, reader] = [await keyOf(account, ["prompt", "read"]), await keyOf(account, ["prompt", "read", "account"])];
  const send = (key: string) => ask({ url: service.url("node"), key, headers: once, body: promptOf() });
  const first = await send(account.key);
  const foreign = readError(await send(other), "INVALID_REQUEST");
  expect(foreign).toMatchObject({ details: { reason: "idempotency_mismatch" }, error: expect.stringContaining("another API key") });
  for (const key of [account.key, reader]) expect((await send(key)).text).toBe(first.text);
  expect(await chargesOf(account.accountId)).toHaveLength(1);
  await expectPaid(account);
});

test("while a request runs, another key does not learn of it", async () => {
  const account = await openAccount({ key: { scopes: ["prompt", "read"] } });
  const other = await keyOf(account, ["prompt", "read"]);
  const send = (key: string) => ask({ url: service.url("node"), key, headers: once, body: misbehaving("delay=600") });
  const running = send(account.key);
  await until("it has its hold", async () => (await openHolds(account.accountId)) === 1);
  readError(await send(account.key), "REQUEST_IN_PROGRESS");
  readError(await send(other), "INVALID_REQUEST");
  expect((await running).status).toBe(200);
});

const keyOf = async ({ accountId }: TestAccount, scopes: readonly KeyScope[]) =>
  (await createKey({ accountId, name: "other", scopes })).key;
