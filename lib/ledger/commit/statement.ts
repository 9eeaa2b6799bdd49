// A statement of the request path, as the driver's own queries are, but for what is known beforehand: its columns are not asked for
// each time, and whoever asks reads them. For one row that is half of what the driver and the server did beside deciding it.

import type pg from "pg";
import { prepareValue } from "pg/lib/utils.js";

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
