import fc from "fast-check";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { asBatch, dumpBooks, hotSettings, oneByOne, placeHolds, settleHolds } from "./testing/books";
import { cases, caseTimeoutMs } from "./testing/cases";
import { expectSameBooks } from "./testing/compare";
import { holdBatch, life, settleBatch } from "./testing/steps";
import { openTwins, Twin } from "./testing/twin";

const database = await openTestDatabase();
let client: PoolClient;
let lives = 0;

beforeAll(async () => {
  client = await database.pool.connect();
  await openTwins(client);
  await client.query(hotSettings);
});

afterAll(async () => {
  await underWay;
  client.release();
});

/** The case under way. A property whose time is over leaves its last case running, on the connection that the next property needs. */
let underWay: Promise<void> = Promise.resolve();

/** Runs one case, after the one before it has ended. */
function live(work: (twin: Twin) => Promise<void>): Promise<void> {
  const run = underWay.then(() => liveAlone(work));
  underWay = run.catch(() => {});
  return run;
}

/** In a transaction that is rolled back; vacuums the dead rows from time to time. */
async function liveAlone(work: (twin: Twin) => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await work(new Twin(client));
  } finally {
    await client.query("ROLLBACK");
  }
  if (++lives % 200 === 0) await clearDeadRows();
}

async function clearDeadRows(): Promise<void> {
  await client.query("SET session_replication_role = replica");
  await client.query("TRUNCATE transfer, entry, charge, hold, expired_hold, debt, key_spend, idempotent_reply");
  await client.query("SET session_replication_role = origin");
  await client.query("VACUUM ledger_account, api_key, account");
}

test("any sequence of steps, in batches of any size, has the reference ledger's outcomes, and the books stay clean", {
  timeout: caseTimeoutMs,
}, async () => {
  await fc.assert(
    fc.asyncProperty(life(25), (steps) =>
      live(async (twin) => {
        for (const step of steps) {
          await twin.take(step);
          await twin.expectCleanBooks();
        }
        await expectSameBooks(twin);
        await twin.expectCleanBooks();
      }),
    ),
    cases(40),
  );
});

test("a batch of holds decides and writes the same as its items one after the other", { timeout: caseTimeoutMs }, async () => {
  await fc.assert(
    fc.asyncProperty(life(8), holdBatch, (steps, picks) =>
      live(async (twin) => {
        for (const step of steps) await twin.take(step);
        const asks = twin.holdRequests(picks);
        await expectSameEitherWay(asks, (items) => placeHolds(client, items, twin.atMs));
      }),
    ),
    cases(60),
  );
});

test("a batch of settlements decides and writes the same as its items one after the other", { timeout: caseTimeoutMs }, async () => {
  await fc.assert(
    fc.asyncProperty(life(8), holdBatch, settleBatch, (steps, holds, picks) =>
      live(async (twin) => {
        for (const step of [...steps, { do: "hold" as const, items: holds }]) await twin.take(step);
        const asks = twin.settleRequests(picks);
        fc.pre(asks.length > 0);
        await expectSameEitherWay(asks, (items) => settleHolds(client, items, twin.atMs));
      }),
    ),
    cases(60),
  );
});

async function expectSameEitherWay<LedgerRequest, Result>(
  asks: readonly LedgerRequest[],
  run: (items: LedgerRequest[]) => Promise<Result[]>,
): Promise<void> {
  const runBatch = (items: readonly LedgerRequest[]) => run([...items]);
  await client.query("SAVEPOINT before");
  const single = await oneByOne(client, asks, runBatch);
  const singleBooks = await dumpBooks(client);
  await client.query("ROLLBACK TO before");
  const together = await asBatch(client, asks, runBatch);
  expect(together).toEqual(single);
  expect(await dumpBooks(client)).toEqual(singleBooks);
}
