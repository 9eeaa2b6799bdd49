// A micro-batcher: gathers the items that arrive during a round trip and sends them as the next batch. There is no timer, so a single item
// waits for nothing. When many wait, they do not wait for that round trip: a second batch is decided while the first is written to disk,
// but never with items that would wait for the first one's locks. A failed batch is retried item by item, so that one bad item fails no
// other.

import { setImmediate as nextTurn } from "node:timers/promises";

interface BatcherOptions<Item, Result> {
  /** Runs a batch; resolves to one result per item, in order. */
  run: (items: readonly Item[]) => Promise<(Result | Failure)[]>;
  /** Maximum number of items in a batch. */
  maxBatch: number;
  /** With this many waiting, the next batch is sent before the results of the last are handed out; with fewer, one turn after. */
  minEagerBatch: number;
  /** With this many waiting that share no key with the batch under way, they are sent as a second batch in parallel. */
  minParallelBatch: number;
  /** The lock that an item takes: items of one key are never in two batches at once, which would wait for each other. */
  keyOf: (item: Item) => string;
  /** True when a second batch could be sent at once. */
  hasRoom: () => boolean;
  /** True when a failed batch may be sent again: the failure was an item's, not the connection's. */
  mayRetrySingly: (error: unknown) => boolean;
}

/** The result of an item that failed alone, when others of its batch did not. */
export class Failure {
  constructor(readonly error: unknown) {}
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Sends one batch after the other. */
interface Lane<Item, Result> {
  /** The batch under way. */
  batch: readonly Waiting<Item, Result>[];
  /** The batch's keys; computed on first use. */
  keys: Set<string> | null;
  ended: Promise<void>;
}

/** More lanes would make batches so small that each item costs more than it gains. */
const MAX_LANES = 2;

/** A batch much smaller than that in the other lane is better sent after it, when it has grown. */
const FAIR_SHARE = 0.7;

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #lanes = new Set<Lane<Item, Result>>();
  #waiting: Waiting<Item, Result>[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's own result once its batch is committed. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#lanes.size < MAX_LANES && this.#isDue()) this.#open();
    });
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(Array.from(this.#lanes, ({ ended }) => ended));
  }

  /** True when the waiting items make up the next batch, in parallel to that of any lane other than this. */
  #isDue(lane?: Lane<Item, Result>): boolean {
    const beside = this.#besideOf(lane);
    if (!beside) return this.#waiting.length > 0;
    const least = Math.max(this.#options.minParallelBatch, beside.batch.length * FAIR_SHARE);
    return this.#waiting.length >= least && this.#hasFree(beside, least) && this.#options.hasRoom();
  }

  /** The other lane; there are at most two. */
  #besideOf(lane?: Lane<Item, Result>): Lane<Item, Result> | undefined {
    for (const other of this.#lanes) if (other !== lane) return other;
    return undefined;
  }

  #hasFree(beside: Lane<Item, Result>, least: number): boolean {
    let free = 0;
    for (const one of this.#waiting) if (this.#isFree(one, beside) && ++free >= least) return true;
    return false;
  }

  #isFree({ item }: Waiting<Item, Result>, beside: Lane<Item, Result>): boolean {
    const { keyOf } = this.#options;
    beside.keys ??= new Set(beside.batch.map((one) => keyOf(one.item)));
    return !beside.keys.has(keyOf(item));
  }

  #open(): void {
    const lane: Lane<Item, Result> = { batch: [], keys: null, ended: Promise.resolve() };
    this.#lanes.add(lane);
    lane.ended = this.#run(lane);
  }

  async #run(lane: Lane<Item, Result>): Promise<void> {
    let underWay: Promise<() => void> | null = this.#sendNext(lane);
    while (underWay) {
      const handOut = await underWay;
      const isEnough = this.#waiting.length >= this.#options.minEagerBatch;
      if (!isEnough) {
        // Every batch costs a round trip and a disk flush, however small: items that callers submit on these results in this turn
        // are sent along.
        handOut();
        await nextTurn();
      }
      underWay = this.#isDue(lane) ? this.#sendNext(lane) : null;
      if (!underWay) this.#lanes.delete(lane);
      // Many callers with results keep this process busy for a while, and the database should not wait for that.
      if (isEnough) handOut();
    }
  }

  #sendNext(lane: Lane<Item, Result>): Promise<() => void> {
    const beside = this.#besideOf(lane);
    const { maxBatch } = this.#options;
    const batch: Waiting<Item, Result>[] = [];
    const rest: Waiting<Item, Result>[] = [];
    for (const one of this.#waiting) (batch.length < maxBatch && (!beside || this.#isFree(one, beside)) ? batch : rest).push(one);
    this.#waiting = rest;
    lane.batch = batch;
    lane.keys = null;
    return this.#send(batch);
  }

  /** Sends a batch at once; resolves to a function that hands out its results. */
  async #send(batch: readonly Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#options.run(batch.map((one) => one.item));
      if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} items had ${results.length} results`);
      return () => {
        for (const [index, one] of batch.entries()) {
          const result = results[index] as Result | Failure;
          if (result instanceof Failure) one.reject(result.error);
          else one.resolve(result);
        }
      };
    } catch (error) {
      if (batch.length === 1 || !this.#options.mayRetrySingly(error))
        return () => {
          for (const one of batch) one.reject(error);
        };
    }
    for (const one of batch) (await this.#send([one]))();
    return () => undefined;
  }
}
