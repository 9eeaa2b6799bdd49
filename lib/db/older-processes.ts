// Processes of an older release that still run on a database which a newer one is about to change: they could not book their answers.

import { setTimeout as sleep } from "node:timers/promises";
import { readServed } from "./functions";
import { inTransaction, type Queryable } from "./pool";

/** The number that Prisma's command line locks, so that it never migrates at the same time as we do. */
export const migrationLock = 72_707_369;

interface OlderProcess {
  id: string;
  roles: string;
  startedAt: Date;
  /** Opaque: only a change matters. */
  beat: string;
}

/** A process that beats does so each second, and is dead for others after five. */
const LOOK_FOR_MS = 5_000;
const LOOK_EVERY_MS = 250;

/**
 * Resolves once no process beats whose release calls functions below version `serves`.
 * @throws Error that names such processes, and says how to end them
 */
export async function refuseWhileOlderRun(database: Queryable, serves: number, log: (message: string) => void): Promise<void> {
  const first = await readOlder(database, serves);
  if (first.length === 0) return;
  log("database: looking whether processes of an older release still run");
  for (const end = performance.now() + LOOK_FOR_MS; performance.now() < end; ) {
    await sleep(LOOK_EVERY_MS);
    const older = await readOlder(database, serves);
    const running = older.filter(({ id, beat }) => first.every((one) => one.id !== id || one.beat !== beat));
    if (running.length > 0) throw new Error(refusalOf(running));
    if (older.length === 0) return;
  }
}

const refusalOf = (running: readonly OlderProcess[]): string =>
  `An older release still runs on this database: ${running.map(nameOf).join(", ")}. It could not book its answers after this release has changed the database. End it (SIGTERM or Ctrl-C: it finishes the requests that it has begun, and takes no new ones), then start this release again. Nothing was changed.`;

const nameOf = ({ id, roles, startedAt }: OlderProcess): string => `process ${id} (${roles}, since ${startedAt.toISOString()})`;

/** The column is missing in a database of a release from before it, whose processes count as older than any. */
async function readOlder(database: Queryable, serves: number): Promise<OlderProcess[]> {
  const { rows } = await database.query<OlderProcess>(
    `SELECT p.id, p.roles, p.started_at AS "startedAt", p.beat::text FROM process p
     WHERE coalesce((to_jsonb(p) ->> 'functions')::integer, 0) < $1 ORDER BY p.started_at`,
    [serves],
  );
  return rows;
}

/**
 * For a process that has just begun to beat, and calls functions of this version: a newer release that looked for it before saw nobody, and
 * may have changed the database since. A migration holds the lock, so either it saw this process, or this process sees its changes.
 * @throws Error when the database serves this release no longer
 */
export async function refuseIfOutdated(version: number | null): Promise<void> {
  const served = await inTransaction(async (transaction) => {
    await transaction.query("SELECT pg_advisory_xact_lock_shared($1)", [migrationLock]);
    return readServed(transaction);
  });
  if (version !== null && version < served)
    throw new Error(
      `A newer release has changed this database while this one started: its SQL functions serve version ${served} and later, and this code calls ${version}. Start that release. Nothing was changed.`,
    );
}
