// The process's one connection pool. Money arrives as bigint, no statement runs forever, and a connection that breaks while idle is logged
// and replaced.

import pg from "pg";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { databaseUrl } from "./database-url";

/** Anything that runs a statement: the pool, or a transaction that the caller has opened. */
export interface Queryable {
  query: pg.ClientBase["query"];
}

/** A connection within a transaction. The code that opened the transaction ends it. */
export type Transaction = pg.PoolClient;

/** The driver reads times only in this format, and Prisma's adapter only in this zone; a database may be set to others. */
const timesInIso = "-c DateStyle=ISO -c TimeZone=UTC";

/** The server ends a statement after this long; the client gives up a little later, in case the server is gone. */
const statementTimeoutMs = 30_000;
const answerTimeoutMs = 35_000;

const database = processSingleton<{ pool?: pg.Pool }>("database pool", () => ({}));

/** The process's pool, with DATABASE_POOL_SIZE connections, created on first use. */
export function pool(): pg.Pool {
  const held = database();
  held.pool ??= createPool(databaseUrl(), config().DATABASE_POOL_SIZE);
  return held.pool;
}

/** A pool configured as the service's, with server settings as `-c name=value`. For tests and tools; the service calls `pool()`. */
export function createPool(url: string, size: number, settings = ""): pg.Pool {
  const made = new pg.Pool({
    connectionString: url,
    max: size,
    application_name: "pennyprompt",
    options: `${timesInIso} ${settings}`.trim(),
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    types: { getTypeParser },
  });
  // Without a listener Node would end the process; the pool has already dropped the connection.
  made.on("error", (error) => {
    if (!made.ending) log().warn({ err: error }, "an idle database connection broke");
  });
  // The same for a connection in use; its statement reports the error.
  made.on("connect", (client) => client.on("error", () => undefined));
  return made;
}

/** Ends the pool, if there is one, once its connections are idle. The next `pool()` creates a new one. */
export async function closePool(): Promise<void> {
  const held = database();
  const ending = held.pool;
  held.pool = undefined;
  await ending?.end();
}

/**
 * Runs `work` in one transaction, committed when it resolves and rolled back when it throws.
 * @throws what `work` throws; Error when a statement failed although `work` resolved
 */
export async function inTransaction<T>(work: (transaction: Transaction) => Promise<T>, from: pg.Pool = pool()): Promise<T> {
  const client = await from.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await work(client);
    // PostgreSQL answers COMMIT with ROLLBACK when a statement failed and `work` swallowed its error.
    const { command } = await client.query("COMMIT");
    if (command !== "COMMIT") throw new Error("The transaction was rolled back: a statement in it failed and its error was not passed on.");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken); // a connection that cannot even roll back is not used again
  }
}

const int8 = 20;
const int8Array = 1016;

/** Like pg's own, but 64-bit integers become bigint instead of text. */
const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (oid: number, format) => {
  const standard = pg.types.getTypeParser(oid, format);
  if (format === "binary") return standard;
  if (oid === int8) return BigInt;
  if (oid === int8Array)
    return (text: string) => (standard(text) as (string | null)[]).map((item) => (item === null ? null : BigInt(item)));
  return standard;
};
