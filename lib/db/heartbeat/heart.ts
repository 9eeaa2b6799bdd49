// The heart of a process: it beats, and observes the beats of all others. It runs in a thread of its own, which a busy main loop does not
// delay, or on the main loop where there is no such thread. It reports dead processes and failures, and waits for nobody.

import { setTimeout as sleep } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { type DueSweep, ProcessObserver, type ProcessRow } from "../dead-processes";
import { type DedicatedConnection, openDedicatedConnection } from "../dedicated-connection";
import { Fence, monotonicNs } from "./fence";

/** Everything that the heart knows of its process; it is copied into a thread. */
export interface HeartOptions {
  url: string;
  processId: string;
  /** The roles of this process, for people to read. */
  roles: string;
  /** The version of the SQL functions that it calls: a newer release asks it. */
  functions: number | null;
  /** The memory of its fence. */
  memory: SharedArrayBuffer;
  intervalMs: number;
  /** How long another process's row must be unchanged until that process is dead. */
  deadAfterMs: number;
  sweepEveryMs: number;
  removeAfterMs: number;
  /** How long the main loop may be silent until the heart stops beating. */
  mainLoopTimeoutMs: number;
  /** A first beat that fails ends the heart, instead of being tried again. */
  mustBeatAtOnce: boolean;
}

/** An error as it goes from thread to thread: a copy of the error itself would lose its code. */
interface Failure {
  message: string;
  code: string | undefined;
}

export type HeartReport =
  | { kind: "began" }
  | { kind: "refused"; failure: Failure }
  | { kind: "dead"; due: DueSweep }
  | { kind: "warning"; message: string; failure?: Failure }
  | { kind: "stopped" };

/** The only message to a heart: it beats no more, removes its row and ends. */
export const STOP = "stop";

// A silent connection is given up and replaced within five seconds, before others consider this process dead.
const CONNECT_WITHIN_MS = 2_000;
// Nobody observes a process that starts, so its first heartbeat may wait for a database that a busy machine has just started.
const FIRST_WITHIN_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 1_800;
const ANSWER_WITHIN_MS = 2_000;
const FIRST_RETRY_AFTER_MS = 50;
const TURN_EVERY_MS = 250;

/** Begins to beat. `port` leads to the main loop; when it closes, the heart ends. */
export function runHeart(port: MessagePort, options: HeartOptions): void {
  const heart = new Heart(options, (report) => port.postMessage(report));
  const running = heart.run();
  port.on("message", () => void heart.stop(running).then(() => port.close()));
  port.on("close", () => heart.cut());
}

class Heart {
  readonly #options: HeartOptions;
  readonly #report: (report: HeartReport) => void;
  readonly #fence: Fence;
  readonly #observer: ProcessObserver;
  readonly #stopping = new AbortController();
  #connection: DedicatedConnection | undefined;
  /** Monotonic milliseconds. */
  #nextBeatAt = performance.now();
  #isMainLoopSilent = false;

  constructor(options: HeartOptions, report: (report: HeartReport) => void) {
    this.#options = options;
    this.#report = report;
    this.#fence = new Fence(options.memory);
    // A busy machine delays a heartbeat by a second or two, above all during a service's start; each break costs five more seconds.
    this.#observer = new ProcessObserver({ ...options, maxGapMs: maxGapMs(options) });
  }

