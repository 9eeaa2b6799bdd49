// One connection for one piece of work, outside every pool: for the steps of a start in its database before the service has a pool.

import pg from "pg";

const CONNECT_WITHIN_MS = 10_000;

/** Runs `work` on a separate connection, which is closed when it ends. @throws what pg throws, or what `work` does */
export async function withClient<T>(url: string, applicationName: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  client.on("error", () => undefined); // the statement under way fails too; unhandled, this event would end the process
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
