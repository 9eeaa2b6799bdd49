import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { inTransaction, pool } from "@/lib/db/pool";
import { rowsRead } from "@/lib/db/testing/rows-read";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "./check";
import { readChargeMark, rollUpRevenue } from "./roll-up";
import { commit, hotSettings, placeHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding } from "./testing/fund";
import { chargeRequest, holdRequest } from "./testing/waiting";

// Revenue follows the charges: each is added once, and no booking waits for the roll-up.

await openTestDatabase();
let client: PoolClient;
let account: AccountId;

beforeAll(async () => {
  await openFunding();
  account = await fundedAccount(1_000_000);
  client = await pool().connect();
  await client.query(hotSettings);
});
beforeEach(rollUpRevenue);
afterEach(async () => expect(await checkLedger()).toEqual([]));
afterAll(async () => {
  client.release();
  await closeRequestPath();
});

const COST = 7n;

/** Books `count` charges of 7, most of them in batches and the last one alone. */
async function charge(count: number, on = client): Promise<void> {
  const holds = Array.from({ length: count }, () => holdRequest(account, null, 10));
  await placeHolds(on, holds, nowMs());
  const asks = holds.map((hold) => ({ settle: chargeRequest(hold) }));
  if (count > 1) await commit(on, asks.slice(1), nowMs());
  await commit(on, asks.slice(0, 1), nowMs());
}

const revenue = async () =>
  (await pool().query<{ posted: bigint; rolled_up_to: bigint }>("SELECT posted, rolled_up_to FROM ledger_account WHERE id = 'revenue'"))
    .rows[0] ?? { posted: -1n, rolled_up_to: -1n };

const rollUpSlice = async (mark: bigint, most: number) =>
  (await pool().query<{ reached: bigint }>("SELECT ledger_roll_up($1, $2) AS reached", [mark, most])).rows[0]?.reached;

test("before the first charge there is nothing to add, and the first charge is added", async () => {
  await rollUpRevenue();
  expect(await revenue()).toEqual({ posted: 0n, rolled_up_to: 0n });
  await charge(1);
  await rollUpRevenue();
  expect(await revenue()).toEqual({ posted: COST, rolled_up_to: 1n });
});

test("no charge is read under the lock that settlements need", async () => {
  await charge(20);
  await inTransaction(async (transaction) => {
    const before = await rowsRead(transaction, "charge");
    await transaction.query("SELECT ledger_roll_up_mark()");
    expect((await rowsRead(transaction, "charge")) - before).toBe(0);
    const { rows } = await transaction.query(
      "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
    );
    expect(rows).toEqual([{ locks: 1 }]);
  });
  await inTransaction(async (transaction) => {
    await transaction.query("SELECT ledger_roll_up($1, 1000)", [await readChargeMark()]);
    const { rows } = await transaction.query(
      "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
    );
    expect(rows).toEqual([{ locks: 0 }]);
  });
});

test("charges booked during a roll-up are left to the next one", async () => {
  const before = await revenue();
  await charge(3);
  const [blocker, slow] = await Promise.all([pool().connect(), pool().connect()]);
  try {
    // While another transaction locks revenue's row, the roll-up cannot finish.
    await blocker.query("BEGIN; SELECT FROM ledger_account WHERE id = 'revenue' FOR UPDATE");
    const summing = rollUpRevenue();
    const waits =
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ledger_roll_up(%' AND datname = current_database()";
    await expect.poll(async () => (await pool().query(waits)).rowCount).toBe(1);
    await slow.query(hotSettings);
    await slow.query("SET statement_timeout = '10s'");
    await charge(5, slow);
    await blocker.query("COMMIT");
    await summing;
    expect((await revenue()).posted - before.posted).toBe(3n * COST);
    await rollUpRevenue();
    expect((await revenue()).posted - before.posted).toBe(8n * COST);
  } finally {
    await blocker.query("ROLLBACK");
    blocker.release();
    slow.release(true);
  }
});

test("in slices of three, each slice adds its own charges, and the books are clean after each", async () => {
  const before = await revenue();
  await charge(10);
  const mark = await readChargeMark();
  expect(mark).toBe(before.rolled_up_to + 10n);
  for (const reached of [3n, 6n, 9n, 10n, 10n]) {
    expect(await rollUpSlice(mark, 3)).toBe(before.rolled_up_to + reached);
    expect((await revenue()).posted - before.posted).toBe(reached * COST);
    expect(await checkLedger()).toEqual([]);
  }
});

test("a rollback leaves a gap in the sequence, which is skipped, however wide it is", async () => {
  const before = await revenue();
  await client.query("BEGIN");
  await charge(4);
  await client.query("ROLLBACK");
  await pool().query("SELECT setval('charge_seq_seq', last_value + 120000) FROM charge_seq_seq");
  await charge(2);
  await rollUpRevenue();
  expect(await revenue()).toEqual({ posted: before.posted + 2n * COST, rolled_up_to: before.rolled_up_to + 120_006n });
});

test("two concurrent roll-ups in small slices add every charge once", async () => {
  const before = await revenue();
  await charge(40);
  const mark = await readChargeMark();
  const rollUp = async (most: number) => {
    while (((await rollUpSlice(mark, most)) ?? mark) < mark);
  };
  await Promise.all([rollUp(3), rollUp(4), rollUp(5), rollUpRevenue()]);
  expect(await revenue()).toEqual({ posted: before.posted + 40n * COST, rolled_up_to: mark });
});

test("a mark already passed adds nothing", async () => {
  const mark = await readChargeMark();
  await charge(2);
  await rollUpRevenue();
  const before = await revenue();
  await rollUpSlice(mark, 1_000);
  expect(await revenue()).toEqual(before);
});

test.each([
  ["alone", 1],
  ["by sets", 3],
])("a roll-up waits for an uncommitted settlement %s", async (_how, count) => {
  const before = await revenue();
  await client.query("BEGIN");
  await charge(count);
  const rolledUp = rollUpRevenue();
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await expect.poll(async () => (await pool().query(waiting)).rowCount).toBe(1);
  await client.query("COMMIT");
  await rolledUp;
  expect((await revenue()).posted - before.posted).toBe(BigInt(count) * COST);
});

test("after all these tests the books close", expectBooksToClose);
