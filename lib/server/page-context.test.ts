// Proves that the pages' AsyncLocalStorages are disabled while no page uses them, and only then.

import asyncHooks from "node:async_hooks";
import { createServer, get, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPage, installPageStorage, replaceStorage } from "./page-context";

const original = asyncHooks.AsyncLocalStorage;
/** From Node 24 on a storage needs no disabling, and is left alone. */
const needsNoRest = Number.parseInt(process.versions.node, 10) >= 24;
let server: Server;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  installPageStorage();
});

afterEach(() => {
  vi.useRealTimers();
  server.close();
  replaceStorage(original);
});

/** Serves pages made by `make`; resolves with a function that reads one page and resolves once it has arrived. */
async function servePages(make: () => Promise<void>): Promise<() => Promise<void>> {
  const closed: Promise<unknown>[] = [];
  server = createServer((_message, response) => {
    closed.push(new Promise((resolve) => response.once("close", resolve)));
    void createPage(response, async () => {
      await make();
      response.end("page");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return async () => {
    await new Promise((resolve, reject) =>
      get({ port, agent: false }, (answer) => answer.resume().once("end", resolve)).once("error", reject),
    );
    await Promise.all(closed);
    await Promise.resolve();
  };
}

/** Creates a storage the way Next does. */
function openStorage(): asyncHooks.AsyncLocalStorage<string> {
  const { AsyncLocalStorage } = createRequire(import.meta.url)("async_hooks") as typeof asyncHooks;
  return new AsyncLocalStorage<string>();
}

test.skipIf(needsNoRest)("a page's context outlives the page briefly, then is disabled, and the next page enables it again", async () => {
  const storage = openStorage();
  let laterSeen: () => string | undefined = () => undefined;
  const read = await servePages(() =>
    storage.run("this page", async () => {
      await Promise.resolve();
      expect(storage.getStore()).toBe("this page");
      laterSeen = asyncHooks.AsyncResource.bind(() => storage.getStore());
    }),
  );
  await read();
  expect(laterSeen()).toBe("this page");
  vi.advanceTimersByTime(2_000);
  expect(laterSeen()).toBeUndefined();
  await read();
  expect(laterSeen()).toBe("this page");
});

test.skipIf(needsNoRest)("a page that is still rendering keeps its context, however many others have ended", async () => {
  const storage = openStorage();
  let finish: () => void = () => undefined;
  let laterSeen: () => string | undefined = () => undefined;
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const read = await servePages(async () => {
    if (laterSeen()) return;
    await storage.run("slow page", async () => {
      laterSeen = asyncHooks.AsyncResource.bind(() => storage.getStore());
      await held;
    });
  });
  const slow = read();
  await vi.waitFor(() => expect(laterSeen()).toBe("slow page"), { timeout: 30_000 });
  vi.advanceTimersByTime(10_000);
  expect(laterSeen()).toBe("slow page");
  finish();
  await slow;
  await Promise.resolve();
  vi.advanceTimersByTime(2_000);
  expect(laterSeen()).toBeUndefined();
});

test("AsyncLocalStorage is replaced even where Node defines it as a getter, as it does since Node 22", async () => {
  await servePages(async () => undefined);
  Object.defineProperty(asyncHooks, "AsyncLocalStorage", { get: () => original, configurable: true });
  expect(installPageStorage).not.toThrow();
  expect(asyncHooks.AsyncLocalStorage === original).toBe(needsNoRest);
});
