// Reading bodies from real connections: what is accepted, how the rest is refused, that nothing is read before it is asked for, and that no
// read waits forever.

import { once as nextEvent } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BodyRoom } from "@/lib/gateway/http/body-room";
import { MAX_BODY_BYTES, MAX_DISCARDED_BYTES, MAX_LARGE_BODY_BYTES, type ReadBody } from "@/lib/gateway/http/request";
import { type ArrivalOptions, readArrivingBody } from "./arriving-body";

const cut = vi.fn();
let ends: (() => void | Promise<void>)[] = [];
let options: Partial<ArrivalOptions> = {};
/** What the server does before it reads. */
let lookUp: () => Promise<void> = async () => undefined;
let reads: ((read: ReadBody) => void)[] = [];
let server: Server;

beforeEach(async () => {
  [ends, reads, options] = [[], [], {}];
  lookUp = async () => undefined;
  cut.mockReset();
  server = createServer(async (message, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    await lookUp();
    const read = await readArrivingBody(message, {
      limitBytes: MAX_BODY_BYTES,
      timeoutMs: 60_000,
      gone: () => gone.signal,
      bounds: { onEnd: (undo) => void ends.push(undo) },
      cut,
      ...options,
    });
    message.resume();
    response.writeHead(200, { connection: "close" }).end("read");
    reads.shift()?.(read);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const port = () => (server.address() as AddressInfo).port;
const nextRead = () => new Promise<ReadBody>((resolve) => reads.push(resolve));

/** Sends a body; resolves with the status, or the error code of the connection. */
function send(chunks: readonly (string | Buffer)[], headers: Record<string, string> = {}): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = httpRequest({ port: port(), method: "POST", headers }, (response) => {
      response.resume();
      response.on("close", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
  });
}

function open(head: string): Socket {
  const socket = connect(port(), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}`);
  return socket;
}

const large = { limitBytes: MAX_LARGE_BODY_BYTES };

test("the body is the whole text, even when a character is split between two chunks", async () => {
  const bytes = Buffer.from("¿qué? 🦘");
  const read = nextRead();
  expect(await send([bytes.subarray(0, 1), bytes.subarray(1, 9), bytes.subarray(9)])).toBe(200);
  expect(await read).toEqual({ text: "¿qué? 🦘" });
});

test("a truncated last character is reported", async () => {
  const read = nextRead();
  await send([Buffer.from([0x61, 0xc3])]);
  expect(await read).toEqual({ text: "", problem: "not_utf8" });
});

test("1 MiB is accepted, however it is chunked, and one byte more is not", async () => {
  const read = nextRead();
  await send(Array<string>(16).fill("a".repeat(MAX_BODY_BYTES / 16)));
  expect((await read).text).toHaveLength(MAX_BODY_BYTES);
  const longer = nextRead();
  expect(await send(["a".repeat(MAX_BODY_BYTES), "b"])).toBe(200);
  expect(await longer).toEqual({ text: "", problem: "too_large" });
});

test("a body that announces more than its limit is refused before its first byte", async () => {
  const read = nextRead();
  const socket = open(`content-length: ${MAX_DISCARDED_BYTES + 1}\r\n\r\n`);
  expect(await read).toEqual({ text: "", problem: "too_large" });
  socket.destroy();
});

test.each(["announced", "in chunks"])(
  "a large body, %s, stays bytes, and its room is given back at the end of the request",
  async (how) => {
    const room = new BodyRoom(MAX_LARGE_BODY_BYTES, 10);
    options = { ...large, room };
    const bytes = 3 * MAX_BODY_BYTES;
    const read = nextRead();
    const headers: Record<string, string> = how === "announced" ? { "content-length": `${bytes}` } : {};
    await send(Array<string>(3).fill("é".repeat(MAX_BODY_BYTES / 2)), headers);
    const body = await read;
    expect(body).toEqual({ text: "", large: expect.any(Buffer) });
    expect(body.large?.equals(Buffer.from("é".repeat(bytes / 2)))).toBe(true);
    const { signal } = new AbortController();
    expect(await room.take(MAX_LARGE_BODY_BYTES - bytes + 1, signal)).toBe(false);
    for (const end of ends) await end();
    expect(await room.take(MAX_LARGE_BODY_BYTES, signal)).toBe(true);
  },
);

test("without room a large body waits unread, and is refused when there is none in time", async () => {
  const room = new BodyRoom(MAX_LARGE_BODY_BYTES, 100);
  options = { ...large, room };
  expect(room.take(MAX_LARGE_BODY_BYTES, new AbortController().signal)).toBe(true);
  const read = nextRead();
  await send(["a".repeat(2 * MAX_BODY_BYTES)], { "content-length": `${2 * MAX_BODY_BYTES}` });
  expect(await read).toEqual({ text: "", problem: "busy" });
});

test("a large body is read as soon as there is room", async () => {
  const room = new BodyRoom(MAX_LARGE_BODY_BYTES);
  options = { ...large, room };
  expect(room.take(MAX_LARGE_BODY_BYTES, new AbortController().signal)).toBe(true);
  const read = nextRead();
  const sent = send(["a".repeat(2 * MAX_BODY_BYTES)]);
  room.giveBack(MAX_LARGE_BODY_BYTES);
  expect((await read).large).toHaveLength(2 * MAX_BODY_BYTES);
  expect(await sent).toBe(200);
});

test("a client that disconnects before the end of its body ends the reading", async () => {
  const read = nextRead();
  open("content-length: 10\r\n\r\nhalf").end();
  expect(await read).toEqual({ text: "", problem: "cut_off" });
});

test("a client that disconnects while its key is looked up ends the reading, whatever it had sent", async () => {
  for (const limits of [{}, large]) {
    options = limits;
    let goOn: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      lookUp = () => new Promise((done) => ([goOn] = [done, resolve()])) as Promise<void>;
    });
    const read = nextRead();
    const socket = open(`content-length: ${MAX_BODY_BYTES - 1}\r\n\r\n${"a".repeat(200_000)}`);
    await asked;
    socket.destroy();
    await nextEvent(socket, "close");
    goOn();
    expect(await read).toEqual({ text: "", problem: "cut_off" });
  }
});

test("a client that sends too slowly is cut", async () => {
  options = { timeoutMs: 50 };
  const read = nextRead();
  const socket = open("content-length: 10\r\n\r\nhalf");
  expect(await read).toEqual({ text: "", problem: "cut_off" });
  expect(cut).toHaveBeenCalledOnce();
  socket.destroy();
});
