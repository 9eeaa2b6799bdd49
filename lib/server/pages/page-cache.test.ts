// Kept pages: rendered once for all who ask, in the encoding that each takes, with a policy that lets exactly their own scripts run.

import { createHash } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { THEME_COOKIE as THEME_OF_PAGES, themeCookie } from "@/components/site/theme";
import { setClock } from "@/lib/base/clock";
import { hashScripts, PageCache } from "./page-cache";
import type { PageHandler } from "./page-request";
import { cookieOf, fixedThemes, publicVariant, THEME_COOKIE } from "./public-pages";

let nowMs = 1_800_000_000_000;
let restore: () => void;
const cleanUps: (() => unknown)[] = [];
beforeEach(() => {
  restore = setClock(() => nowMs);
});
afterEach(async () => {
  restore();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const inline = 'self.__next_f.push([1,"x"])';

interface Opened {
  url: string;
  rendered: ReturnType<typeof vi.fn>;
}

async function open(render: RequestListener): Promise<Opened> {
  const rendered = vi.fn();
  const cache = new PageCache({
    render: async (message, response) => {
      rendered(message.url, message.headers.cookie);
      render(message, response);
    },
    policy: (hashes) => `script-src 'self' ${hashes.join(" ")}`,
    cookieOf,
  });
  const show: PageHandler = async (message, response) => {
    const variant = publicVariant(message);
    if (variant && (cache.showKept(variant, message, response) || (await cache.show(variant, message, response)))) return;
    response.end("not kept");
  };
  const server = createServer((message, response) => void show(message, response).catch(() => response.destroy()));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  cleanUps.push(
    () => cache.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, rendered };
}

const page: RequestListener = (message, response) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", "x-from-next": "1" });
  setTimeout(
    () => response.end(`<html><script src="/a.js" async></script><script nonce="n">${inline}</script>${message.url} ä</html>`),
    20,
  );
};

test("who asks at the same time shares one rendering, and within a minute nobody waits for another", async () => {
  const { url, rendered } = await open(page);
  const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(`${url}/docs/api`).then((answer) => answer.text())));
  expect(new Set(answers)).toEqual(new Set([expect.stringContaining("/docs/api ä")]));
  nowMs += 59_000;
  await fetch(`${url}/docs/api`);
  expect(rendered).toHaveBeenCalledTimes(1);
  nowMs += 2_000;
  await fetch(`${url}/docs/api`);
  expect(rendered).toHaveBeenCalledTimes(2);
});

test("each encoding holds the same page, with its length; HEAD has no body", async () => {
  const { url } = await open(page);
  const whole = await (await fetch(url, { headers: { "accept-encoding": "identity" } })).text();
  for (const [accepted, encoding, unpack] of [
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["identity", null, (bytes: Buffer) => bytes],
  ] as const) {
    const { get } = await import("node:http");
    const [headers, bytes] = await new Promise<[Record<string, unknown>, Buffer]>((done) =>
      get(url, { headers: { "accept-encoding": accepted } }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        done([answer.headers, Buffer.concat(chunks)]);
      }),
    );
    expect(headers["content-encoding"] ?? null).toBe(encoding);
    expect(Number(headers["content-length"])).toBe(bytes.length);
    expect(headers["x-from-next"]).toBe("1");
    expect(unpack(bytes).toString()).toBe(whole);
  }
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("the policy names the hash of each inline script, and no nonce", async () => {
  const { url } = await open(page);
  const policy = (await fetch(url)).headers.get("content-security-policy");
  const hash = createHash("sha256").update(inline).digest("base64");
  expect(policy).toBe(`script-src 'self' 'sha256-${hash}'`);
});

test("scripts are found whatever their attributes say, and the text of a page is none", () => {
  const html = `<script>a()</script><script id="b" async="">b()</script><script src="/c.js"></script><p>&lt;script&gt;no()&lt;/script&gt;</p><script>a()</script>`;
  const hashOf = (script: string) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  expect(hashScripts(Buffer.from(html))).toEqual([hashOf("a()"), hashOf("b()")]);
  expect(hashScripts(Buffer.from("<script>never ends"))).toEqual([]);
});

test("themes and the presence of a session are pages of their own, and nothing of a cookie's value reaches a kept page", async () => {
  const { url, rendered } = await open(page);
  for (const cookie of [
    "",
    "theme=dark",
    "theme=dark; x=1",
    "theme=purple",
    "next-auth.session-token=secret",
    "next-auth.session-token=other",
  ])
    await fetch(`${url}/models`, { headers: { cookie } });
  expect(rendered.mock.calls).toEqual([
    ["/models", undefined],
    ["/models", "theme=dark"],
    ["/models", "next-auth.session-token=present"],
  ]);
});

test("the cookie and the themes are those of the page's own switch", () => {
  expect(THEME_COOKIE).toBe(THEME_OF_PAGES);
  for (const theme of fixedThemes) expect(themeCookie(theme as "light")).toContain(`=${theme};`);
});

test("what is no page for everybody is not kept: other statuses, cookies, other types, queries, parts of pages, forms", async () => {
  const { url, rendered } = await open(async (message, response) => {
    if (message.url === "/docs/missing") response.statusCode = 404;
    if (message.url === "/docs/cookie") response.setHeader("set-cookie", "a=1");
    response.setHeader("content-type", message.url === "/docs/data" ? "application/json" : "text/html");
    await sleep(1);
    response.end("x");
  });
  for (const path of ["/docs/missing", "/docs/cookie", "/docs/data"]) {
    for (let count = 0; count < 2; count++) expect(await (await fetch(url + path)).text()).toBe("not kept");
    expect(rendered.mock.calls.filter(([asked]) => asked === path)).toHaveLength(2);
  }
  rendered.mockClear();
  for (const path of ["/connect", "/status", "/reserves", "/email/confirm/x", "/docs?x=1", "/overview", "/docs/%2e%2e/overview"])
    expect(await (await fetch(url + path)).text(), path).toBe("not kept");
  expect(await (await fetch(`${url}/docs`, { headers: { rsc: "1" } })).text()).toBe("not kept");
  expect(await (await fetch(`${url}/docs`, { method: "POST", body: "x" })).text()).toBe("not kept");
  expect(rendered).not.toHaveBeenCalled();
});

test("a rendering that fails is told to who asked, and the next one tries again", async () => {
  let fails = true;
  const { url } = await open((message, response) => (fails ? message.socket.destroy() : page(message, response)));
  await expect(fetch(url)).rejects.toThrow();
  fails = false;
  expect(await (await fetch(url)).text()).toContain("<html>");
});

test("a page as Markdown is not kept in place of the page", async () => {
  const { url, rendered } = await open(page);
  expect(await fetch(`${url}/docs/keys`).then((answer) => answer.text())).toContain("/docs/keys ä");
  for (const [path, accept] of [
    ["/docs/keys", "text/markdown, text/html;q=0.5"],
    ["/docs/keys.md", "*/*"],
  ] as const) {
    expect(await fetch(`${url}${path}`, { headers: { accept } }).then((answer) => answer.text())).toBe("not kept");
  }
  expect(rendered).toHaveBeenCalledTimes(1);
});
