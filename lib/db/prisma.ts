// The process's one Prisma client, for every query that is neither on a request's hot path nor a write of money. It shares the connections
// of `pool`.

import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { processSingleton } from "@/lib/base/process-singleton";
import { type Actor, carryActor } from "./acting";
import { type Prisma, PrismaClient } from "./generated/client";
import { pool } from "./pool";

export { Prisma } from "./generated/client";

/** Anything that runs a query: the client, or a transaction that the caller has opened. */
export type Database = Prisma.TransactionClient;

/** Queries of one commit. The code that opened the transaction ends it. */
export type Transaction = Database & {
  /** Only `inTransaction` creates one: a client that commits each query separately cannot take its place. */
  readonly [inOneCommit]: true;
};

declare const inOneCommit: unique symbol;

const holder = processSingleton<{ made?: { client: PrismaClient; pool: pg.Pool } }>("prisma client", () => ({}));

/** The process's Prisma client, created on first use, and again after `pool` was replaced. */
export function prisma(): PrismaClient {
  const held = holder();
  if (held.made?.pool !== pool()) held.made = { client: createClient(pool()), pool: pool() };
  return held.made.client;
}

// Short errors: the long ones quote the source and the arguments, which may be secrets.
const createClient = (connections: pg.Pool) => new PrismaClient({ adapter: new ActingPg(connections), errorFormat: "minimal" });

class ActingPg extends PrismaPg {
  override async connect() {
    return carryActor(await super.connect());
  }
}

/** The wait for a connection is as long as `pool`'s; no transaction lasts longer than the server allows one to be idle. */
const limits = { maxWait: 5_000, timeout: 30_000 };

/**
 * Runs `work` in one transaction, committed when it resolves and rolled back when it throws. Without `isolationLevel` each query sees
 * everything committed before it.
 * @throws what `work` throws; Error when a query failed and `work` swallowed its error
 */
export function inTransaction<T>(
  work: (transaction: Transaction) => Promise<T>,
  options: { isolationLevel?: Prisma.TransactionIsolationLevel } = {},
): Promise<T> {
  return prisma().$transaction(
    async (client) => {
      const result = await work(client as Transaction);
      // PostgreSQL answers the COMMIT of a failed transaction with a ROLLBACK and no error, and refuses every other statement.
      await client.$executeRaw`SELECT 1`;
      return result;
    },
    { ...limits, ...options },
  );
}

/** The rest of the transaction is the work of `actor`: for jobs, which nobody else acts in. */
export async function actAs(actor: Actor, transaction: Transaction): Promise<void> {
  await transaction.$executeRaw`SELECT set_config('pennyprompt.acting', ${JSON.stringify({ actor })}, true)`;
}

/** Notifies every listener on `channel`: inside a transaction when it commits, otherwise now. */
export async function notify(channel: string, payload: string, database: Database = prisma()): Promise<void> {
  await database.$executeRaw`SELECT pg_notify(${channel}, ${payload})`;
}

/**
 * Locks `name` until the transaction ends; other transactions wait here with the same name. For names that have no row; a row is locked
 * by its update.
 */
export async function lockName(name: string, transaction: Transaction): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
