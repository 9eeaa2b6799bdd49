// A batcher whose round trips end when the test says so.

import { setImmediate as nextTurn } from "node:timers/promises";
import { Batcher } from "../batcher";

/** Each item has a key of its own, and a second batch may always leave. */
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

/** Items are refused, or break the connection, by their number. */
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
    // What follows from an end happens in microtasks, and in the turn after them.
    for (let turn = 0; turn < 2; turn++) await nextTurn();
  };
  return { batcher, batches, end };
}

/** Asks when the batcher is idle, and tells whether it is yet. */
export function watchIdle(batcher: Batcher<number, number>) {
  const ended = batcher.idle().then(() => {
    watch.isIdle = true;
  });
  const watch = { isIdle: false, ended };
  return watch;
}

/** Submits each item, in this turn; resolves to each one's result or its error's message. */
export const submitAll = <Item, Result>(batcher: Batcher<Item, Result>, items: readonly Item[]) =>
  Promise.all(items.map((item) => batcher.submit(item).catch((error: unknown) => (error as Error).message)));
