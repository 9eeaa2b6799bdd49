// Streams on real sockets: clients that do not read, read slowly or leave after any number of bytes. The backlog of a client stays
// small, what was delivered is charged once, and nothing stays held.

import { once as nextEvent } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { collectGarbage } from "@/lib/base/testing/collect-garbage";
import { openAccount, type TestAccount } from "@/lib/gateway/contract/testing/accounts";
import { awaitCharge, awaitNothingHeld, chargesOf, expectPaid, openHolds, until } from "@/lib/gateway/contract/testing/books";
import { ask, deltaText, misbehaving, promptOf, readCosts, readEvents, readPromptBody } from "@/lib/gateway/contract/testing/client";
import { entryNames, openService } from "@/lib/gateway/contract/testing/service";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import { countTokens } from "@/lib/providers/token-count/token-counter";
import { MAX_STALLED_STREAMS_RSS_MB } from "@/lib/tidy/limits";
import { createHttpServer } from "./http-server";

const STALL_MS = 500;
const service = await openService({ stallTimeoutMs: STALL_MS });
const oneSlot = { limits: { ratePerMinute: 1_000, concurrency: 1 } };

interface LocalServer {
  path: string;
  /** Every response that was begun, in the order of the requests. */
  responses: ServerResponse[];
}

/** The HTTP server on a Unix socket, whose kernel buffers hold a few kilobytes where TCP's hold megabytes. */
async function openLocalServer(): Promise<LocalServer> {
  const path = join(inject("scratch"), `httpServer-${process.pid}.sock`);
  const responses: ServerResponse[] = [];
  const httpServer: Server = createHttpServer({ pages: async () => undefined, stallTimeoutMs: STALL_MS });
  httpServer.prependListener("request", (_message, response) => void responses.push(response));
  httpServer.listen(path);
  await nextEvent(httpServer, "listening");
  onTestFinished(() => {
    httpServer.close();
    httpServer.closeAllConnections();
  });
  return { path, responses };
}

/** The raw HTTP text of a prompt request. */
function requestText({ key }: TestAccount, body: object, headers: readonly string[] = []): string {
  const text = JSON.stringify(body);
  const lines = ["host: x", `authorization: Bearer ${key}`, "content-type: application/json", `content-length: ${Buffer.byteLength(text)}`];
  return `POST /api/v1/prompt HTTP/1.1\r\n${[...lines, ...headers].join("\r\n")}\r\n\r\n${text}`;
}

