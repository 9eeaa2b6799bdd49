// Every mistake below HTTP, byte by byte: our own HTTP server answers in JSON where the client can still be reached, closes the connection
// otherwise, and nothing is held afterwards.

import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged, inFlight, openHolds, until } from "./testing/books";
import { misbehaving, promptOf, QUESTION, readErrorBody, readEvents, readPromptBody, readRaw, sendRaw } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService({ requestTimeoutMs: 300 });

interface RawRequest {
  key?: string;
  body?: string;
  headers?: string[];
  keepOpen?: boolean;
  length?: number;
}

/** The bytes of a prompt request; `length` replaces the body's own content-length. */
function rawRequest({ key = "", body = JSON.stringify(promptOf()), headers = [], keepOpen = false, length }: RawRequest = {}): string {
  const lines = ["POST /api/v1/prompt HTTP/1.1", "host: x", `authorization: Bearer ${key}`, "content-type: application/json", ...headers];
  if (!headers.some((line) => line.startsWith("transfer-encoding"))) lines.push(`content-length: ${length ?? Buffer.byteLength(body)}`);
  if (!keepOpen) lines.push("connection: close");
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const chunked = (text: string, size: number): string => {
  const chunks = text.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
  return `${chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`;
};

function expectFault(raw: string, status: number, reason: string): void {
  const answer = readRaw(raw);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("connection")).toBe("close");
  const { details } = readErrorBody(answer.text, "INVALID_REQUEST", answer.headers);
  expect(details).toMatchObject({ reason, issues: [{ path: "" }] });
}

/** Opens a connection that the test ends. */
async function withSocket(run: (socket: Socket) => Promise<void>): Promise<void> {
  const { hostname, port } = new URL(service.url("node"));
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  try {
    await run(socket);
  } finally {
    socket.destroy();
  }
}

