// Keeps this process's heart beating: a thread of it that ends or hangs is replaced. For all others the process stays the same, since its id
// and the numbers of its beats go on.

import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import type { DueSweep } from "../dead-processes";
import { Fence } from "./fence";
import type { HeartOptions, HeartReport } from "./heart";
import { type HeartThread, startHeartThread } from "./heart-thread";

export interface KeeperOptions {
  /** The bundle of the heart's thread; null to run it on the main loop. */
  bundle: string | null;
  heart: Omit<HeartOptions, "mustBeatAtOnce">;
  /** How many turns of the main loop the heart's own loop may stand still until it is replaced. */
  hungAfterTurns: number;
  onDue: (due: DueSweep) => void;
}

const FIRST_RESTART_AFTER_MS = 100;
const LONGEST_RESTART_AFTER_MS = 5_000;
/** A thread that lived for longer is replaced as soon as a first one. */
const HEALTHY_AFTER_MS = 60_000;

export class HeartKeeper {
  readonly #options: KeeperOptions;
  readonly #fence: Fence;
  #thread: HeartThread | undefined;
  /** Monotonic milliseconds. */
  #startedAt = 0;
  #restartAfterMs = FIRST_RESTART_AFTER_MS;
  #restart: NodeJS.Timeout | undefined;
  #lastTurn = { at: 0n, seen: 0 };
  /** Settles the first start; nothing once it is settled. */
  #first: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #isOver = false;
  #onOver = () => {};

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#fence = new Fence(options.heart.memory);
  }

  /** Resolves with the first beat. @throws what pg throws when the database does not accept it; nothing runs then */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#first = { resolve, reject };
      this.#begin(true);
    });
  }

  /** Call it whenever the main loop turns. */
  check(): void {
    const { heartAt } = this.#fence;
    if (heartAt !== this.#lastTurn.at) this.#lastTurn = { at: heartAt, seen: 0 };
    else this.#lastTurn.seen += 1;
    // Counted, not timed: after a freeze of the whole process both loops have stood still.
    if (this.#lastTurn.seen <= this.#options.hungAfterTurns || !this.#thread) return;
    log().error("the thread of the heartbeat hangs; replacing it");
    this.#lastTurn.seen = 0;
    this.#thread.end();
  }

  /** Removes this process's row and ends the thread; resolves once both are done. */
  stop(): Promise<void> {
    clearTimeout(this.#restart);
    const wasOver = this.#isOver || !this.#thread;
    this.#isOver = true;
    if (wasOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onOver = resolve;
      this.#thread?.stop();
    });
  }

  /** Ends the thread at once. */
  end(): void {
    this.#isOver = true;
    this.#thread?.end();
  }

  #begin(mustBeatAtOnce: boolean): void {
    this.#startedAt = performance.now();
    this.#lastTurn.seen = 0;
    const options = { ...this.#options.heart, mustBeatAtOnce };
    try {
      this.#thread = startHeartThread(this.#options.bundle, options, {
        onReport: (report) => this.#read(report),
        onEnd: (cause) => this.#ended(cause),
      });
    } catch (error) {
      this.#ended(error as Error); // the system has no thread to give
    }
  }

  #read(report: HeartReport): void {
    switch (report.kind) {
      case "began":
        this.#first?.resolve();
        this.#first = undefined;
        return;
      case "refused":
        this.#fail(Object.assign(new Error(report.failure.message), { code: report.failure.code }));
        return;
      case "dead":
        if (!this.#isOver) this.#options.onDue(report.due);
        return;
      case "warning":
        log().warn({ reason: report.failure?.message, code: report.failure?.code }, report.message);
        return;
      case "stopped":
        this.#onOver();
    }
  }

  #fail(error: Error): void {
    this.#first?.reject(error);
    this.#first = undefined;
    this.end();
  }

  #ended(cause: Error | null): void {
    this.#thread = undefined;
    this.#onOver();
    if (this.#first) this.#fail(cause ?? new Error("the thread of the heartbeat ended before its first beat"));
    if (this.#isOver) return;
    metrics().heartbeatRestarts.inc();
    log().error({ err: cause }, "the thread of the heartbeat ended; starting another");
    const wasHealthy = performance.now() - this.#startedAt > HEALTHY_AFTER_MS;
    if (wasHealthy) this.#restartAfterMs = FIRST_RESTART_AFTER_MS;
    this.#restart = setTimeout(() => this.#begin(false), this.#restartAfterMs).unref();
    this.#restartAfterMs = Math.min(2 * this.#restartAfterMs, LONGEST_RESTART_AFTER_MS);
  }
}
