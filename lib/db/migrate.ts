// The database's schema: tables from the migrations of prisma/migrations, functions and triggers from the files of prisma/functions. All
// that a start applies is one transaction, run by one process at a time. Migrations are recorded as Prisma's own command line records
// them, which can take over at any time.

import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type pg from "pg";
import { applyFunctions, findChangedByHand, leastVersionServed } from "./functions";
import { migrationLock, refuseWhileOlderRun } from "./older-processes";
import type { Queryable } from "./pool";
import { withClient } from "./with-client";

interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file, hexadecimal. */
  checksum: string;
}

interface MigrateOptions {
  url: string;
  /** Compared with the mode that the database remembers before anything is changed; remembered if the database is new. */
  mode?: "sandbox" | "live";
  /** Contains `migrations/` and `functions/`. */
  directory?: string;
  log?: (message: string) => void;
}

/** Migrations of databases created before the first baseline; no release ever had them. */
const beforeBaseline = /^000000000000\d\d_/;

/** As Prisma creates it: https://github.com/prisma/prisma-engines, schema-engine, the PostgreSQL flavour. */
const bookkeeping = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id                  varchar(36) PRIMARY KEY NOT NULL,
  checksum            varchar(64) NOT NULL,
  finished_at         timestamptz,
  migration_name      varchar(255) NOT NULL,
  logs                text,
  rolled_back_at      timestamptz,
  started_at          timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

type Mode = "sandbox" | "live";

/**
 * Brings the database to the schema of this code and returns the names of the migrations it applied. A second process that migrates at
 * the same time waits, and finds it done.
 * @throws Error when the database has the other mode, comes from newer code, does not match the files, or processes run on it that the change
 *   would leave unable to book; nothing is changed then
 */
export async function migrate({ url, mode, directory = resolve("prisma"), log = () => undefined }: MigrateOptions): Promise<string[]> {
  const migrations = readMigrations(join(directory, "migrations"));
  return withClient(url, "pennyprompt migrate", async (client) => {
    await lockMigrations(client, log); // until the connection ends
    if (mode !== undefined) await readMode(client, mode);
    const pending = await findPending(client, migrations);
    const serves = await leastVersionServed(client, join(directory, "functions"));
    if (serves !== null) await refuseWhileOlderRun(client, serves, log);
    const functions = await inOneTransaction(client, async () => {
      const changedByHand = await findChangedByHand(client);
      if (pending.length > 0) await client.query(bookkeeping);
      for (const migration of pending) await apply(client, migration);
      return applyFunctions(client, join(directory, "functions"), changedByHand, log);
    });
    const applied = appliedText(pending, functions);
    if (applied) log(applied);
    if (mode !== undefined) await rememberMode(client, mode);
    return pending.map(({ name }) => name);
  });
}

/** One line, also for a new database that gets everything; null when it had everything. */
function appliedText(migrations: readonly Migration[], functions: number | null): string | null {
  const [first, ...others] = migrations;
  const named = first && (others.length === 0 ? `migration ${first.name}` : `${migrations.length} migrations`);
  const parts = [named, functions && `SQL functions (version ${functions})`].filter(Boolean);
  return parts.length > 0 ? `database: ${parts.join(" and ")} applied` : null;
}

/** All migrations of `directory`, in the order of their names. */
export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(directory, entry.name, "migration.sql")))
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => {
    const sql = readFileSync(join(directory, name, "migration.sql"), "utf8");
    return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}

async function lockMigrations(client: pg.Client, log: (message: string) => void): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [migrationLock]);
  if (rows[0]?.locked) return;
  log("database: waiting for another process that is migrating it");
  await client.query("SELECT pg_advisory_lock($1)", [migrationLock]);
}

interface AppliedMigration {
  name: string;
  checksum: string;
  finished: boolean;
}

async function findPending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows: tables } = await client.query<{ found: boolean }>("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found");
  if (!tables[0]?.found) return migrations;
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  const files = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of rows) checkApplied(row, files.get(row.name));
  const applied = new Set(rows.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !applied.has(name));
  const last = [...applied].sort().at(-1);
  const late = pending.find(({ name }) => last !== undefined && name < last);
  if (late !== undefined)
    throw new Error(`Migration ${late.name} comes before ${last}, which this database already has. Rename it to come after.`);
  return pending;
}

/** @throws Error when the applied migration and its file differ */
function checkApplied({ name, checksum, finished }: AppliedMigration, file: Migration | undefined): void {
  if (!finished)
    throw new Error(`Migration ${name} failed half-way in this database. Repair it with \`npx prisma migrate resolve\`, then start again.`);
  if (file === undefined && beforeBaseline.test(name))
    throw new Error(
      "This database was created before the first release and cannot be upgraded. Start with an empty one: move the DATA_DIR folder (.data) away, or point DATABASE_URL to an empty database. Nothing was changed.",
    );
  if (file === undefined)
    throw new Error(`This database has migration ${name} of a newer release. Start that release, or restore a backup from before it.`);
  if (file.checksum !== checksum)
    throw new Error(
      `Migration ${name} was changed after it was applied. Restore the file and put the change into a new migration. A sandbox can also start with an empty DATA_DIR (.data).`,
    );
}

async function inOneTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    const result = await work();
    const { command } = await client.query("COMMIT");
    if (command !== "COMMIT") throw new Error("its transaction was rolled back");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    const startedAt = new Date();
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, logs, rolled_back_at, started_at, applied_steps_count)
       VALUES ($1, $2, clock_timestamp(), $3, NULL, NULL, $4, 1)`,
      [randomUUID(), checksum, name, startedAt],
    );
  } catch (cause) {
    throw new Error(`Migration ${name} failed, and nothing was changed: ${(cause as Error).message}`, { cause });
  }
}

/**
 * The mode that the database remembers, or undefined when it is new.
 * @throws Error when it is not `expected`
 */
async function readMode(database: Queryable, expected: Mode): Promise<Mode | undefined> {
  const { rows: tables } = await database.query<{ found: boolean }>("SELECT to_regclass('setting') IS NOT NULL AS found");
  if (!tables[0]?.found) return undefined;
  const { rows } = await database.query<{ value: string }>("SELECT value FROM setting WHERE name = 'mode'");
  const remembered = rows[0]?.value;
  if (remembered === undefined) return undefined;
  if (remembered !== expected) {
    throw new Error(
      `This database holds ${remembered} money and MODE is ${expected}. Set MODE=${remembered}, or give DATABASE_URL another database.`,
    );
  }
  return expected;
}

/**
 * Makes the database remember `mode`, forever: sandbox money and real money never share a database.
 * @throws Error when it remembers the other mode
 */
export async function rememberMode(database: Queryable, mode: Mode): Promise<void> {
  await database.query("INSERT INTO setting (name, value) VALUES ('mode', $1) ON CONFLICT (name) DO NOTHING", [mode]);
  await readMode(database, mode);
}
