// The request path's own connection, so that a slow report never stands before a hold. One is enough, since batches go one
// after the other; it is kept checked out, so that a statement is on its way in the turn in which it is asked for. The planner
// is told to use indexes: the open holds are few, their table is mostly dead rows, and a plan made while it was empty would scan it.

import type pg from "pg";
import { ShortWait } from "@/lib/base/awake";
import { forgetOnce, once } from "@/lib/base/once";
import { isStatementError } from "./failure";
import { databaseUrl, makePool } from "./pool";

/** Generic plans: with `auto` every call of a statement over arrays is planned anew, which costs more than running it. */
const settings = [
  "-c enable_seqscan=off",
  "-c enable_hashjoin=off",
  "-c enable_mergejoin=off",
  "-c jit=off",
  "-c plan_cache_mode=force_generic_plan",
  // Whoever holds a wallet's lock for longer must not stop the wallets beside it.
  "-c lock_timeout=1s",
].join(" ");

interface HotConnection {
  /** Opens the connection and replaces one that broke. */
  pool: pg.Pool;
  client: pg.PoolClient | undefined;
  wait: ShortWait;
  isClosed: boolean;
}

const name = "hot database connection";

const hotConnection = () =>
  once<HotConnection>(name, () => ({
    pool: makePool(databaseUrl(), 1, settings),
    client: undefined,
    wait: new ShortWait(),
    isClosed: false,
  }));

/** Runs a prepared statement. @throws what pg throws; a connection that broke is replaced by the next statement */
export async function queryHot<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Row[]> {
  const hot = hotConnection();
  const client = hot.client ?? (await open(hot));
  const endWait = hot.wait.begin();
  try {
    return (await client.query<Row>(statement)).rows;
  } catch (error) {
    if (!isStatementError(error)) discard(hot, client);
    throw error;
  } finally {
    endWait();
  }
}

async function open(hot: HotConnection): Promise<pg.PoolClient> {
  const client = await hot.pool.connect();
  if (hot.isClosed) {
    // Kept, it would keep the pool from ending.
    client.release(true);
    throw new Error("The database connection was closed while it was being opened.");
  }
  hot.client = client;
  client.once("error", () => discard(hot, client));
  return client;
}

function discard(hot: HotConnection, client: pg.PoolClient): void {
  if (hot.client !== client) return;
  hot.client = undefined;
  client.release(true);
}

/** Ends the connection; a statement that comes meanwhile fails, and one after it opens another. */
export async function closeHotConnection(): Promise<void> {
  const hot = hotConnection();
  forgetOnce(name);
  hot.isClosed = true;
  hot.client?.release();
  hot.client = undefined;
  await hot.pool.end();
}
