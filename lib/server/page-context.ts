// Next passes a page's context through AsyncLocalStorage. Before Node 24, once one has been used it makes every promise of the
// process slower, and so each API request by a sixth: the pages' storages are disabled while no page is rendered.

import asyncHooks, { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import { processSingleton } from "@/lib/base/process-singleton";

/** Work that a page leaves for after it was sent still finds its context. */
const REST_AFTER_MS = 2_000;

interface PageContext {
  awake: Set<AsyncLocalStorage<unknown>>;
  pages: number;
  rest: NodeJS.Timeout | undefined;
}

const pageContext = processSingleton<PageContext>("page context", () => ({ awake: new Set(), pages: 0, rest: undefined }));

class PageStorage<Store> extends AsyncLocalStorage<Store> {
  override run<Result, Given extends unknown[]>(store: Store, callback: (...given: Given) => Result, ...given: Given): Result {
    pageContext().awake.add(this);
    return super.run(store, callback, ...given);
  }

  override enterWith(store: Store): void {
    pageContext().awake.add(this);
    super.enterWith(store);
  }
}

/** From Node 24 on a storage costs nothing to code that does not use it. */
const isCostly = Number.parseInt(process.versions.node, 10) < 24;

/** Modules loaded by `require` from now on get storages that can be disabled: Next, and the React inside it, which both load late. */
export function installPageStorage(): void {
  if (isCostly) replaceStorage(PageStorage);
}

/** Defined, not assigned: in Node 22 it is a getter. */
export const replaceStorage = (value: typeof AsyncLocalStorage): void =>
  void Object.defineProperty(asyncHooks, "AsyncLocalStorage", { value, configurable: true, enumerable: true, writable: true });

/** Renders a page; its context lives until it is both rendered and sent, or its reader has gone. */
export function createPage(response: ServerResponse, make: () => Promise<void>): Promise<void> {
  const context = pageContext();
  context.pages += 1;
  clearTimeout(context.rest);
  const closed = new Promise((resolve) => response.once("close", resolve));
  const made = make();
  void Promise.allSettled([made, closed]).then(() => {
    context.pages -= 1;
    if (context.pages === 0) context.rest = setTimeout(rest, REST_AFTER_MS).unref();
  });
  return made;
}

function rest(): void {
  const { awake } = pageContext();
  for (const storage of awake) storage.disable();
  awake.clear();
}
