// Routing: the API's paths go to the gateway, all others to the pages, and a failed page ends only its own connection. The
// contract suite tests what the answers say.

import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { createHttpServer } from "./http-server";
import type { PageHandler } from "./pages/page-request";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function openServer(pages: PageHandler): Promise<string> {
  const made = createHttpServer({ pages });
  server = made;
  await new Promise<void>((done) => made.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

const page: PageHandler = async (message, response) => void response.end(`page ${message.url}`);

test.each(["/", "/docs?x=1", "/api/v2/prompt", "/api/health/", "/apiv1/prompt", "/API/v1/prompt"])("%s goes to the pages", async (path) => {
  const url = await openServer(page);
  expect(await (await fetch(url + path)).text()).toBe(`page ${path}`);
});

test.each(["/api", "/api/", "/api/v1", "/api/v1/", "/api/v1/anything?x=/docs", "/api/health?probe", "/api/v1/health"])(
  "%s goes to the gateway",
  async (path) => {
    const url = await openServer(() => Promise.reject(new Error("not a page")));
    const answer = await fetch(url + path);
    expect([200, 404]).toContain(answer.status);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("content-length")).toBe(`${Buffer.byteLength(await answer.text())}`);
  },
);

test("a page that fails ends its own connection and is logged", async () => {
  const errors = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const url = await openServer((message, response) =>
    message.url === "/bad" ? Promise.reject(new Error("page")) : page(message, response),
  );
  await expect(fetch(`${url}/bad`)).rejects.toThrow();
  expect(await (await fetch(`${url}/good`)).text()).toBe("page /good");
  expect(errors).toHaveBeenCalledOnce();
  errors.mockRestore();
});

test("keep-alive lasts longer than the 60 s of load balancers, and slow headers are given up sooner than slow bodies", async () => {
  await openServer(page);
  expect(server?.keepAliveTimeout).toBeGreaterThan(60_000);
  expect(server?.headersTimeout).toBeLessThan(server?.requestTimeout ?? 0);
});

const portOf = (opened: Server | undefined): number => (opened?.address() as AddressInfo | undefined)?.port ?? 0;

/** Sends a request as it is written, and resolves with the first line of its answer. */
async function firstLine(request: string): Promise<string> {
  const socket = connect(portOf(server), "127.0.0.1");
  socket.write(request);
  return (await text(socket)).split("\r\n", 1)[0] ?? "";
}

test.each(["h2c", "websocket", "TLS/1.0, h2c"])(
  "an offer to upgrade to %s is ignored: the request is answered as it is",
  async (protocol) => {
    await openServer(page);
    const headers = `host: x\r\nconnection: Upgrade, HTTP2-Settings, close\r\nupgrade: ${protocol}\r\nhttp2-settings: AAMAAABkAAQ`;
    expect(await firstLine(`GET /docs HTTP/1.1\r\n${headers}\r\n\r\n`)).toBe("HTTP/1.1 200 OK");
    // Java's own client offers h2c with every POST.
    const body = '{"model":"gpt-4-turbo"}';
    const json = `content-type: application/json\r\ncontent-length: ${body.length}`;
    expect(await firstLine(`POST /api/v1/prompt HTTP/1.1\r\n${headers}\r\n${json}\r\n\r\n${body}`)).toBe("HTTP/1.1 401 Unauthorized");
    expect(await firstLine(`GET /api/health HTTP/1.1\r\n${headers}\r\n\r\n`)).toBe("HTTP/1.1 200 OK");
  },
);

test("a websocket for responses is answered 426, after which agents go on over HTTP; without an offer GET is no method", async () => {
  const url = await openServer(page);
  const offer = "connection: Upgrade\r\nupgrade: WebSocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
  const socket = connect(portOf(server), "127.0.0.1");
  socket.write(`GET /api/v1/responses HTTP/1.1\r\nhost: x\r\n${offer}\r\n\r\n`);
  const answer = await new Promise<string>((done) => socket.once("data", (bytes) => done(bytes.toString())));
  socket.destroy();
  expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
  expect(answer).toMatch(/upgrade: HTTP\/1\.1/i);
  expect(answer).toContain("POST /api/v1/responses");
  expect((await fetch(`${url}/api/v1/responses`)).status).toBe(405);
});

test("a process without the API answers health, readiness and metrics, and says where the rest is", async () => {
  const made = createHttpServer({ pages: page, servesApi: false });
  server = made;
  await new Promise<void>((done) => made.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
  expect(await (await fetch(`${url}/docs`)).text()).toBe("page /docs");
  for (const path of ["/api/v1/models", "/.well-known/x402", "/playground/answer"]) {
    const answer = await fetch(url + path);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: expect.stringContaining("ROLES=api") })]);
  }
});
