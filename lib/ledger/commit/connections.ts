// The request path's own connections, so that a slow report never stands before a hold, and the statements that are prepared on them.
// Three are enough, since no more batches are under way at once, one of them of accounts that are refused; they are kept checked out, so
// that a statement is on its way in the turn in which it is asked for. The planner is told to use indexes: the open holds are few, their
// table is mostly dead rows, and a plan made while it was empty would scan it.

import type pg from "pg";
import { prepareValue } from "pg/lib/utils.js";
import { BusyPoll } from "@/lib/base/busy-poll";
import { log } from "@/lib/base/observe/log";
import { forgetSingleton, processSingleton } from "@/lib/base/process-singleton";
import { databaseUrl } from "@/lib/db/database-url";
import { isStatementError } from "@/lib/db/failure";
import { createPool } from "@/lib/db/pool";

/** Generic plans: with `auto` every call of a statement over arrays is planned anew, which costs more than running it. */
export const plannerSettings: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};
/** Whoever holds a wallet's lock for longer must not stop the wallets beside it. */
const LOCK_TIMEOUT = "1s";

const settings = Object.entries({ ...plannerSettings, lock_timeout: LOCK_TIMEOUT })
  .map(([setting, value]) => `-c ${setting}=${value}`)
  .join(" ");

const MAX_CONNECTIONS = 3;
/** How long after a second connection could not be opened it is tried again. */
const OPEN_AGAIN_MS = 10_000;

interface CommitConnections {
  /** Opens the connections and replaces one that broke. */
  pool: pg.Pool;
  open: Set<pg.PoolClient>;
  /** Those without a statement; who was used last comes first, its caches are the warmest. */
  idle: pg.PoolClient[];
  wait: BusyPoll;
  /** Monotonic; while one is being opened ahead, and for some time after that failed, no other is. */
  openAgainAt: number;
  isClosed: boolean;
}

const name = "commit connections";

const commitConnections = processSingleton<CommitConnections>(name, () => ({
  // One may be opened ahead while all the others are replaced.
  pool: createPool(databaseUrl(), MAX_CONNECTIONS + 1, settings),
  open: new Set(),
  idle: [],
  wait: new BusyPoll(),
  openAgainAt: 0,
  isClosed: false,
}));

/** Runs a prepared statement. @throws what pg throws; a connection that broke is replaced by the next statement */
export async function runOnCommitConnection<Row>(query: Statement<Row>): Promise<Row[]> {
  const all = commitConnections();
  const client = all.idle.pop() ?? (await connect(all));
  const endWait = all.wait.begin();
  try {
    return await runStatement(client, query);
  } catch (error) {
    if (!isStatementError(error)) discard(all, client);
    throw error;
  } finally {
    endWait();
    if (all.open.has(client)) all.idle.push(client);
  }
}

/**
 * True when a statement could go beside those under way at once. If not, a connection is opened for the next time: a database that
 * has none left, or does not answer, must not fail what the others can do.
 */
export function hasIdleConnection(): boolean {
  const all = commitConnections();
  if (all.idle.length > 0) return true;
  if (all.open.size > 0 && all.open.size < MAX_CONNECTIONS && performance.now() >= all.openAgainAt) void openAhead(all);
  return false;
}

async function openAhead(all: CommitConnections): Promise<void> {
  all.openAgainAt = Number.POSITIVE_INFINITY;
  try {
    all.idle.push(await connect(all));
    all.openAgainAt = 0;
  } catch (error) {
    all.openAgainAt = performance.now() + OPEN_AGAIN_MS;
    if (!all.isClosed) log().warn({ err: error }, "a second database connection could not be opened; requests share the first");
  }
}

async function connect(all: CommitConnections): Promise<pg.PoolClient> {
  const client = await all.pool.connect();
  if (all.isClosed) {
    // Kept, it would keep the pool from ending.
    client.release(true);
    throw new Error("The database connection was closed while it was being opened.");
  }
  all.open.add(client);
  client.once("error", () => discard(all, client));
  return client;
}

function discard(all: CommitConnections, client: pg.PoolClient): void {
  if (!all.open.delete(client)) return;
  all.idle = all.idle.filter((one) => one !== client);
  client.release(true);
}

/** Ends the connections; a statement that comes meanwhile fails, and one after it opens another. */
export async function closeCommitConnections(): Promise<void> {
  const all = commitConnections();
  forgetSingleton(name);
  all.isClosed = true;
  for (const client of all.open) client.release();
  all.open.clear();
  all.idle = [];
  await all.pool.end();
}

/** A statement that is prepared under its name, once for each connection. */
export interface Statement<Row> {
  name: string;
  text: string;
  values: readonly unknown[];
  /** Makes a row of its columns' texts, in the order of the statement. */
  readRow: (columns: readonly (string | null)[]) => Row;
}

/** What `pg` tells a statement, and what a statement may ask of the connection; the names are the driver's. */
interface Connection {
  stream: { cork(): void; uncork(): void };
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(portal: object): void;
  sync(): void;
}

type Callback<Row> = (error: Error | null, rows?: Row[]) => void;

/** Runs one on a connection. @throws what pg throws, or what the query's `readRow` does */
export const runStatement = <Row>(client: pg.ClientBase, query: Statement<Row>): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    client.query(new PreparedStatement<Row>(query, (error, rows) => (error ? reject(error) : resolve(rows ?? []))));
  });

/**
 * A statement as the driver's own queries are, but for what is known beforehand: its columns are not asked for each time, and whoever asks
 * reads them. For one row that is half of what the driver and the server did beside deciding it.
 */
class PreparedStatement<Row> implements pg.Submittable {
  /** The driver puts its time limit around it. */
  callback: Callback<Row>;
  readonly name: string;
  readonly text: string;
  readonly #query: Statement<Row>;
  readonly #rows: Row[] = [];
  #failure: Error | undefined;

  constructor(query: Statement<Row>, callback: Callback<Row>) {
    this.name = query.name;
    this.text = query.text;
    this.callback = callback;
    this.#query = query;
  }

  /** Sends it; an error that is returned fails it without anything having been sent. */
  submit(given: unknown): Error | undefined {
    const connection = given as Connection;
    const { name, text, values } = this.#query;
    const known = connection.parsedStatements[name];
    if (known !== undefined && known !== text) return new Error(`the name ${name} belongs to another statement`);
    connection.stream.cork();
    try {
      if (known === undefined) connection.parse({ name, text });
      connection.bind({ statement: name, values, valueMapper: prepareValue });
      connection.execute({});
    } catch (error) {
      // A value that cannot be written; the server is told of no execution, and answers the end of it.
      this.#failure = error as Error;
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
    return undefined;
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push(this.#query.readRow(fields));
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  handleCommandComplete(): void {
    // It is committed only when the connection is ready again.
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure ?? null, this.#rows);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}
