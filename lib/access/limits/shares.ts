// Places that many want at once. An owner has at most its share, and those who wait are served owner by owner: nobody takes all places by
// coming first, or by asking most often.

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

  /** Resolves with what gives the place back; null when there is none in time, too many wait, or `gone` aborts. */
  take(owner: string, gone?: AbortSignal): Promise<GiveBack | null> {
    if (gone?.aborted) return Promise.resolve(null);
    if (this.#hasRoom(owner) && !this.#queues.has(owner)) return Promise.resolve(this.#give(owner));
    const { waitingOfOne, waiting, mostWaitMs } = this.#options;
    const queue = this.#queues.get(owner) ?? new Set();
    if (queue.size >= waitingOfOne || this.#waitingInAll >= waiting) return Promise.resolve(null);
    return new Promise((resolve) => {
      const one: Waiting = {
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

  #hasRoom(owner: string): boolean {
    return this.#takenInAll < this.#options.places && (this.#taken.get(owner) ?? 0) < this.#options.ofOne;
  }

  #give(owner: string): GiveBack {
    this.#takenInAll += 1;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.#takenInAll -= 1;
      const left = (this.#taken.get(owner) ?? 1) - 1;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
      this.#grantNext();
    };
  }

  /** The first owner in turn that has room; it goes to the end of the turn. */
  #grantNext(): void {
    for (const [owner, queue] of this.#queues) {
      if (this.#takenInAll >= this.#options.places) return;
      const [next] = queue;
      if (!next || !this.#hasRoom(owner)) continue;
      next.grant(this.#give(owner));
      if (queue.size === 0) continue;
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
      return;
    }
  }
}
