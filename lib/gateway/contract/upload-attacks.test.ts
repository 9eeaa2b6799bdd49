// Large bodies of strangers: without money none is read, and however many are announced, a customer's is read at once.

import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { nanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";
import { postTransfer } from "@/lib/ledger/transfers";
import { openAccount, type TestAccount } from "./testing/accounts";
import { balanceOf, chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { ask, QUESTION } from "./testing/client";
import { dataUrl, png } from "./testing/pictures";
import { type EntryName, entryNames, openService } from "./testing/service";

const service = await openService({ requestTimeoutMs: 60_000 });
const path = "/api/v1/chat/completions";
const MIB = 1_048_576;

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const headOf = (key: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, "host: x", `authorization: Bearer ${key}`, "content-type: application/json", ...headers, "", ""].join("\r\n");

/** Sends these bytes and no more; resolves with the beginning of the answer. */
function begin(entry: EntryName, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(service.url(entry)).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write(bytes);
  return new Promise((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString())));
}

const picture = (bytes: number) => ({ type: "image_url", image_url: { url: dataUrl(png(640, 480, bytes)) } });
const chatOf = (bytes: number) => ({
  model: "gpt-4o",
  max_tokens: 20,
  messages: [{ role: "user", content: [picture(bytes), { type: "text", text: QUESTION }] }],
});

const send = (entry: EntryName, { key }: TestAccount, headers?: Record<string, string>, endpoint = path) =>
  ask({ url: service.url(entry), key, path: endpoint, headers, body: chatOf(2 * MIB) });

describe.each(entryNames)("through the %s server", (entry) => {
  test("a key without money gets 402 for a large body before a byte of it is sent, and its owner hears of it once", async () => {
    const account = await openAccount({ usd: "0" });
    for (const _ of [1, 2]) {
      const answer = await begin(entry, headOf(account.key, `content-length: ${31 * MIB}`));
      expect(answer).toMatch(/^HTTP\/1\.1 402 /);
      expect(answer).toContain('"code":"INSUFFICIENT_BALANCE"');
    }
    // curl asks before it sends so much: it is not told to go on.
    const asking = headOf(account.key, `content-length: ${31 * MIB}`, "expect: 100-continue");
    expect(await begin(entry, asking)).toMatch(entry === "node" ? /^HTTP\/1\.1 402 / : /^HTTP\/1\.1 (100|402) /);
    const chunk = "a".repeat(MIB + 1);
    const chunked = headOf(account.key, "transfer-encoding: chunked");
    expect(await begin(entry, `${chunked}${chunk.length.toString(16)}\r\n${chunk}\r\n`)).toMatch(/^HTTP\/1\.1 402 /);
    const events = await prisma().event.findMany({ where: { accountId: account.accountId }, select: { type: true } });
    expect(events).toEqual([{ type: "key.created" }, { type: "balance.exhausted" }]);
    await expectUncharged(account);
  });

  test("an answer that took the last of the money is sent again for its Idempotency-Key, and nothing else is", async () => {
    const account = await openAccount();
    const headers = { "idempotency-key": "last" };
    const first = await send(entry, account, headers);
    expect(first.status, first.text).toBe(200);
    const rest = await balanceOf(account.accountId);
    const legs = [
      { account: account.accountId, amount: nanoUsd(-rest) },
      { account: "test_funding", amount: nanoUsd(rest) },
    ];
    await postTransfer({ id: `taken_${account.accountId}`, kind: "credit", legs });
    const again = await send(entry, account, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await send(entry, account, { "idempotency-key": "other" })).status).toBe(402);
    expect(await chargesOf(account.accountId)).toHaveLength(1);
  });

  test("thirty bodies of which one byte has come, of three accounts with money, delay no customer's", async () => {
    const strangers = [await openAccount(), await openAccount(), await openAccount()];
    for (let count = 0; count < 30; count++)
      void begin(entry, `${headOf(strangers[count % 3]?.key ?? "", `content-length: ${32 * MIB}`)}{`);
    const customer = await openAccount();
    const answer = await send(entry, customer);
    expect(answer.status, answer.text).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expectPaid(customer);
  });
});

test("the free count of tokens reads no large body either", async () => {
  const account = await openAccount({ usd: "0" });
  const answer = await send("node", account, {}, "/api/v1/messages/count_tokens");
  expect(answer.status, answer.text).toBe(402);
});
