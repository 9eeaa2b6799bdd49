// Pages through the API's process: what comes in goes out the same, whoever leaves ends the other side, and nothing but a page waits for a
// process that is away.

import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { createHttpServer } from "../http-server";
import { until } from "../testing/service";
import { forwardPages } from "./forward";
import { openSocketPlace } from "./socket-path";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

interface Opened {
  port: number;
  url: string;
  /** Ends the process of the pages, as a kill does. */
  kill: () => void;
  countConnections: () => Promise<number>;
}

async function open(show: RequestListener, { stallTimeoutMs = 30_000 } = {}): Promise<Opened> {
  const place = openSocketPlace();
  const pages = createServer({ requireHostHeader: false, keepAliveTimeout: 0 }, show);
  await new Promise<void>((done) => pages.listen(place.path, done));
  let path: string | null = place.path;
  const server = createHttpServer({ pages: forwardPages(() => path), stallTimeoutMs });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  cleanUps.push(
    place.remove,
    () => end(pages),
    () => end(server),
  );
  const { port } = server.address() as AddressInfo;
  const kill = () => {
    path = null;
    end(pages);
  };
  const countConnections = () => new Promise<number>((done) => server.getConnections((_error, count) => done(count)));
  return { port, url: `http://127.0.0.1:${port}`, kill, countConnections };
}

/** Sends bytes as they are, and resolves with everything that comes back. */
async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}

test("method, path, headers and body go in, status, headers and body come out", async () => {
  const { url } = await open(async (message, response) => {
    const body = await text(message);
    response.writeHead(418, {
      "set-cookie": ["a=1; Path=/", "b=2"],
      "x-seen": `${message.method} ${message.url}`,
      "content-type": "text/plain",
    });
    response.end(JSON.stringify({ body, host: message.headers.host, cookie: message.headers.cookie }));
  });
  const answer = await fetch(`${url}/keys?a=%2F&b=//`, { method: "POST", body: "näme=1", headers: { cookie: "x=1; y=2" } });
  expect(answer.status).toBe(418);
  expect(answer.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
  expect(answer.headers.get("x-seen")).toBe("POST /keys?a=%2F&b=//");
  expect(await answer.json()).toEqual({ body: "näme=1", host: new URL(url).host, cookie: "x=1; y=2" });
});

test("the client's address is the connection's, whatever the client writes", async () => {
  const { url } = await open((message, response) => void response.end(message.headers["x-client-address"]));
  const answer = await fetch(url, { headers: { "x-client-address": "192.0.2.9", "x-forwarded-for": "192.0.2.8" } });
  expect(await answer.text()).toBe("127.0.0.1");
});

test("headers of one connection stay there, those that Connection names among them; an offer to upgrade is ignored", async () => {
  let seen: IncomingMessage["headers"] = {};
  const { port } = await open((message, response) => {
    seen = message.headers;
    response.end("a page");
  });
  const answer = await raw(
    port,
    "GET /docs HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings, x-secret, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\nx-secret: 1\r\nte: trailers\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  for (const name of ["upgrade", "http2-settings", "x-secret", "te"]) expect(seen[name], name).toBeUndefined();
});

test.each(["GET", "POST", "DELETE", "OPTIONS"])("what stands in the body of a %s is no request of its own", async (method) => {
  const seen: string[] = [];
  const { port } = await open(async (message, response) => {
    const body = await text(message);
    seen.push(`${message.method} ${message.url} ${body.length}`);
    response.end("a page");
  });
  const smuggled = "GET /settings HTTP/1.1\r\nhost: x\r\nx-client-address: 192.0.2.9\r\n\r\n";
  const head = `${method} /docs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`;
  const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  expect(await raw(port, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await raw(port, `${head}content-length: ${smuggled.length}\r\n\r\n${smuggled}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(seen).toEqual([`${method} /docs ${smuggled.length}`, `${method} /docs ${smuggled.length}`]);
});

test("events arrive as they are written, and a reader that leaves ends their source", async () => {
  let left = false;
  const { url } = await open((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    response.once("close", () => {
      left = true;
    });
  });
  const leaving = new AbortController();
  const answer = await fetch(`${url}/account/events`, { signal: leaving.signal });
  const reader = answer.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("data: 1\n\n");
  leaving.abort();
  await until("the source has ended", () => left);
});

test("a page that is answered before its form was sent is answered; what breaks off in the middle is seen as broken", async () => {
  const { port, url } = await open((message, response) => {
    if (message.url === "/early") {
      response.writeHead(403, { connection: "close" });
      response.end("not yours");
      return;
    }
    response.writeHead(200, { "content-length": "1000" });
    response.write("half");
    setTimeout(() => response.destroy(), 20);
  });
  const early = connect(port, "127.0.0.1");
  early.write("POST /early HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc");
  await until("the answer is there", async () => {
    const chunk = (early.read() as Buffer | null)?.toString() ?? "";
    return chunk.includes("403");
  });
  early.destroy();
  await expect(fetch(`${url}/broken`).then((answer) => answer.text())).rejects.toThrow();
});

test("while the process is away a browser gets a page that loads again, a page's request JSON, and the API answers", async () => {
  const { url, kill } = await open((_, response) => void response.end("a page"));
  expect(await (await fetch(url)).text()).toBe("a page");
  kill();
  const page = await fetch(`${url}/docs`, { headers: { accept: "text/html,*/*" } });
  expect([page.status, page.headers.get("retry-after"), page.headers.get("refresh")]).toEqual([503, "2", "2"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("The pages are starting again");
  const data = await fetch(`${url}/docs?_rsc=1`, { headers: { accept: "text/html", rsc: "1" } });
  expect([data.status, await data.json()]).toEqual([503, expect.objectContaining({ reason: "unavailable" })]);
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
});

test("a process that dies while it renders is seen as away, and one that dies between two requests costs none", async () => {
  const { url } = await open((message, response) => {
    if (message.url === "/dies") message.socket.destroy();
    else response.end("a page");
  });
  expect(await (await fetch(url)).text()).toBe("a page");
  expect((await fetch(`${url}/dies`)).status).toBe(503);
  expect(await (await fetch(url)).text()).toBe("a page");
});

test("a reader that stops reading is cut off, and its page's source ends", async () => {
  let left = false;
  const { port, countConnections } = await open(
    (_, response) => {
      response.once("close", () => {
        left = true;
      });
      response.end(Buffer.alloc(64 * 1_048_576));
    },
    { stallTimeoutMs: 200 },
  );
  const socket = connect(port, "127.0.0.1")
    .on("error", () => undefined)
    .pause();
  cleanUps.push(() => socket.destroy());
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await until("its source has ended", () => left);
  await until("its connection is closed", async () => (await countConnections()) === 0);
});
