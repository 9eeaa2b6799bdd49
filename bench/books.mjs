// The precondition of all our figures: a run counts only when each answer was charged once and the books are clean.

import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { measure } from "./load.mjs";
import { root, serviceEnvironment } from "./service.mjs";

const QUIET_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 600_000;

/**
 * Measures our service and compares its database with the answers counted.
 * @throws Error when charges are missing, too many, or (unless `check` is false) the books are not clean
 */
export async function measureWithBooks(contestant, options) {
  const client = new pg.Client({ connectionString: contestant.database.url });
  // The pending statement gets this error as well; unhandled, it would end the bench before the clean-up.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await quiet(client);
    const before = await countCharges(client);
    const result = await measure(contestant, options);
    await quiet(client);
    const charged = (await countCharges(client)) - before;
    // At its end wrk drops its connections: an answer then under way is charged but not counted by wrk.
    const answered = result.requestsOfAllTries;
    if (charged < answered || charged > answered + options.connections * result.allTries) {
      throw new Error(`${contestant.name}: ${answered} answers and ${charged} charges, with ${options.connections} connections`);
    }
    if (options.check !== false) checkLedger(contestant);
    return { ...result, charged };
  } finally {
    await client.end();
  }
}

/** `check-ledger`, as an operator runs it. */
export function checkLedger({ name, database }) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", 'await (await import("./dist/check-ledger.mjs")).main()'],
    {
      cwd: root,
      env: serviceEnvironment({ DATABASE_URL: database.url }),
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`${name}: the books are not clean:\n${stdout}${stderr}`);
}

/**
 * Waits until the service's own check-ledger has finished. It runs at the start, reads everything, and then pauses fifty times as
 * long as it took, so a bench that began beside it would measure a rare moment.
 */
export async function firstCheckOver({ name, database }) {
  const client = new pg.Client({ connectionString: database.url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const until = Date.now() + CHECK_TIMEOUT_MS;
    while (Date.now() < until) {
      await sleep(1_000);
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%ledger_check(%' AND pid <> pg_backend_pid()",
      );
      if (rowCount === 0) return;
    }
    throw new Error(`${name}: its check-ledger is not over after ${CHECK_TIMEOUT_MS / 60_000} minutes`);
  } finally {
    await client.end();
  }
}

const countCharges = async (client) => Number((await client.query("SELECT count(*) FROM charge")).rows[0].count);

/** Waits until no request holds money. */
async function quiet(client) {
  const until = Date.now() + QUIET_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query("SELECT count(*) FROM hold");
    if (Number(rows[0].count) === 0) return;
    if (Date.now() > until) throw new Error(`${rows[0].count} holds are still open ${QUIET_TIMEOUT_MS / 1000} s after the load ended`);
    await sleep(50);
  }
}
