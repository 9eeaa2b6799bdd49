// A database for one test file: a copy of the migrated template, on the run's own PostgreSQL, removed when the file is done.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { setDatabaseUrl } from "../database-url";
import { closePool, createPool } from "../pool";

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  /** Ends the pool, cuts all remaining connections, and removes the database. */
  drop(): Promise<void>;
}

export const templateDatabase = "template_migrated";

interface TestDatabaseOptions {
  /** Start without any table instead of with all migrations applied. */
  empty?: boolean;
  poolSize?: number;
}

/** A new, separate database. The caller drops it in `afterAll`. */
export async function createTestDatabase({ empty = false, poolSize = 10 }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const serverUrl = inject("databaseUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  // As files: written to the log it costs twice the CPU time, and a run makes some three hundred.
  await asAdmin(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${empty ? "template0" : templateDatabase} STRATEGY FILE_COPY`);
  const url = urlOfDatabase(serverUrl, name);
  const pool = createPool(url, poolSize);
  const drop = async () => {
    await pool.end();
    await asAdmin(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url, pool, drop };
}

/**
 * Gives the calling test file a database: the product's `pool()` is connected to it, and it is removed after the file's last test. Call it
 * at the top of the file: `const database = await openTestDatabase()`.
 */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  setDatabaseUrl(database.url);
  afterAll(async () => {
    await closePool();
    await database.drop();
  });
  return database;
}

/** `url` with another database's name. */
export function urlOfDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** `url` over TCP, for a database that is reached by its socket. */
export function byLoopback(url: string): URL {
  const changed = new URL(url);
  changed.searchParams.delete("host");
  return changed;
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
