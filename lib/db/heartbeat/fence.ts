// The fence of this process: a number that rises whenever its heartbeat was so late that others may have taken it for dead and freed its
// holds. The heart writes it, in whatever thread it beats; the main loop reads it before each piece of an answer, without waiting for
// anything. Times are those of process.hrtime, which all threads of a process share, unlike those of performance.now().

import { setTimeout as sleep } from "node:timers/promises";
import { processSingleton } from "@/lib/base/process-singleton";

/** Nanoseconds, except `number` and `beat`. */
const cells = {
  /** When the last acknowledged beat was sent; 0 while this process has no row, and nobody can take it for dead. */
  sentAt: 0,
  number: 1,
  /** The last beat's number. */
  beat: 2,
  /** How long a beat is fresh. */
  freshFor: 3,
  /** When the main loop answered last. */
  mainLoopAt: 4,
  /** When the heart's own loop turned last. */
  heartAt: 5,
} as const;

const LOOK_EVERY_MS = 50;
const NS_IN_MS = 1_000_000;

export const monotonicNs = (): bigint => process.hrtime.bigint();

export class Fence {
  readonly memory: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  /** The fence that lies in this memory, which another thread may share. */
  constructor(memory = new SharedArrayBuffer(Object.keys(cells).length * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new BigInt64Array(memory);
  }

  /** Read it before a hold is placed. */
  get number(): bigint {
    return Atomics.load(this.#cells, cells.number);
  }

  /** True while no other process can have freed a hold that was placed under this number. */
  mayWrite(number: bigint): boolean {
    // In this order: the heart raises the number before it says that it has beaten.
    return this.isFresh() && this.number === number;
  }

  /** True while no other process can take this one for dead. */
  isFresh(): boolean {
    const sentAt = Atomics.load(this.#cells, cells.sentAt);
    return sentAt === 0n || monotonicNs() - sentAt < Atomics.load(this.#cells, cells.freshFor);
  }

  /** Resolves with true once the heartbeat is fresh, with false once `isOver` says so. */
  async untilFresh(isOver: () => boolean): Promise<boolean> {
    while (!isOver()) {
      if (this.isFresh()) return true;
      await sleep(LOOK_EVERY_MS);
    }
    return false;
  }

  /** Milliseconds since the last acknowledged beat was sent; without one, infinity. */
  get ageMs(): number {
    const sentAt = Atomics.load(this.#cells, cells.sentAt);
    return sentAt === 0n ? Number.POSITIVE_INFINITY : Number(monotonicNs() - sentAt) / NS_IN_MS;
  }

  /** Says how long a beat is fresh: less than others wait until they take this process for dead. */
  setFreshForMs(ms: number): void {
    Atomics.store(this.#cells, cells.freshFor, BigInt(Math.round(ms * NS_IN_MS)));
  }

  /** The next beat's number. None repeats, whichever thread beats, so that each changes the row. */
  nextBeat(): bigint {
    return Atomics.add(this.#cells, cells.beat, 1n) + 1n;
  }

  /**
   * The beat that was sent at `sentAt` is in the database. A sweep that an earlier beat was judged for can have come before it only if it is
   * late, counted from when that one was sent: then the number rises.
   */
  acknowledge(sentAt: bigint): void {
    const before = Atomics.load(this.#cells, cells.sentAt);
    const isLate = before !== 0n && monotonicNs() - before >= Atomics.load(this.#cells, cells.freshFor);
    if (isLate) Atomics.add(this.#cells, cells.number, 1n);
    Atomics.store(this.#cells, cells.sentAt, sentAt);
  }

  /** This process has removed its row. */
  close(): void {
    Atomics.store(this.#cells, cells.sentAt, 0n);
  }

  /** The main loop answers the heart. */
  answer(): void {
    Atomics.store(this.#cells, cells.mainLoopAt, monotonicNs());
  }

  /** Milliseconds since the main loop answered. */
  get mainLoopSilentMs(): number {
    return Number(monotonicNs() - Atomics.load(this.#cells, cells.mainLoopAt)) / NS_IN_MS;
  }

  /** The heart's own loop turns. */
  turn(): void {
    Atomics.store(this.#cells, cells.heartAt, monotonicNs());
  }

  /** When the heart's own loop turned last. */
  get heartAt(): bigint {
    return Atomics.load(this.#cells, cells.heartAt);
  }
}

/** The fence of this process; open as long as it has no heartbeat. */
export const processFence = processSingleton("process fence", () => new Fence());
