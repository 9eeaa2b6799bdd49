// The request path's own connections, so that a slow report never stands before a hold. Two are enough, since no more batches are
// under way at once; they are kept checked out, so that a statement is on its way in the turn in which it is asked for. The planner
// is told to use indexes: the open holds are few, their table is mostly dead rows, and a plan made while it was empty would scan it.

import type pg from "pg";
import { ShortWait } from "@/lib/base/awake";
import { log } from "@/lib/base/observe/log";
import { forgetOnce, once } from "@/lib/base/once";
import { isStatementError } from "./failure";
import { type HotQuery, runStatement } from "./hot-statement";
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

const MOST_CONNECTIONS = 2;
/** How long after a second connection could not be opened it is tried again. */
const OPEN_AGAIN_MS = 10_000;

interface HotConnections {
  /** Opens the connections and replaces one that broke. */
  pool: pg.Pool;
  open: Set<pg.PoolClient>;
  /** Those without a statement; who was used last comes first, its caches are the warmest. */
  idle: pg.PoolClient[];
  wait: ShortWait;
  /** Monotonic; while one is being opened ahead, and for some time after that failed, no other is. */
  openAgainAt: number;
  isClosed: boolean;
}

const name = "hot database connections";

const hotConnections = () =>
  once<HotConnections>(name, () => ({
    pool: makePool(databaseUrl(), MOST_CONNECTIONS, settings),
    open: new Set(),
    idle: [],
    wait: new ShortWait(),
    openAgainAt: 0,
    isClosed: false,
  }));

/** Runs a prepared statement. @throws what pg throws; a connection that broke is replaced by the next statement */
export async function queryHot<Row>(query: HotQuery<Row>): Promise<Row[]> {
  const hot = hotConnections();
  const client = hot.idle.pop() ?? (await connect(hot));
  const endWait = hot.wait.begin();
  try {
    return await runStatement(client, query);
  } catch (error) {
    if (!isStatementError(error)) discard(hot, client);
    throw error;
  } finally {
    endWait();
    if (hot.open.has(client)) hot.idle.push(client);
  }
}

/**
 * True when a statement could go beside those under way at once. If not, a connection is opened for the next time: a database that
 * has none left, or does not answer, must not fail what the others can do.
 */
export function hasIdleHotConnection(): boolean {
  const hot = hotConnections();
  if (hot.idle.length > 0) return true;
  if (hot.open.size > 0 && hot.open.size < MOST_CONNECTIONS && performance.now() >= hot.openAgainAt) void openAhead(hot);
  return false;
}

async function openAhead(hot: HotConnections): Promise<void> {
  hot.openAgainAt = Number.POSITIVE_INFINITY;
  try {
    hot.idle.push(await connect(hot));
    hot.openAgainAt = 0;
  } catch (error) {
    hot.openAgainAt = performance.now() + OPEN_AGAIN_MS;
    if (!hot.isClosed) log().warn({ err: error }, "a second database connection could not be opened; requests share the first");
  }
}

async function connect(hot: HotConnections): Promise<pg.PoolClient> {
  const client = await hot.pool.connect();
  if (hot.isClosed) {
    // Kept, it would keep the pool from ending.
    client.release(true);
    throw new Error("The database connection was closed while it was being opened.");
  }
  hot.open.add(client);
  client.once("error", () => discard(hot, client));
  return client;
}

function discard(hot: HotConnections, client: pg.PoolClient): void {
  if (!hot.open.delete(client)) return;
  hot.idle = hot.idle.filter((one) => one !== client);
  client.release(true);
}

/** Ends the connections; a statement that comes meanwhile fails, and one after it opens another. */
export async function closeHotConnections(): Promise<void> {
  const hot = hotConnections();
  forgetOnce(name);
  hot.isClosed = true;
  for (const client of hot.open) client.release();
  hot.open.clear();
  hot.idle = [];
  await hot.pool.end();
}
