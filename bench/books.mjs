// The precondition of all our figures: a run counts only when each answer was charged once and the books are clean.

import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { root, serviceEnvironment } from "./service.mjs";

const QUIET_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 600_000;

/**
 * Runs `load` on a contestant and, when that has a database, compares it with the answers counted.
 * @throws Error when charges are missing or too many
 */
export async function withBooks({ name, database }, connections, load) {
  if (!database) return load();
  return withDatabase(database, async (client) => {
    const before = await countChargesAtRest(client);
    const result = await load();
    const charged = (await countChargesAtRest(client)) - before;
    // At its end wrk drops its connections: an answer then under way is charged but not counted by wrk.
    if (charged < result.requests || charged > result.requests + connections)
      throw new Error(`${name}: ${result.requests} answers and ${charged} charges, with ${connections} connections`);
    return { ...result, charged };
  });
}

async function withDatabase({ url }, work) {
  const client = new pg.Client({ connectionString: url });
  // The pending statement gets this error as well; unhandled, it would end the bench before the clean-up.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** `check-ledger`, as an operator runs it. */
export function checkLedger({ name, database }) {
  const program = 'await (await import("./dist/check-ledger.mjs")).main()';
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    env: serviceEnvironment({ DATABASE_URL: database.url }),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name}: the books are not clean:\n${stdout}${stderr}`);
}

/**
 * Waits until the service's own check-ledger has finished. It runs at the start, reads everything, and then pauses fifty times as
 * long as it took, so a bench that began beside it would measure a rare moment.
 */
export const firstCheckOver = ({ name, database }) =>
  withDatabase(database, async (client) => {
    for (const until = Date.now() + CHECK_TIMEOUT_MS; Date.now() < until; ) {
      await sleep(1_000);
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%ledger_check(%' AND pid <> pg_backend_pid()",
      );
      if (rowCount === 0) return;
    }
    throw new Error(`${name}: its check-ledger is not over after ${CHECK_TIMEOUT_MS / 60_000} minutes`);
  });

/** The number of charges once no request holds money. */
async function countChargesAtRest(client) {
  const count = async (table) => Number((await client.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
  for (const until = Date.now() + QUIET_TIMEOUT_MS; (await count("hold")) > 0; await sleep(50))
    if (Date.now() > until) throw new Error(`Holds are still open ${QUIET_TIMEOUT_MS / 1000} s after the load ended`);
  return count("charge");
}
