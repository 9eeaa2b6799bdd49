// The heartbeat of this process, and its observation of all others: the holds of a killed process are freed within seconds. A process has
// a row from before its first hold until it has stopped, or until the others have swept after its death. It beats in a thread of its own,
// so that a busy main loop is no death; the sweeps of the dead are done here.

import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "@/lib/base/assert";
import { randomBase62 } from "@/lib/base/ids";
import { watchEventLoop } from "@/lib/base/observe/event-loop";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { databaseUrl } from "./database-url";
import type { DueSweep, ProcessRow } from "./dead-processes";
import { readFunctionsVersion } from "./functions";
import { processFence } from "./heartbeat/fence";
import { maxGapMs } from "./heartbeat/heart";
import { HeartKeeper } from "./heartbeat/heart-keeper";
import { findHeartBundle } from "./heartbeat/heart-thread";
import { refuseIfOutdated } from "./older-processes";
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
  /** How long the main loop may be silent until this process stops beating. */
  mainLoopTimeoutMs?: number;
  /** How many turns of the main loop, four a second, the heart's thread may stand still until it is replaced. */
  hungAfterTurns?: number;
  /** The bundle of the heart's thread; null to beat on the main loop. */
  bundle?: string | null;
}

export interface Heartbeat {
  /** False when the last heartbeat is so old that others may consider this process dead. */
  isWell: () => boolean;
  /** Removes the row; call it when no hold is left. Never throws, and takes at most two seconds. */
  stop: () => Promise<void>;
}

const defaults = {
  intervalMs: 1_000,
  deadAfterMs: 5_000,
  sweepEveryMs: 5_000,
  removeAfterMs: 600_000,
  mainLoopTimeoutMs: 30_000,
  hungAfterTurns: 40,
};

/** A beat is fresh for this share of deadAfterMs. The rest is for work that was decided on while it was fresh. */
const FRESH_SHARE = 0.8;
const STOP_WITHIN_MS = 2_000;

/**
 * Starts the heartbeat and resolves once this process has its row: only then may it place holds.
 * @throws what pg throws when the database does not accept the first beat, and Error when it serves this release no longer; nothing runs then
 */
export async function startHeartbeat({ bundle = findHeartBundle(), roles, onDead, ...times }: HeartbeatOptions): Promise<Heartbeat> {
  const { hungAfterTurns, ...settings } = { ...defaults, ...times };
  assert(settings.deadAfterMs > maxGapMs(settings), "a gap between two heartbeats that counts as unbroken must not be a death");
  const fence = processFence();
  fence.setFreshForMs(FRESH_SHARE * settings.deadAfterMs);
  const sweeps = new Sweeps(onDead);
  const functions = readFunctionsVersion();
  const keeper = new HeartKeeper({
    bundle,
    heart: {
      ...settings,
      url: databaseUrl(),
      processId: processId(),
      roles: roles.join(","),
      functions,
      memory: fence.memory,
    },
    hungAfterTurns,
    onDue: (due) => sweeps.sweep(due),
  });
  fence.answer();
  const loop = watchEventLoop(() => {
    fence.answer();
    keeper.check();
  });
  try {
    await keeper.start();
  } catch (error) {
    loop.stop();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  const heartbeat: Heartbeat = {
    isWell: () => fence.ageMs <= settings.deadAfterMs,
    stop: () => {
      stopped ??= stop(keeper, sweeps).finally(loop.stop);
      return stopped;
    },
  };
  try {
    await refuseIfOutdated(functions);
  } catch (error) {
    await heartbeat.stop();
    throw error;
  }
  return heartbeat;
}

async function stop(keeper: HeartKeeper, sweeps: Sweeps): Promise<void> {
  sweeps.stop();
  await Promise.race([Promise.all([keeper.stop(), sweeps.ended()]), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
  keeper.end();
}

/** Sweeps next to the heartbeat, which never waits for them; at most one at a time for each process. */
class Sweeps {
  readonly #onDead: HeartbeatOptions["onDead"];
  readonly #underWay = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(onDead: HeartbeatOptions["onDead"]) {
    this.#onDead = onDead;
  }

  sweep(due: DueSweep): void {
    if (this.#underWay.has(due.id)) return;
    if (due.isFirst) log().warn({ processId: due.id }, "another process is dead; freeing its holds");
    const sweeping = this.#free(due)
      .catch((error: unknown) => log().error({ err: error, processId: due.id }, "could not free a dead process's holds; retrying"))
      .finally(() => this.#underWay.delete(due.id));
    this.#underWay.set(due.id, sweeping);
  }

  /** The row of a process that is dead for long stays: another process removes it. */
  stop(): void {
    this.#isStopping = true;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #free({ id, beat, isLast }: DueSweep): Promise<void> {
    await this.#onDead({ id, beat });
    // Through the pool: another observer that removes the row at the same time must not delay the heartbeat.
    if (isLast && !this.#isStopping) await pool().query("DELETE FROM process WHERE id = $1 AND beat = $2", [id, beat]);
  }
}
