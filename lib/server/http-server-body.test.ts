// Reading bodies from real connections: what is accepted, how the rest is refused, that nothing is read before it is asked for, and that no
// read waits forever.

import { once as nextEvent } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BodyRoom, type BodyRoomOptions, type BodySpace, type OpenSpace } from "@/lib/gateway/http/body-room";
import { MAX_BODY_BYTES, MAX_DISCARDED_BYTES, MAX_LARGE_BODY_BYTES } from "@/lib/gateway/http/body-sizes";
import type { ReadBody } from "@/lib/gateway/http/request";
import { type ArrivalOptions, readArrivingBody } from "./arriving-body";

const cut = vi.fn();
let ends: (() => void | Promise<void>)[] = [];
let options: Partial<ArrivalOptions> = {};
/** What the server does before it reads. */
let lookUp: () => Promise<void> = async () => undefined;
let openSpace: OpenSpace | undefined;
let reads: ((read: ReadBody) => void)[] = [];
let server: Server;

beforeEach(async () => {
  [ends, reads, options, openSpace] = [[], [], {}, undefined];
  lookUp = async () => undefined;
  cut.mockReset();
  server = createServer(async (message, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    await lookUp();
    const reading = readArrivingBody(message, {
      limitBytes: MAX_BODY_BYTES,
      timeoutMs: 60_000,
      gone: () => gone.signal,
      bounds: { onEnd: (undo) => void ends.push(undo), openSpace },
      cut,
      ...options,
    });
    const read = await reading.catch((error: unknown) => void server.emit("refused", error));
    if (!read) return response.destroy();
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

function connectWith(head: string): Socket {
  const socket = connect(port(), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}`);
  return socket;
}

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
  const socket = connectWith(`content-length: ${MAX_DISCARDED_BYTES + 1}\r\n\r\n`);
  expect(await read).toEqual({ text: "", problem: "too_large" });
  socket.destroy();
});

/** A room of its own for 64 MiB, of which one network has at most half; the bodies of all tests come from one. */
function useRoom(room: Partial<BodyRoomOptions> = {}): BodyRoom {
  const bodies = new BodyRoom({ bytes: 2 * MAX_LARGE_BODY_BYTES, ...room });
  options = { limitBytes: MAX_LARGE_BODY_BYTES, ...options };
  openSpace = (mostBytes, gone) => bodies.open({ account: "a", network: "n", isFunded: true }, mostBytes, gone);
  return bodies;
}

/** All that the network may have, until it is closed; null when something else of it is in the room. */
async function fill(room: BodyRoom): Promise<BodySpace | null> {
  const space = await room.open({ account: "b", network: "n", isFunded: true }, MAX_LARGE_BODY_BYTES, new AbortController().signal);
  const isFull = await space?.holdTo(MAX_LARGE_BODY_BYTES);
  space?.finish();
  if (!space || isFull) return space;
  space.close();
  return null;
}

test.each(["announced", "in chunks"])(
  "a large body, %s, stays bytes, and its space is given back at the end of its request",
  async (how) => {
    const room = useRoom({ waitMs: 10 });
    const bytes = 3 * MAX_BODY_BYTES;
    const read = nextRead();
    const headers: Record<string, string> = how === "announced" ? { "content-length": `${bytes}` } : {};
    await send(Array<string>(3).fill("é".repeat(MAX_BODY_BYTES / 2)), headers);
    const body = await read;
    expect(body).toEqual({ text: "", large: expect.any(Buffer) });
    expect(body.large?.equals(Buffer.from("é".repeat(bytes / 2)))).toBe(true);
    expect(await fill(room)).toBeNull();
    for (const end of ends) await end();
    expect(await fill(room)).not.toBeNull();
  },
);

test.each(["announced", "in chunks"])("without room a large body, %s, waits, and is refused when there is none in time", async (how) => {
  expect(await fill(useRoom({ waitMs: 100 }))).not.toBeNull();
  const read = nextRead();
  await send(["a".repeat(2 * MAX_BODY_BYTES)], how === "announced" ? { "content-length": `${2 * MAX_BODY_BYTES}` } : {});
  expect(await read).toEqual({ text: "", problem: "busy" });
});

test("a large body is read on as soon as there is room", async () => {
  const full = await fill(useRoom());
  const read = nextRead();
  const sent = send(["a".repeat(2 * MAX_BODY_BYTES)]);
  full?.close();
  expect((await read).large).toHaveLength(2 * MAX_BODY_BYTES);
  expect(await sent).toBe(200);
});

test("what opening the space throws ends the reading, before anything of the body is read", async () => {
  options = { limitBytes: MAX_LARGE_BODY_BYTES };
  openSpace = () => Promise.reject(new Error("no money"));
  const rejected = new Promise<unknown>((resolve) => server.once("refused", resolve));
  const socket = connectWith(`content-length: ${2 * MAX_BODY_BYTES}\r\n\r\n`);
  expect(await rejected).toEqual(new Error("no money"));
  socket.destroy();
});

test("a large body that comes at its pace is read, and one that stops in its middle is cut, however much came before", async () => {
  useRoom();
  options = { ...options, timeoutMs: 60_000, msPerMib: 300 };
  const half = "a".repeat(MAX_BODY_BYTES / 2);
  for (const [chunks, isCut] of [
    [6, false],
    [5, true],
  ] as const) {
    const read = nextRead();
    const socket = connectWith(`content-length: ${3 * MAX_BODY_BYTES}\r\n\r\n`);
    for (let count = 0; count < chunks; count++) {
      socket.write(half);
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(await read).toEqual(isCut ? { text: "", problem: "cut_off" } : { text: "", large: expect.any(Buffer) });
    expect(cut).toHaveBeenCalledTimes(isCut ? 1 : 0);
    socket.destroy();
  }
});

test("a client that disconnects before the end of its body ends the reading", async () => {
  const read = nextRead();
  connectWith("content-length: 10\r\n\r\nhalf").end();
  expect(await read).toEqual({ text: "", problem: "cut_off" });
});

test("a client that disconnects while its key is looked up ends the reading, whatever it had sent", async () => {
  for (const limitBytes of [MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES]) {
    options = { limitBytes };
    let goOn: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      lookUp = () => new Promise((done) => ([goOn] = [done, resolve()])) as Promise<void>;
    });
    const read = nextRead();
    const socket = connectWith(`content-length: ${MAX_BODY_BYTES - 1}\r\n\r\n${"a".repeat(200_000)}`);
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
  const socket = connectWith("content-length: 10\r\n\r\nhalf");
  expect(await read).toEqual({ text: "", problem: "cut_off" });
  expect(cut).toHaveBeenCalledOnce();
  socket.destroy();
});
