// A dedicated connection, outside the pool, so that a busy pool does not delay its statements. Its owner learns of its loss within a
// bounded time, although a connection that is cut in the network never reports its end.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface DedicatedConnection {
  client: pg.Client;
  /** Rejects when the connection ends or breaks. */
  lost: Promise<never>;
  connect: () => Promise<void>;
  /** @throws what pg throws; Error when the connection is lost, or no answer arrives within `answerWithinMs` */
  query: <Row extends pg.QueryResultRow>(sql: string, values?: unknown[], withinMs?: number) => Promise<Row[]>;
  /** Ends the connection at once; a statement under way fails. */
  cut: () => void;
}

interface DedicatedConnectionOptions extends Pick<pg.ClientConfig, "application_name" | "options" | "statement_timeout"> {
  url: string;
  connectWithinMs: number;
  answerWithinMs: number;
}

/** Prepares a connection that `connect` opens and its owner cuts. */
export function openDedicatedConnection(options: DedicatedConnectionOptions): DedicatedConnection {
  const { url, connectWithinMs, answerWithinMs, ...settings } = options;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectWithinMs, keepAlive: true, ...settings });
  const lost = new Promise<never>((_, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended")));
  });
  lost.catch(() => undefined); // it may be lost between statements: the next one fails with the same error
  return {
    client,
    lost,
    connect: async () => {
      await Promise.race([client.connect(), lost]); // pg alone does not report a cut during connecting
    },
    query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = [], withinMs = answerWithinMs) => {
      const { rows } = await Promise.race([client.query<Row>(sql, values), lost, overdue(withinMs)]);
      return rows;
    },
    cut: () => {
      client.end().catch(() => undefined);
      client.connection.stream.destroy(); // `end` alone would wait for a peer that may be gone
    },
  };
}

/** Rejects after `ms`, but first reads what has arrived: after our own process stalled, the answer may be waiting unread. */
async function overdue(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false });
  await nextTurn();
  throw new Error(`no answer within ${ms} ms`);
}
