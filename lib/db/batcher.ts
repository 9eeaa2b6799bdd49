// A micro-batcher: gathers what arrives while the last round trip is under way, and sends it as one. There is no timer, so
// a lone item waits for nothing. A batch that fails is tried item by item, so that one bad item sinks nobody else.

import { setImmediate as nextTurn } from "node:timers/promises";

interface BatcherOptions<Item, Result> {
  /** Runs a batch; resolves to one result per item, in order. */
  run: (items: readonly Item[]) => Promise<Result[]>;
  /** The most items of one batch. */
  most: number;
  /** With so many waiting the next batch leaves before the results of the last are handed out; with fewer, one turn after. */
  enough: number;
  /** True when a failed batch may be sent again: the failure was an item's, not the connection's. */
  mayRetrySingly: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Batcher<Item, Result> {
  /** Resolves with the item's own result once its batch is committed. */
  submit(item: Item): Promise<Result>;
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>;
}

export function makeBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | null = null;

  function take(): Waiting<Item, Result>[] {
    const batch = waiting.slice(0, options.most);
    waiting = waiting.slice(options.most);
    return batch;
  }

  /** Sends a batch at once; resolves to what hands out its results. */
  async function send(batch: readonly Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await options.run(batch.map((one) => one.item));
      if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} items had ${results.length} results`);
      return () => {
        for (const [place, one] of batch.entries()) one.resolve(results[place] as Result);
      };
    } catch (error) {
      if (batch.length === 1 || !options.mayRetrySingly(error))
        return () => {
          for (const one of batch) one.reject(error);
        };
    }
    for (const one of batch) (await send([one]))();
    return () => undefined;
  }

  async function drain(): Promise<void> {
    let underWay: Promise<() => void> | null = send(take());
    while (underWay) {
      const handOut = await underWay;
      const isEnough = waiting.length >= options.enough;
      if (!isEnough) {
        // Each batch costs a round trip and a disk flush, however small: what those who act on the results submit in this
        // turn goes along.
        handOut();
        await nextTurn();
      }
      underWay = waiting.length > 0 ? send(take()) : null;
      // Many who act on their results keep this process busy for a while, and the other side should not wait for that.
      if (isEnough) handOut();
    }
    running = null;
  }

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= drain();
      }),
    idle: async () => {
      while (running) await running;
    },
  };
}
