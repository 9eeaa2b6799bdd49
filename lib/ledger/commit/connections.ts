// The request path's own connections, so that a slow report never delays a hold, and the statements prepared on them. Three are enough: at
// most three batches are under way at once, one of them for refused accounts. They stay checked out, so that a statement is sent in the
// turn in which it is requested. The planner is told to use indexes: open holds are few, their table consists mostly of dead rows, and a
// plan made while it was empty would scan it.

import type pg from "pg";
import { prepareValue } from "pg/lib/utils.js";
import { BusyPoll } from "@/lib/base/busy-poll";
import { log } from "@/lib/base/observe/log";
import { forgetSingleton, processSingleton } from "@/lib/base/process-singleton";
import { databaseUrl } from "@/lib/db/database-url";
import { isStatementError } from "@/lib/db/failure";
import { createPool } from "@/lib/db/pool";

/** Generic plans: with `auto` every call of a statement over arrays is planned again, which costs more than running it. */
export const plannerSettings: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
};
/** A transaction that holds one account's lock for longer must not block other accounts. */
const LOCK_TIMEOUT = "1s";

const settings = Object.entries({ ...plannerSettings, lock_timeout: LOCK_TIMEOUT })
  .map(([setting, value]) => `-c ${setting}=${value}`)
  .join(" ");

const MAX_CONNECTIONS = 3;
/** The pause after a second connection could not be opened. */
const OPEN_AGAIN_MS = 10_000;

interface CommitConnections {
  /** Opens the connections and replaces broken ones. */
  pool: pg.Pool;
  open: Set<pg.PoolClient>;
  /** Connections without a statement. The last one is taken first: it was used last, and its caches are warm. */
  idle: pg.PoolClient[];
  wait: BusyPoll;
  /** Monotonic. While a connection is being opened ahead, and for a while after that failed, no other is opened ahead. */
  openAgainAt: number;
  isClosed: boolean;
}

const name = "commit connections";

const commitConnections = processSingleton<CommitConnections>(name, () => ({
  // One more, since a connection may be opened ahead while all the others are replaced.
  pool: createPool(databaseUrl(), MAX_CONNECTIONS + 1, settings),
  open: new Set(),
  idle: [],
  wait: new BusyPoll(),
  openAgainAt: 0,
  isClosed: false,
}));

/** Runs a prepared statement. @throws what pg throws; the next statement replaces a broken connection */
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
 * True when a statement could run at once, in parallel to those under way. If not, a connection is opened for the next time, in the
 * background: a database without free connections, or without an answer, must not fail work that the existing connections can do.
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
    if (!all.isClosed) log().warn({ err: error }, "could not open a second database connection; requests share the first");
  }
}

async function connect(all: CommitConnections): Promise<pg.PoolClient> {
  const client = await all.pool.connect();
  if (all.isClosed) {
    // If it stayed checked out, the pool could not end.
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

/** Ends the connections. A statement during that time fails, and one after it opens a new connection. */
export async function closeCommitConnections(): Promise<void> {
  const all = commitConnections();
  forgetSingleton(name);
  all.isClosed = true;
  for (const client of all.open) client.release();
  all.open.clear();
  all.idle = [];
  await all.pool.end();
}

/** A statement that is prepared under its name, once per connection. */
export interface Statement<Row> {
  name: string;
  text: string;
  values: readonly unknown[];
  /** Builds a row from the texts of its columns, in the order of the statement. */
  readRow: (columns: readonly (string | null)[]) => Row;
}

/** The part of `pg`'s connection that a statement uses; the names are the driver's. */
interface Connection {
  stream: { cork(): void; uncork(): void };
  parsedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(portal: object): void;
  sync(): void;
}

type Callback<Row> = (error: Error | null, rows?: Row[]) => void;

/** Runs a statement on a connection. @throws what pg throws, or what the query's `readRow` throws */
export const runStatement = <Row>(client: pg.ClientBase, query: Statement<Row>): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    client.query(new PreparedStatement<Row>(query, (error, rows) => (error ? reject(error) : resolve(rows ?? []))));
  });

/**
 * A statement like the driver's own, except that its columns are known: they are not described each time, and the caller decodes them. For
 * one row that saves half of the work of driver and server beyond the decision itself.
 */
class PreparedStatement<Row> implements pg.Submittable {
  /** The driver wraps it in its time limit. */
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

  /** Sends the statement; a returned error fails it without anything having been sent. */
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
      // A value that cannot be encoded: no execution is sent, and the server answers the sync.
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
    // It is committed only once the connection is ready again.
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure ?? null, this.#rows);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}
