// A dedicated connection, outside the pool, so that a busy pool does not delay its statements. Its owner learns of its loss within a
// bounded time, although a connection that is cut in the network never reports its end.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface DedicatedConnection {
  client: pg.Client;
  /** Settles as `promise` does, or rejects once the connection ends or breaks. */
  unlessLost: <T>(promise: Promise<T>) => Promise<T>;
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
  const unlessLost = watchLoss(client);
  return {
    client,
    unlessLost,
    connect: async () => {
      await unlessLost(client.connect()); // pg alone does not report a cut during connecting
    },
    query: async <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = [], withinMs = answerWithinMs) => {
      const { rows } = await unlessLost(Promise.race([client.query<Row>(sql, values), overdue(withinMs)]));
      return rows;
    },
    cut: () => {
      client.end().catch(() => undefined);
      client.connection.stream.destroy(); // `end` alone would wait for a peer that may be gone
    },
  };
}

/**
 * Not one promise of the loss that every statement races: it would keep the memory of each race, 400 bytes, for as long as the connection
 * lives.
 */
function watchLoss(client: pg.Client): DedicatedConnection["unlessLost"] {
  const waiting = new Set<(loss: Error) => void>();
  let lost: Error | undefined;
  const lose = (loss: Error) => {
    lost ??= loss;
    for (const reject of waiting) reject(lost);
  };
  client.on("error", lose);
  client.on("end", () => lose(new Error("the connection ended")));
  return (promise) =>
    new Promise((resolve, reject) => {
      // It may be lost between statements: the next one fails with the same error.
      if (lost) reject(lost);
      waiting.add(reject);
      promise.then(resolve, reject).finally(() => waiting.delete(reject));
    });
}

/** Rejects after `ms`, but first reads what has arrived: after our own process stalled, the answer may be waiting unread. */
async function overdue(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false });
  await nextTurn();
  throw new Error(`no answer within ${ms} ms`);
}
