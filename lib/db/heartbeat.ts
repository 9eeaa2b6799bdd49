// The heartbeat of this process, and its observation of all others: the holds of a killed process are freed within seconds. A process has
// a row from before its first hold until it has stopped, or until the others have swept after its death.

import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "@/lib/base/assert";
import { randomBase62 } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { databaseUrl } from "./database-url";
import { type DueSweep, ProcessObserver, type ProcessRow } from "./dead-processes";
import { type DedicatedConnection, openDedicatedConnection } from "./dedicated-connection";
import { pool } from "./pool";

/** The id of this operating-system process, recorded with every hold that it places. */
export const processId = processSingleton("process id", () => `prc_${randomBase62(20)}`);

/** A process that was judged dead by the beat that its row had. */
export type DeadProcess = ProcessRow;

export interface HeartbeatOptions {
  /** The roles of this process, for people to read. */
  roles: readonly string[];
  /**
   * Frees the holds of a dead process, unless it has beaten since. It is called repeatedly, also by other processes at the same time, and
   * also for a process that was frozen or cut off and lives on.
   */
  onDead: (dead: DeadProcess) => Promise<void>;
  intervalMs?: number;
  /** How long another process's row must be unchanged until that process is dead; also the maximum age of this one's last beat. */
  deadAfterMs?: number;
  sweepEveryMs?: number;
  /** How long a row must be unchanged until it is removed after a last sweep. */
  removeAfterMs?: number;
}

export interface Heartbeat {
  /** False when the last heartbeat is so old that others may consider this process dead. */
  isWell: () => boolean;
  /** Removes the row; call it when no hold is left. Never throws, and takes at most two seconds. */
  stop: () => Promise<void>;
}

// A silent connection is given up and replaced within five seconds, before others consider this process dead.
const CONNECT_WITHIN_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 1_800;
const ANSWER_WITHIN_MS = 2_000;
const FIRST_RETRY_AFTER_MS = 50;
const STOP_WITHIN_MS = 2_000;

interface Heart extends Required<HeartbeatOptions> {
  connection: DedicatedConnection | undefined;
  observer: ProcessObserver;
  stopping: AbortController;
  /** Grows with each attempt and never restarts, so that a row that was removed and inserted again has changed. */
  beat: number;
  /** Monotonic. */
  nextBeatAt: number;
  lastBeatAt: number;
  /** Sweeps under way, by process. */
  sweeps: Map<string, Promise<void>>;
}

/**
 * Starts the heartbeat and resolves once this process has its row: only then may it place holds.
 * @throws what pg throws when the database does not accept the first beat; nothing runs then
 */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const heart = createHeart(options);
  try {
    await beat(heart);
  } catch (error) {
    heart.connection?.cut();
    throw error;
  }
  const running = keepBeating(heart);
  let stopped: Promise<void> | undefined;
  return {
    isWell: () => performance.now() - heart.lastBeatAt <= heart.deadAfterMs,
    stop: () => {
      stopped ??= stop(heart, running);
      return stopped;
    },
  };
}

function createHeart(options: HeartbeatOptions): Heart {
  const times = { intervalMs: 1_000, deadAfterMs: 5_000, sweepEveryMs: 5_000, removeAfterMs: 600_000 };
  const settings = { ...times, ...options };
  // A busy machine delays a heartbeat by a second or two, above all during a service's start; each break costs five more seconds.
  const maxGapMs = 3 * settings.intervalMs;
  assert(settings.deadAfterMs > maxGapMs, "a gap between two heartbeats that counts as unbroken must not be a death");
  return {
    ...settings,
    connection: undefined,
    observer: new ProcessObserver({ ...settings, maxGapMs }),
    stopping: new AbortController(),
    beat: 0,
    nextBeatAt: performance.now(),
    lastBeatAt: Number.NEGATIVE_INFINITY,
    sweeps: new Map(),
  };
}

async function keepBeating(heart: Heart): Promise<void> {
  const { signal } = heart.stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined); // stopping ends the pause
  let retryAfterMs = FIRST_RETRY_AFTER_MS;
  while (!signal.aborted) {
    try {
      const untilNextBeat = pause(Math.max(0, heart.nextBeatAt - performance.now()));
      await (heart.connection ? heart.connection.unlessLost(untilNextBeat) : untilNextBeat);
      if (!signal.aborted) await beat(heart);
      retryAfterMs = FIRST_RETRY_AFTER_MS;
    } catch (error) {
      heart.observer.break();
      heart.connection?.cut();
      heart.connection = undefined;
      log().warn({ err: error }, "a heartbeat failed; retrying");
      await pause(retryAfterMs);
      // With longer pauses this process would look dead when an outage ends and the others beat again at once.
      retryAfterMs = Math.min(2 * retryAfterMs, heart.intervalMs);
    }
  }
}

// One statement, one round trip. It reads the rows as they were before its own write; this process's row is left out.
const beatSql = `
  WITH own AS (
    INSERT INTO process (id, roles, started_at, beat) VALUES ($1, $2, clock_timestamp(), $3)
    ON CONFLICT (id) DO UPDATE SET beat = excluded.beat
  )
  SELECT id, beat::text FROM process WHERE id <> $1`;

async function beat(heart: Heart): Promise<void> {
  heart.connection ??= await connect(heart);
  const sentAt = performance.now();
  heart.nextBeatAt = sentAt + heart.intervalMs;
  heart.beat += 1;
  const values = [processId(), heart.roles.join(","), heart.beat];
  const rows = await heart.connection.query<ProcessRow>(beatSql, values);
  heart.lastBeatAt = sentAt;
  for (const due of heart.observer.observe(rows, { sentAt, receivedAt: performance.now() })) sweep(heart, due);
}

async function connect(heart: Heart): Promise<DedicatedConnection> {
  heart.connection = openDedicatedConnection({
    url: databaseUrl(),
    application_name: "pennyprompt heartbeat",
    // A beat is worthless after a crash of the database, and holds placed later are flushed after it.
    options: "-c synchronous_commit=off",
    connectWithinMs: CONNECT_WITHIN_MS,
    answerWithinMs: ANSWER_WITHIN_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  await heart.connection.connect();
  return heart.connection;
}

/** Sweeps next to the heartbeat, which never waits for it; at most one sweep at a time for each process. */
function sweep(heart: Heart, due: DueSweep): void {
  if (heart.sweeps.has(due.id)) return;
  if (due.isFirst) log().warn({ processId: due.id }, "another process is dead; freeing its holds");
  const sweeping = freeDead(heart, due)
    .catch((error: unknown) => log().error({ err: error, processId: due.id }, "could not free a dead process's holds; retrying"))
    .finally(() => heart.sweeps.delete(due.id));
  heart.sweeps.set(due.id, sweeping);
}

async function freeDead({ onDead, stopping }: Heart, { id, beat, isLast }: DueSweep): Promise<void> {
  await onDead({ id, beat });
  // Through the pool: another observer that removes the row at the same time must not delay the heartbeat.
  if (isLast && !stopping.signal.aborted) await pool().query("DELETE FROM process WHERE id = $1 AND beat = $2", [id, beat]);
}

async function stop(heart: Heart, running: Promise<void>): Promise<void> {
  heart.stopping.abort();
  const ending = running
    .then(() => heart.connection?.query("DELETE FROM process WHERE id = $1", [processId()]))
    .catch((error: unknown) => log().warn({ err: error }, "could not remove this process's row; another process will"));
  await Promise.race([Promise.all([ending, ...heart.sweeps.values()]), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  heart.connection?.cut();
}
