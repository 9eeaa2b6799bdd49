// A batcher whose round trips end when the test decides.

import { setImmediate as nextTurn } from "node:timers/promises";
import { Batcher } from "../batcher";

/** Each item has its own key, and a second batch may always be sent. */
export const free = { keyOf: String, hasRoom: () => true };

interface Stepped {
  maxBatch?: number;
  minEagerBatch?: number;
  minParallelBatch?: number;
  refuses?: readonly number[];
  broken?: readonly number[];
  keyOf?: (item: number) => string;
  hasRoom?: () => boolean;
}

/** `refuses` and `broken` list the items that are refused or that break the connection. */
export function createStepped({
  maxBatch = 256,
  minEagerBatch = 1,
  minParallelBatch = 256,
  refuses = [],
  broken = [],
  ...others
}: Stepped = {}) {
  const batches: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher<number, number>({
    maxBatch,
    minEagerBatch,
    minParallelBatch,
    ...free,
    ...others,
    mayRetrySingly: (error) => (error as Error).message === "refused",
    run: async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (items.some((item) => broken.includes(item))) throw new Error("broken");
      if (items.some((item) => refuses.includes(item))) throw new Error("refused");
      return items.map((item) => item * 10);
    },
  });
  const end = async (place = 0) => {
    ends.splice(place, 1)[0]?.();
    // The consequences of an end happen in microtasks, and in the turn after them.
    for (let turn = 0; turn < 2; turn++) await nextTurn();
  };
  return { batcher, batches, end };
}

/** Calls idle() and records whether it has resolved. */
export function watchIdle(batcher: Batcher<number, number>) {
  const ended = batcher.idle().then(() => {
    watch.isIdle = true;
  });
  const watch = { isIdle: false, ended };
  return watch;
}

/** Submits every item in this turn; resolves to each item's result or its error message. */
export const submitAll = <Item, Result>(batcher: Batcher<Item, Result>, items: readonly Item[]) =>
  Promise.all(items.map((item) => batcher.submit(item).catch((error: unknown) => (error as Error).message)));