describe("the Node server", () => {
  const url = service.url("node");

  test.each([
    ["one of 100 KB", [`x-big: ${"a".repeat(100_000)}`]],
    ["a thousand of 100 bytes", Array.from({ length: 1_000 }, (_, at) => `x-${at}: ${"a".repeat(100)}`)],
    ["a key of 100 KB", [`authorization: Bearer pp_${"a".repeat(100_000)}`]],
  ])("headers that are too large get 431: %s", async (_case, headers) => {
    expectFault(await sendRaw(url, [rawRequest({ headers })]), 431, "headers_too_large");
  });

  test("a path of 100 KB gets 431", async () => {
    expectFault(await sendRaw(url, [`GET /api/v1/${"a".repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`]), 431, "headers_too_large");
  });

  test.each([
    ["noise", Buffer.from(Array.from({ length: 64 }, (_, at) => (at * 37) % 256))],
    ["a TLS hello", Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ["an unknown method", "PROMPT /api/v1/prompt HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["another version", "POST /api/v1/prompt HTTP/3.7\r\nhost: x\r\n\r\n"],
    ["a header without a colon", rawRequest({ headers: ["nonsense"] })],
    ["a NUL in a header", rawRequest({ headers: ["idempotency-key: a\0b"] })],
    ["a line feed in a header's name", rawRequest({ headers: ["idem\npotency: a"] })],
    ["a length that is no number", rawRequest({ length: Number.NaN })],
    ["two different lengths", rawRequest({ headers: ["content-length: 5"] })],
    ["length and chunks at once", rawRequest({ headers: ["content-length: 5", "transfer-encoding: chunked"] })],
    ["a chunk size that is no number", rawRequest({ headers: ["transfer-encoding: chunked"], body: "zz\r\n{}\r\n0\r\n\r\n" })],
  ])("invalid HTTP gets 400 in JSON: %s", async (_case, bytes) => {
    expectFault(await sendRaw(url, [bytes]), 400, "bad_http");
  });

  test("a body that stops half-way gets 408 in JSON, and nothing was held", async () => {
    const account = await openAccount();
    const body = JSON.stringify(promptOf());
    expectFault(await sendRaw(url, [rawRequest({ key: account.key, body: body.slice(0, 20), length: body.length })]), 408, "too_slow");
    expect(await openHolds(account.accountId)).toBe(0);
    await expectUncharged(account);
  });

  test("headers that stop half-way get 408 in JSON", async () => {
    expectFault(await sendRaw(url, ["POST /api/v1/prompt HTTP/1.1\r\nhost: x\r\nauthor"]), 408, "too_slow");
  });

  test.each([
    ["announced", { length: 1_000 }],
    ["in chunks", { headers: ["transfer-encoding: chunked"], body: "5\r\n{" }],
  ])("a client that leaves half-way through its body, %s, causes no request", async (_case, request) => {
    const account = await openAccount();
    await withSocket(async (socket) => {
      socket.write(rawRequest({ key: account.key, body: "{", ...request }));
      await new Promise((resolve) => setImmediate(resolve));
    });
    await expectUncharged(account);
  });

  test("pipelined requests on one connection are answered in order, each charged once", async () => {
    const account = await openAccount();
    const requests = [7, 8, 9].map((maxTokens, at) =>
      rawRequest({ key: account.key, body: JSON.stringify(promptOf({ maxTokens })), keepOpen: at < 2 }),
    );
    const raw = await sendRaw(url, [requests.join("")]);
    const bodies = raw
      .split("HTTP/1.1 200 OK\r\n")
      .slice(1)
      .map((part) => readPromptBody(readRaw(`HTTP/1.1 200 OK\r\n${part}`).text));
    expect(bodies.map(({ usage }) => usage.outputTokens)).toEqual([7, 8, 9]);
    expect(await chargesOf(account.accountId)).toHaveLength(3);
    await expectPaid(account);
  });

  test("garbage after a good request does not change its cost", async () => {
    const account = await openAccount();
    await sendRaw(url, [`${rawRequest({ key: account.key, keepOpen: true })}\0\0\0\r\n\r\n`]);
    await until("the request has ended", async () => (await inFlight()) === 0);
    await expectPaid(account);
  });

  test("half a request after a stream does not get an answer in the middle of the stream", async () => {
    const account = await openAccount();
    const body = JSON.stringify(misbehaving("slow=100 tokens=8", { stream: true }));
    const raw = await sendRaw(url, [rawRequest({ key: account.key, body, keepOpen: true }), "POST /api/v1/prompt HTTP/1.1\r\nhost:"]);
    expect(raw).toContain("event: delta");
    expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect(raw).not.toContain("INVALID_REQUEST");
    await expectPaid(account);
  });

  test("Expect: 100-continue is answered, then the request", async () => {
    const account = await openAccount();
    const raw = await sendRaw(url, [rawRequest({ key: account.key, headers: ["expect: 100-continue"] })]);
    expect(raw).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    await expectPaid(account);
  });

  test("an unknown expectation is ignored", async () => {
    const account = await openAccount();
    expect(readRaw(await sendRaw(url, [rawRequest({ key: account.key, headers: ["expect: the-unexpected"] })])).status).toBe(200);
    await expectPaid(account);
  });

  test.each([1, 7, 1_000])("a body in chunks of %i bytes is accepted", async (size) => {
    const account = await openAccount();
    const body = chunked(JSON.stringify(promptOf({ maxTokens: 3 })), size);
    const raw = await sendRaw(url, [rawRequest({ key: account.key, body, headers: ["transfer-encoding: chunked"] })]);
    expect(readRaw(raw).status).toBe(200);
    expect(raw).toContain("Simulated");
    await expectPaid(account);
  });

  test("a body that arrives byte by byte is accepted", async () => {
    const account = await openAccount();
    const bytes = Buffer.from(rawRequest({ key: account.key }));
    const parts = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(readRaw(await sendRaw(url, parts)).status).toBe(200);
    await expectPaid(account);
  });

  test("requests without Host, with HTTP/1.0, and with an absolute URL are answered", async () => {
    const { key } = await openAccount();
    const balance = (line: string, ...headers: string[]) =>
      [line, `authorization: Bearer ${key}`, "connection: close", ...headers, "", ""].join("\r\n");
    for (const bytes of [
      balance("GET /api/v1/balance HTTP/1.1"),
      balance("GET /api/v1/balance HTTP/1.0", "host: x"),
      balance("GET http://x/api/v1/balance HTTP/1.1", "host: x"),
    ]) {
      const answer = readRaw(await sendRaw(url, [bytes]));
      expect(answer.status, bytes.split("\r\n")[0]).toBe(200);
      expect(answer.text).toContain('"balance":5');
    }
  });

  test("an offer to upgrade is ignored", async () => {
    const account = await openAccount();
    const headers = ["upgrade: websocket", "sec-websocket-version: 13"];
    expect(readRaw(await sendRaw(url, [rawRequest({ key: account.key, headers })])).status).toBe(200);
    await expectPaid(account);
  });

  test("headers named like JavaScript properties are ordinary headers", async () => {
    const account = await openAccount();
    const headers = ["__proto__: x", "constructor: y", "hasOwnProperty: z"];
    expect(readRaw(await sendRaw(url, [rawRequest({ key: account.key, headers })])).status).toBe(200);
  });

  test("of two Authorization headers the first counts, as Node reads them", async () => {
    const { key } = await openAccount();
    const answer = readRaw(await sendRaw(url, [rawRequest({ key, headers: ["authorization: Bearer nonsense"] })]));
    expect(answer.status).toBe(200);
  });

  test("a stream is sent in standard chunks, and the connection can be reused", async () => {
    const account = await openAccount();
    const body = JSON.stringify(promptOf({ stream: true, maxTokens: 4 }));
    const raw = await sendRaw(url, [rawRequest({ key: account.key, body, keepOpen: true }) + rawRequest({ key: account.key })]);
    const [first = "", second = ""] = raw.split(/(?=HTTP\/1\.1 200 OK)/);
    expect(readEvents(readRaw(first).text).at(-1)?.event).toBe("done");
    expect(readRaw(second).text).toContain("Simulated");
    expect(first).not.toMatch(/content-length/i);
    await expectPaid(account);
  });
});

test.each(entryNames)(
  "through the %s server: a body that is refused unread does not block the next request of its connection",
  async (entry) => {
    const { key } = await openAccount();
    // Far more than the buffers on its way hold.
    const refused = rawRequest({ body: " ".repeat(900_000), keepOpen: true });
    const raw = await sendRaw(service.url(entry), [refused, rawRequest({ key })]);
    const answers = raw.split(/(?=HTTP\/1\.1 \d)/).map(readRaw);
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  },
);

test.each(entryNames)(
  "through the %s server: a percent-encoded or doubled path is refused, a similar one is another path, and both get JSON",
  async (entry) => {
    for (const [path, status, code] of [
      ["/api/v1/%70rompt", 400, "INVALID_REQUEST"],
      ["/api/v1//prompt", 400, "INVALID_REQUEST"],
      ["/api/v1/requests/%00", 400, "INVALID_REQUEST"],
      ["/api/v1/%", 400, "INVALID_REQUEST"],
      ["/api/v1/..%2fprompt", 400, "INVALID_REQUEST"],
      ["/api/v1/prompt;x=1", 404, "NOT_FOUND"],
      ["/api/v1/PROMPT", 404, "NOT_FOUND"],
    ] as const) {
      const answer = readRaw(
        await sendRaw(service.url(entry), [`POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`]),
      );
      expect(answer.status, path).toBe(status);
      readErrorBody(answer.text, code, answer.headers);
    }
    const query = readRaw(
      await sendRaw(service.url(entry), [
        `GET /api/v1/models?${QUESTION.replaceAll(" ", "+")}&a=%00 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      ]),
    );
    expect(query.status).toBe(200);
  },
);
