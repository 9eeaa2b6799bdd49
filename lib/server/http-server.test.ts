// Routing: the API's paths go to the gateway, all others to the pages, and a failed page ends only its own connection. The
// contract suite tests what the answers say.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { createHttpServer } from "./http-server";
import type { PageHandler } from "./page-request";

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

test.each(["/", "/docs?x=1", "/api", "/api/", "/api/v1", "/api/v2/prompt", "/api/health/", "/apiv1/prompt", "/API/v1/prompt"])(
  "%s goes to the pages",
  async (path) => {
    const url = await openServer(page);
    expect(await (await fetch(url + path)).text()).toBe(`page ${path}`);
  },
);

test.each(["/api/v1/", "/api/v1/anything?x=/docs", "/api/health?probe", "/api/v1/health"])("%s goes to the gateway", async (path) => {
  const url = await openServer(() => Promise.reject(new Error("not a page")));
  const answer = await fetch(url + path);
  expect([200, 404]).toContain(answer.status);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("content-length")).toBe(`${Buffer.byteLength(await answer.text())}`);
});

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
