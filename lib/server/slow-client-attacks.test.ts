// Attacks that cost their client a few bytes: connections that are opened and kept, requests that never end, bodies that nobody asked for.

import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import nextConfig from "@/next.config";
import { createHttpServer, type HttpServerOptions } from "./http-server";
import { MAX_FORM_BYTES, type PageHandler } from "./pages/page-request";

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
  server?.closeAllConnections();
  vi.unstubAllEnvs();
  for (const name of ["config", "trustedProxies"]) forgetSingleton(name);
});

/** Reads the whole body before it answers, as Next does for a server action. */
const readsAll: PageHandler = async (message, response) => {
  let bytes = 0;
  for await (const chunk of message) bytes += (chunk as Buffer).length;
  response.end(`read ${bytes}`);
};

async function openServer(options: Partial<HttpServerOptions>): Promise<void> {
  const made = createHttpServer({ pages: readsAll, ...options });
  server = made;
  await new Promise<void>((done) => made.listen(0, "127.0.0.1", done));
}

interface Connection {
  socket: Socket;
  /** All that the server wrote, once the connection is closed. */
  closed: Promise<string>;
}

function open(bytes: string | null): Connection {
  const socket = connect(((server as Server).address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  let answer = "";
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  if (bytes !== null) socket.write(bytes);
  return { socket, closed: new Promise((resolve) => socket.once("close", () => resolve(answer))) };
}

/** Resolves with whether the server answers a health check on a new connection. */
const isServed = async () =>
  (await open("GET /api/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").closed).startsWith("HTTP/1.1 200");

const post = (path: string, ...headers: string[]) => [`POST ${path} HTTP/1.1`, "host: x", ...headers, "", ""].join("\r\n");

test("one address cannot hold more than its share of the connections, and gets it back when it closes one", async () => {
  await openServer({ connections: { most: 100, mostOfOne: 3 } });
  const held = [open(null), open(null), open(null)];
  await vi.waitFor(async () => expect(await count()).toBe(3));
  const refused = await open("GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n").closed;
  expect(refused).toMatch(/^$|^HTTP\/1\.1 429 .*"limit":"concurrency"/s);
  held[0]?.socket.destroy();
  await vi.waitFor(async () => expect(await isServed()).toBe(true));
});

test("a trusted proxy has the connections of all its clients", async () => {
  vi.stubEnv("TRUSTED_PROXIES", "loopback");
  for (const name of ["config", "trustedProxies"]) forgetSingleton(name);
  await openServer({ connections: { most: 100, mostOfOne: 1 } });
  open(null);
  open(null);
  await vi.waitFor(async () => expect(await count()).toBe(2));
  expect(await isServed()).toBe(true);
});

test("all addresses together cannot hold more connections than the process has room for", async () => {
  await openServer({ connections: { most: 2, mostOfOne: 100 } });
  open(null);
  open(null);
  await vi.waitFor(async () => expect(await count()).toBe(2));
  expect(await open("GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n").closed).toBe("");
});

test("a connection on which nothing comes, or headers that never end, is closed", async () => {
  await openServer({ requestTimeoutMs: 100 });
  const closed = await Promise.all([open(null).closed, open("POST /keys HTTP/1.1\r\nhost: x\r\nx-a: ").closed]);
  for (const answer of closed) expect(answer).toContain("408 Request Timeout");
});

test.each([
  ["announced", "content-length: 1000"],
  ["in chunks", "transfer-encoding: chunked"],
])("a page's body that never ends, %s, is cut as soon as that of an API request", async (_how, header) => {
  await openServer({ requestTimeoutMs: 100 });
  const chunk = header.startsWith("transfer") ? "1\r\na\r\n" : "a";
  const { closed, socket } = open(post("/keys", header) + chunk);
  const trickle = setInterval(() => socket.write(chunk), 20);
  expect(await closed).toContain("408 Request Timeout");
  clearInterval(trickle);
});

test("a page's body larger than any form is refused unread, and by Next where its length was not announced", async () => {
  expect(nextConfig.experimental?.serverActions?.bodySizeLimit).toBe(MAX_FORM_BYTES);
  const pages = vi.fn(readsAll);
  await openServer({ pages });
  const answer = await open(post("/keys", `content-length: ${MAX_FORM_BYTES + 1}`)).closed;
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*"reason":"too_large"/s);
  expect(pages).not.toHaveBeenCalled();
  const whole = open(post("/keys", `content-length: ${MAX_FORM_BYTES}`, "connection: close") + "a".repeat(MAX_FORM_BYTES));
  expect(await whole.closed).toContain(`read ${MAX_FORM_BYTES}`);
});

test("an API body without a working key is never asked for", async () => {
  await openServer({});
  for (const path of ["prompt", "chat/completions", "responses", "embeddings", "messages", "messages/count_tokens", "quote"]) {
    const headers = ["content-type: application/json", "content-length: 1000000", "expect: 100-continue"];
    const answer = await open(post(`/api/v1/${path}`, ...headers)).closed;
    expect(answer, path).toMatch(/^HTTP\/1\.1 401 /);
  }
});

const count = () => new Promise<number>((done) => server?.getConnections((_error, found) => done(found)));
