// Reading bodies from real connections: what is accepted, how the rest is refused, and that no read waits forever.

import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "@/lib/gateway/http/request";
import { readBody } from "./http-server";

type Read = Awaited<ReturnType<typeof readBody>>;
const reads: ((message: IncomingMessage, read: Read) => void)[] = [];
const server = createServer(async (message, response) => {
  const read = await readBody(message);
  reads.shift()?.(message, read);
  if (read) response.writeHead(200, { connection: "close" }).end("read");
});
beforeAll(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
const port = () => (server.address() as AddressInfo).port;

/** What the server reads from the next request. */
const nextRead = () =>
  new Promise<{ read: Read; message: IncomingMessage }>((resolve) => reads.push((message, read) => resolve({ read, message })));

/** Sends a body; resolves with the status, or the error code of the connection. */
function send(method: string, chunks: readonly (string | Buffer)[], headers: Record<string, string> = {}): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = httpRequest({ port: port(), method, headers }, (response) => {
      response.resume();
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

test("the body is the whole text, even when a character is split between two chunks", async () => {
  const bytes = Buffer.from("¿qué? 🦘");
  const read = nextRead();
  expect(await send("POST", [bytes.subarray(0, 1), bytes.subarray(1, 9), bytes.subarray(9)])).toBe(200);
  expect((await read).read).toEqual({ bodyText: "¿qué? 🦘" });
});

test("a missing body is an empty text", async () => {
  const read = nextRead();
  await send("DELETE", []);
  expect((await read).read).toEqual({ bodyText: "" });
});

test.each(["GET", "HEAD"])("the body of a %s is not read", async (method) => {
  const read = nextRead();
  await send(method, ["{}"], { "content-length": "2" });
  expect((await read).read).toEqual({ bodyText: "" });
});

test("a truncated last character is reported", async () => {
  const read = nextRead();
  await send("POST", [Buffer.from([0x61, 0xc3])]);
  expect((await read).read).toEqual({ bodyText: "", bodyProblem: "not_utf8" });
});

test("1 MiB is accepted, however it is chunked", async () => {
  const read = nextRead();
  await send("POST", Array<string>(16).fill("a".repeat(MAX_BODY_BYTES / 16)));
  expect((await read).read?.bodyText).toHaveLength(MAX_BODY_BYTES);
});

test.each([
  ["one byte more", MAX_BODY_BYTES + 1],
  ["as much as is thrown away", MAX_DISCARDED_BYTES],
])("%s: too large, and the client gets the answer", async (_case, bytes) => {
  const read = nextRead();
  const rest = bytes - MAX_BODY_BYTES;
  expect(await send("POST", ["a".repeat(MAX_BODY_BYTES), "b".repeat(rest)])).toBe(200);
  expect((await read).read).toEqual({ bodyText: "", bodyProblem: "too_large" });
});

test("a body above the discard limit is not read at all when its length is announced", async () => {
  const read = nextRead();
  const socket = connect(port(), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${MAX_DISCARDED_BYTES + 1}\r\n\r\n`);
  expect((await read).read).toEqual({ bodyText: "", bodyProblem: "too_large" });
  socket.destroy();
});

test("a body above the discard limit is read no further when it arrives in chunks", async () => {
  const read = nextRead();
  const sent = httpRequest({ port: port(), method: "POST" }, (response) => response.resume());
  sent.on("error", () => undefined);
  const chunk = Buffer.alloc(MAX_BODY_BYTES, 0x61);
  for (let at = 0; at < 17; at++) sent.write(chunk);
  expect((await read).read).toEqual({ bodyText: "", bodyProblem: "too_large" });
  sent.destroy();
});

test("a client that disconnects before the end of its body reads as null", async () => {
  const read = nextRead();
  const socket = connect(port(), "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf", () => socket.destroy());
  expect((await read).read).toBeNull();
});