/** Connects without reading. */
function connectPaused(path: string): Socket {
  const socket = connect(path);
  socket.pause();
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe("back-pressure", () => {
  // A model that does not reason: another one would be read on to its end.
  const long = misbehaving("tokens=20000", { stream: true, model: "claude-haiku-4-5", maxTokens: 30_000 });
  const rssMb = () => process.memoryUsage.rss() / 1e6;

  test("fifty clients that never read: a few kilobytes wait for each, and each counts as gone after the stall timeout", async () => {
    const { path, responses } = await openLocalServer();
    const accounts = await Promise.all(Array.from({ length: 50 }, () => openAccount({ ...oneSlot, usd: "50" })));
    // The tokenizer, which the first charge loads, is no stream's memory.
    await countTokens({ encoding: "o200k", groups: [["a"]], tools: "" }, undefined);
    const rssBefore = rssMb();
    let mostWaiting = 0;
    let mostRss = 0;
    const look = setInterval(() => {
      mostWaiting = Math.max(mostWaiting, ...responses.map((response) => response.writableLength));
      mostRss = Math.max(mostRss, rssMb());
    }, 5);
    onTestFinished(() => clearInterval(look));
    for (const account of accounts) connectPaused(path).write(requestText(account, long));
    // A timeout that only weak references hold is lost when the garbage collector runs.
    await until("some stall", async () => responses.some((response) => response.writableNeedDrain));
    collectGarbage();
    for (const { accountId } of accounts) {
      const charge = await awaitCharge(accountId);
      expect(charge).toMatchObject({ outcome: "cancelled", streamed: true, estimated: true, operator_loss: 0n });
      // Part of it was delivered, and far less than the whole.
      expect(charge.output_tokens).toBeGreaterThan(0n);
      expect(charge.output_tokens).toBeLessThan(10_000n);
    }
    expect(responses.map(({ destroyed }) => destroyed)).toEqual(accounts.map(() => true));
    expect(mostWaiting).toBeGreaterThan(0);
    expect(mostWaiting).toBeLessThan((responses[0]?.writableHighWaterMark ?? 0) + 4_096);
    expect(mostRss - rssBefore).toBeLessThan(MAX_STALLED_STREAMS_RSS_MB);
    // One slot each: a second request is served only once the first one's slot is free.
    const url = service.url("node");
    await Promise.all(
      accounts.map(({ key }) => until("the slot is free", async () => (await ask({ url, key, body: promptOf() })).status === 200)),
    );
    for (const account of accounts) await expectPaid(account);
  });

  test("a client that reads slowly, but reads, gets its whole stream", async () => {
    const { path, responses } = await openLocalServer();
    const account = await openAccount(oneSlot);
    const socket = connectPaused(path);
    socket.write(requestText(account, misbehaving("tokens=16000", { stream: true, maxTokens: 16_000 }), ["connection: close"]));
    const response = await until("it is answered", async () => responses[0]);
    let received = "";
    let waits = 0;
    while (!socket.readableEnded) {
      // The client reads only when the server has to wait for it.
      await until("the httpServer waits, or is done", async () => response.writableLength > 0 || response.writableFinished);
      if (response.writableNeedDrain) waits++;
      received += socket.read() ?? "";
      await nextTurn();
    }
    expect(waits).toBeGreaterThan(1);
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "complete", estimated: false });
    expect(readPromptBody(/event: done\ndata: ([^\n]*)\n/.exec(received)?.[1] ?? "").usage.outputTokens).toBe(Number(charge.output_tokens));
    await expectPaid(account);
  });
});

describe("JSON of a megabyte", () => {
  const long = misbehaving("tokens=200000", { model: "deepseek-flash", maxTokens: 300_000 });

  test("an answer that its client never reads does not wait forever", async () => {
    const { path, responses } = await openLocalServer();
    const account = await openAccount({ ...oneSlot, usd: "50" });
    connectPaused(path).write(requestText(account, long));
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "complete", streamed: false });
    await until("it was cut off", async () => responses[0]?.destroyed);
    await expectPaid(account);
  });

  test("an answer read late arrives whole, and its connection keeps serving, however long the next answer takes", async () => {
    const { path, responses } = await openLocalServer();
    const account = await openAccount({ ...oneSlot, usd: "50" });
    const socket = connectPaused(path);
    socket.write(requestText(account, long));
    await until("it waits", async () => (responses[0]?.writableLength ?? 0) > 0);
    socket.write(requestText(account, misbehaving(`delay=${2 * STALL_MS}`)));
    await until("the next is under way", async () => (await openHolds(account.accountId)) === 1);
    const connection = responses[0]?.req.socket;
    socket.resume();
    await until("both have gone out", async () => responses.length === 2 && responses.every((response) => response.writableFinished));
    expect(connection?.destroyed).toBe(false);
    expect(connection?.timeout).toBeGreaterThanOrEqual(65_000); // as for any idle connection
    await awaitNothingHeld();
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });
});

const replayable = { "idempotency-key": "left somewhere" };
const CUTS = 60;
const TOKENS = 40;

interface Cut {
  account: TestAccount;
  /** Everything that arrived before the connection was cut. */
  raw: string;
}

interface Leaving {
  url: string;
  body: object;
  /** Bytes of the answer, headers included. */
  afterBytes: number;
}