  /** Beats until it is stopped. */
  async run(): Promise<void> {
    const turns = setInterval(() => this.#fence.turn(), TURN_EVERY_MS);
    try {
      if (await this.#begin()) await this.#keepBeating();
    } finally {
      clearInterval(turns);
    }
  }

  async stop(running: Promise<void>): Promise<void> {
    this.#stopping.abort();
    try {
      await running;
      await this.#connection?.query("DELETE FROM process WHERE id = $1", [this.#options.processId]);
      this.#fence.close();
    } catch (error) {
      this.#warn("could not remove this process's row; another process will", error);
    }
    this.cut();
    this.#report({ kind: "stopped" });
  }

  /** Ends at once and leaves the row. */
  cut(): void {
    this.#stopping.abort();
    this.#connection?.cut();
  }

  async #begin(): Promise<boolean> {
    if (!this.#options.mustBeatAtOnce) return true;
    try {
      this.#connection = await this.#connect(FIRST_WITHIN_MS);
      await this.#beat();
      this.#report({ kind: "began" });
      return true;
    } catch (error) {
      this.#report({ kind: "refused", failure: failureOf(error) });
      this.cut();
      return false;
    }
  }

  async #keepBeating(): Promise<void> {
    let retryAfterMs = FIRST_RETRY_AFTER_MS;
    while (!this.#stopping.signal.aborted) {
      try {
        const untilNextBeat = this.#pause(Math.max(0, this.#nextBeatAt - performance.now()));
        await (this.#connection ? this.#connection.unlessLost(untilNextBeat) : untilNextBeat);
        if (this.#stopping.signal.aborted) return;
        if (this.#mayBeat()) await this.#beat();
        else await this.#pause(TURN_EVERY_MS);
        retryAfterMs = FIRST_RETRY_AFTER_MS;
      } catch (error) {
        this.#observer.break();
        this.#connection?.cut();
        this.#connection = undefined;
        this.#warn("a heartbeat failed; retrying", error);
        await this.#pause(retryAfterMs);
        // With longer pauses this process would look dead when an outage ends and the others beat again at once.
        retryAfterMs = Math.min(2 * retryAfterMs, this.#options.intervalMs);
      }
    }
  }

  /** False while the main loop is silent for so long that this process serves nobody: its holds are better free. */
  #mayBeat(): boolean {
    const { mainLoopTimeoutMs } = this.#options;
    const wasSilent = this.#isMainLoopSilent;
    this.#isMainLoopSilent = this.#fence.mainLoopSilentMs > mainLoopTimeoutMs;
    if (this.#isMainLoopSilent) this.#observer.break();
    if (this.#isMainLoopSilent && !wasSilent)
      this.#warn(`the main loop was silent for ${mainLoopTimeoutMs} ms: the heartbeat stops until it answers`);
    return !this.#isMainLoopSilent;
  }

  async #beat(): Promise<void> {
    this.#connection ??= await this.#connect(CONNECT_WITHIN_MS);
    const { processId, roles, functions, intervalMs } = this.#options;
    const [sentAtNs, sentAt] = [monotonicNs(), performance.now()];
    this.#nextBeatAt = sentAt + intervalMs;
    const rows = await this.#connection.query<ProcessRow>(beatSql, [processId, roles, this.#fence.nextBeat(), functions]);
    this.#fence.acknowledge(sentAtNs);
    for (const due of this.#observer.observe(rows, { sentAt, receivedAt: performance.now() })) this.#report({ kind: "dead", due });
  }

  async #connect(connectWithinMs: number): Promise<DedicatedConnection> {
    this.#connection = openDedicatedConnection({
      url: this.#options.url,
      application_name: "pennyprompt heartbeat",
      // A beat is worthless after a crash of the database, and holds placed later are flushed after it.
      options: "-c synchronous_commit=off",
      connectWithinMs,
      answerWithinMs: ANSWER_WITHIN_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    await this.#connection.connect();
    return this.#connection;
  }

  /** A stop ends the pause. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #warn(message: string, error?: unknown): void {
    this.#report({ kind: "warning", message, ...(error === undefined ? {} : { failure: failureOf(error) }) });
  }
}

/** A gap between two beats of the observer that counts as unbroken. */
export const maxGapMs = ({ intervalMs }: Pick<HeartOptions, "intervalMs">): number => 3 * intervalMs;

// One statement, one round trip. It reads the rows as they were before its own write; this process's row is left out. A statement of a
// connection that was given up may arrive after later ones: it must not bring back a beat that was there before.
const beatSql = `
  WITH own AS (
    INSERT INTO process AS p (id, roles, started_at, beat, functions) VALUES ($1, $2, clock_timestamp(), $3, $4)
    ON CONFLICT (id) DO UPDATE SET beat = greatest(p.beat, excluded.beat)
  )
  SELECT id, beat::text FROM process WHERE id <> $1`;

function failureOf(error: unknown): Failure {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return { message: typeof message === "string" ? message : String(error), code: typeof code === "string" ? code : undefined };
}
