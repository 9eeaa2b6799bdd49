// A micro-batcher: gathers what arrives while the last round trip is under way, and sends it as one. There is no timer, so
// a lone item waits for nothing. Where a crowd waits, it does not wait for the end of that round trip: while one side writes its
// disk, the other decides. A batch that fails is tried item by item, so that one bad item sinks nobody else.

import { setImmediate as nextTurn } from "node:timers/promises";

interface BatcherOptions<Item, Result> {
  /** Runs a batch; resolves to one result per item, in order. */
  run: (items: readonly Item[]) => Promise<Result[]>;
  /** The most items of one batch. */
  most: number;
  /** With so many waiting the next batch leaves before the results of the last are handed out; with fewer, one turn after. */
  enough: number;
  /** With so many waiting a second batch leaves beside one that is under way. */
  crowd: number;
  /** True when a failed batch may be sent again: the failure was an item's, not the connection's. */
  mayRetrySingly: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** One batch after the other. */
interface Lane {
  /** Items of the batch that is under way. */
  size: number;
  ended: Promise<void>;
}

/** More lanes would make batches so small that each item costs more than it gains. */
const MOST_LANES = 2;

/** A batch that is far smaller than the one beside it is better sent after it, when it has grown. */
const FAIR_SHARE = 0.7;

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #lanes = new Set<Lane>();
  #waiting: Waiting<Item, Result>[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's own result once its batch is committed. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#lanes.size < MOST_LANES && this.#isDue()) this.#open();
    });
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(Array.from(this.#lanes, ({ ended }) => ended));
  }

  /** True when those who wait make the next batch, beside what is under way in other lanes than this. */
  #isDue(lane?: Lane): boolean {
    const { length } = this.#waiting;
    for (const other of this.#lanes) {
      if (other !== lane) return length >= this.#options.crowd && length >= other.size * FAIR_SHARE;
    }
    return length > 0;
  }

  #open(): void {
    const lane: Lane = { size: 0, ended: Promise.resolve() };
    this.#lanes.add(lane);
    lane.ended = this.#run(lane);
  }

  async #run(lane: Lane): Promise<void> {
    let underWay: Promise<() => void> | null = this.#sendNext(lane);
    while (underWay) {
      const handOut = await underWay;
      const isEnough = this.#waiting.length >= this.#options.enough;
      if (!isEnough) {
        // Each batch costs a round trip and a disk flush, however small: what those who act on the results submit in this
        // turn goes along.
        handOut();
        await nextTurn();
      }
      underWay = this.#isDue(lane) ? this.#sendNext(lane) : null;
      if (!underWay) this.#lanes.delete(lane);
      // Many who act on their results keep this process busy for a while, and the other side should not wait for that.
      if (isEnough) handOut();
    }
  }

  #sendNext(lane: Lane): Promise<() => void> {
    const batch = this.#waiting.slice(0, this.#options.most);
    this.#waiting = this.#waiting.slice(this.#options.most);
    lane.size = batch.length;
    return this.#send(batch);
  }

  /** Sends a batch at once; resolves to what hands out its results. */
  async #send(batch: readonly Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#options.run(batch.map((one) => one.item));
      if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} items had ${results.length} results`);
      return () => {
        for (const [place, one] of batch.entries()) one.resolve(results[place] as Result);
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