/** Sends the request of a new account, and cuts the connection after this many bytes of the answer, or at its end. */
async function leave({ url, body, afterBytes }: Leaving): Promise<Cut> {
  const account = await openAccount(oneSlot);
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const received: Buffer[] = [];
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    if (afterBytes === 0) return;
    received.push(chunk.subarray(0, afterBytes - bytes));
    bytes += chunk.length;
    if (bytes >= afterBytes) socket.destroy();
  });
  const closed = nextEvent(socket, "close");
  const name = Object.entries(replayable).map(([header, value]) => `${header}: ${value}`);
  socket.write(requestText(account, body, [...name, "connection: close"]));
  if (afterBytes === 0) {
    const { accountId } = account;
    await until("it is under way", async () => (await openHolds(accountId)) + (await chargesOf(accountId)).length > 0);
    socket.destroy();
  }
  await closed;
  return { account, raw: Buffer.concat(received).toString() };
}

const seenText = (raw: string): string =>
  [...raw.matchAll(/event: delta\ndata: ([^\n]*)\n/g)].map(([, data]) => (JSON.parse(data ?? "") as { text: string }).text).join("");

/** What the contract promises for an abandoned stream: its charge, and its replay. Resolves with the charge's outcome. */
async function expectSettled({ account, raw }: Cut, url: string, body: object): Promise<string> {
  const charges = await chargesOf(account.accountId);
  const again = await ask({ url, key: account.key, headers: replayable, body });
  const events = readEvents(again.text);
  const last = events.at(-1);
  const [charge] = charges;
  expect(again.status).toBe(200);
  expect(again.headers.get("idempotent-replayed")).toBe(charge ? "true" : null);
  if (!charge) {
    // The client left before the provider took the request: nothing was stored, and the key may be used again.
    expect([raw, last?.event]).toEqual(["", "done"]);
    await expectPaid(account);
    return "none";
  }
  const isWhole = !charge.estimated;
  expect(["complete", "cancelled"]).toContain(charge.outcome);
  if (charge.outcome === "complete" || raw.includes("event: done")) expect(charge).toMatchObject({ outcome: "complete", estimated: false });
  expect(deltaText(events).startsWith(seenText(raw))).toBe(true);
  expect(Number(charge.output_tokens)).toBeGreaterThanOrEqual(isWhole ? TOKENS : trueCount.o200k(seenText(raw)));
  expect(last?.event).toBe(isWhole ? "done" : "error");
  expect(readCosts(last?.data ?? "").totalCost).toBe(charge.input_cost + charge.output_cost);
  if (isWhole) expect(readPromptBody(last?.data ?? "").text).toBe(deltaText(events));
  expect(await chargesOf(account.accountId)).toEqual(charges);
  expect(charges).toHaveLength(1);
  await expectPaid(account);
  return charge.outcome;
}

describe.each(entryNames)("through the %s entry", (httpServer) => {
  const url = service.url(httpServer);

  // An OpenAI call is aborted with its client; Google bills the whole answer anyway, so its call is read to the end.
  test.each(["gpt-4o-mini", "gemini-2.5-flash-lite"])(
    "%s: a stream abandoned after any number of bytes is charged once for what was delivered, and replays the same",
    async (model) => {
      const body = misbehaving(`slow=12 tokens=${TOKENS}`, { stream: true, model });
      const { raw, account } = await leave({ url, body, afterBytes: Number.POSITIVE_INFINITY });
      expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "complete", output_tokens: BigInt(TOKENS) });
      const length = Buffer.byteLength(raw);
      const lengths = Array.from({ length: CUTS }, (_, place) => Math.round((place * length) / (CUTS - 1)));
      const cuts = await Promise.all(lengths.map((afterBytes) => leave({ url, body, afterBytes })));
      await awaitNothingHeld();
      const outcomes = new Map<string, number>();
      for (const cut of cuts) {
        const outcome = await expectSettled(cut, url, body);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      expect(outcomes.get("complete")).toBeGreaterThan(0);
      // Most of them on an idle machine; on a busy one many streams end before the disconnect is noticed.
      expect(outcomes.get("cancelled")).toBeGreaterThan(CUTS / 6);
    },
  );

  test("a client that closes its sending side mid-stream counts as gone", async () => {
    const account = await openAccount(oneSlot);
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write(requestText(account, misbehaving("slow=50 tokens=500", { stream: true })));
    await nextEvent(socket, "data");
    socket.end().resume();
    await nextEvent(socket, "close");
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled" });
    await expectPaid(account);
  });
});
