// Places that many want at once, one or several at a time. An owner has at most its share, and those who wait are served owner by owner:
// nobody takes all places by coming first, or by asking most often.

import { setMaxListeners } from "node:events";

export interface SharesOptions {
  /** Places in all. */
  places: number;
  /** Of one owner: fewer than there are, so that there is always room for others. */
  ofOne: number;
  /** How many of one owner may wait. */
  waitingOfOne: number;
  /** How many may wait in all. */
  waiting: number;
  /** How long one waits, milliseconds. */
  mostWaitMs: number;
}

/** Gives the place back; a second call does nothing. */
export type GiveBack = () => void;

interface Waiting {
  count: number;
  grant: (giveBack: GiveBack | null) => void;
}

export class Shares {
  readonly #options: SharesOptions;
  readonly #taken = new Map<string, number>();
  /** In the order in which owners get their turn. */
  readonly #queues = new Map<string, Set<Waiting>>();
  #takenInAll = 0;
  #waitingInAll = 0;

  constructor(options: SharesOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the function that gives `count` places back, at most an owner's share; null when they do not come in time, too many wait,
   * or `gone` aborts.
   */
  take(owner: string, gone?: AbortSignal, count = 1): Promise<GiveBack | null> {
    if (gone?.aborted) return Promise.resolve(null);
    if (this.#hasRoom(owner, count) && !this.#queues.has(owner)) return Promise.resolve(this.#give(owner, count));
    const { waitingOfOne, waiting, mostWaitMs } = this.#options;
    const queue = this.#queues.get(owner) ?? new Set();
    if (queue.size >= waitingOfOne || this.#waitingInAll >= waiting) return Promise.resolve(null);
    return new Promise((resolve) => {
      const one: Waiting = {
        count,
        grant: (giveBack) => {
          clearTimeout(late);
          gone?.removeEventListener("abort", leave);
          this.#waitingInAll -= 1;
          queue.delete(one);
          if (queue.size === 0) this.#queues.delete(owner);
          resolve(giveBack);
        },
      };
      const leave = () => one.grant(null);
      const late = setTimeout(leave, mostWaitMs);
      if (gone) setMaxListeners(0, gone);
      gone?.addEventListener("abort", leave);
      this.#waitingInAll += 1;
      queue.add(one);
      this.#queues.set(owner, queue);
    });
  }

  /** Places that are taken now. */
  get taken(): number {
    return this.#takenInAll;
  }

  #hasRoom(owner: string, count: number): boolean {
    return this.#takenInAll + count <= this.#options.places && (this.#taken.get(owner) ?? 0) + count <= this.#options.ofOne;
  }

  #give(owner: string, count: number): GiveBack {
    this.#takenInAll += count;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + count);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.#takenInAll -= count;
      const left = (this.#taken.get(owner) ?? count) - count;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
      while (this.#grantNext());
    };
  }

  /** The first owner in turn that has room; it goes to the end of the turn. False when there is none. */
  #grantNext(): boolean {
    if (this.#takenInAll >= this.#options.places) return false;
    for (const [owner, queue] of this.#queues) {
      const [next] = queue;
      if (!next || !this.#hasRoom(owner, next.count)) continue;
      next.grant(this.#give(owner, next.count));
      if (queue.size === 0) return true;
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
      return true;
    }
    return false;
  }
}
