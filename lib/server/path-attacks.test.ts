// Attacks by spelling: a path that our router and Next's read differently would reach an endpoint round the first one's limits.

import { IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { GET } from "@/app/api/[...path]/route";
import { writePageClient } from "@/lib/access/page-client";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { serveNextRoute } from "@/lib/gateway/contract/testing/next-entry";
import { createHttpServer } from "./http-server";

let server: Server;
const toPages = vi.fn(serveNextRoute);

beforeAll(async () => {
  server = createHttpServer({ pages: toPages });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
afterEach(() => {
  toPages.mockClear();
  forgetSingleton("page server");
});

/** Sends a request line as it is, which no client of the standard library does; resolves with status and body. */
async function send(target: string, method = "GET"): Promise<{ status: number; body: string }> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, "latin1"));
  const answer = await text(socket);
  return { status: Number(answer.split(" ", 2)[1]), body: answer.split("\r\n\r\n", 2)[1] ?? "" };
}

test.each([
  "/api/./v1/models",
  "/./api/v1/models",
  "/docs/../api/v1/models",
  "/api/v1/..",
  "/api/v1/./models",
  "//api/v1/models",
  "/api//v1/models",
  "/api/v1//models",
  "/api/%2e/v1/models",
  "/api/%2E/v1/models",
  "/docs/%2e%2E/api/v1/models",
  "/docs/.%2e/api/v1/models",
  "/api%2Fv1/models",
  "/api%2fv1/models",
  "/api/v1%5cmodels",
  "/api\\v1\\models",
  "/docs\\..\\api/v1/models",
  "/%61pi/v1/models",
  "/api/%76%31/models",
  "/api/v1/models%00",
  "/api/v1/models%",
  "/api/v1/models#x",
  "http://x/api/./v1/models",
  "http://x//api/v1/models",
  "HTTP://X/docs/%2e%2e/api/v1/models",
  "ftp://x/api/v1/models",
  "*",
])("%s is refused before anything reads it", async (target) => {
  for (const method of ["GET", "POST", "OPTIONS"]) {
    const { status, body } = await send(target, method);
    expect(status, method).toBe(400);
    expect(JSON.parse(body)).toMatchObject({
      code: "INVALID_REQUEST",
      error: expect.stringMatching(/not normalized/),
      details: { reason: "path" },
    });
  }
  expect(toPages).not.toHaveBeenCalled();
});

test("a whole URL means its path: to the API as well as to a page", async () => {
  expect((await send("http://x/api/v1/models")).status).toBe(200);
  await send("http://x/docs?a=//b/../%2e");
  expect(toPages.mock.calls.map(([{ url }]) => url)).toEqual(["/docs?a=//b/../%2e"]);
});

test("another case is another path, and no endpoint has it", async () => {
  for (const path of ["/API/v1/models", "/Api/health", "/api/V1/models", "/api/v1/MODELS"])
    expect((await send(path)).status, path).toBe(404);
});

test("a request that reaches Next's route handler is not taken for one of this machine", async () => {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: "192.0.2.1" });
  const headers: Record<string, string> = { "x-client-address": "127.0.0.1" };
  writePageClient(Object.assign(new IncomingMessage(socket), { headers }));
  const answer = await GET(new Request("http://x/api/metrics", { headers }));
  expect(answer.status).toBe(404);
});

test.each([
  "content-length: 4\r\ntransfer-encoding: chunked",
  "transfer-encoding: chunked\r\ncontent-length: 4",
  "content-length: 4\r\ncontent-length: 5",
  "transfer-encoding: chunked, identity",
  "content-length: +4",
  "transfer-encoding : chunked",
])("a request whose length two readers take differently is refused: %j", async (headers) => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`POST /api/v1/quote HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n0\r\n\r\nGET /api/v1/models HTTP/1.1\r\nhost: x\r\n\r\n`);
  const answers = (await text(socket)).match(/^HTTP\/1\.1 \d+/gm);
  expect(answers).toEqual(["HTTP/1.1 400"]);
});
