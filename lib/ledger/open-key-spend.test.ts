import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, type KeyId, newSessionId, requestIdAt } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { setOwnKeyLimits } from "@/lib/console/keys/keys";
import { inTransaction, pool } from "@/lib/db/pool";
import { rowsRead } from "@/lib/db/testing/rows-read";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "./check";
import { countKeySpend } from "./key-spend";
import { readChargeMark } from "./roll-up";
import { commit, hotSettings, placeHolds, unitPrice } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import { chargeRequest, holdRequest, limitKey, openKeySpend, setCap, spendsOf } from "./testing/waiting";

// A cap set after its key was used counts what the key has spent, to the last nano-dollar, and delays no request meanwhile.

await openTestDatabase();
let client: PoolClient;

beforeAll(async () => {
  await openFunding();
  client = await pool().connect();
  await client.query(hotSettings);
});
afterAll(async () => {
  client.release();
  await closeRequestPath();
});

const COST = 7n;

async function charge(account: AccountId, key: KeyId, count: number, atMs = nowMs()): Promise<void> {
  const holds = Array.from({ length: count }, () => holdRequest(account, key, 10));
  await placeHolds(client, holds, atMs);
  await commit(
    client,
    holds.map((hold) => ({ settle: chargeRequest(hold) })),
    atMs,
  );
}

test("while an account's charges are counted for a new cap, its requests get their holds", async () => {
  const accountId = await fundedAccount(1_000);
  const [keyId, other] = [await openKey(accountId), await openKey(accountId)];
  await charge(accountId, keyId, 3);
  const reader = await pool().connect();
  try {
    // A count of charges waits for this lock; a hold reads no charges.
    await reader.query("BEGIN; LOCK TABLE charge IN ACCESS EXCLUSIVE MODE");
    const wallet = { chain: "evm" as const, address: "0x" };
    const owner = {
      accountId,
      sessionId: newSessionId(),
      wallet,
      isFrozen: false,
      isLeaving: false,
      confirmedAt: new Date(0),
      spendsUntil: null,
    };
    const wish = {
      keyId,
      expiry: "keep" as const,
      cap: { nanoUsd: nanoUsd(100), period: "total" as const },
      clip: null,
      alarm: null,
      models: null,
      scopes: ["prompt" as const],
      networks: [],
    };
    const changed = setOwnKeyLimits(owner, wish);
    const counts = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM%"charge"%' AND datname = current_database()`;
    await expect.poll(async () => (await pool().query(counts)).rowCount).toBe(1);
    await client.query("SET lock_timeout = '5s'");
    for (const key of [keyId, other])
      expect(await placeHolds(client, [holdRequest(accountId, key, 10)], nowMs())).toEqual([{ outcome: "held" }]);
    await reader.query("COMMIT");
    expect(await changed).toEqual({ ok: true });
    expect(await spendsOf(keyId)).toEqual([{ period: "total", spent: 3n * COST, held: 10n }]);
  } finally {
    await reader.query("ROLLBACK");
    reader.release();
  }
});

/** Inserts charges into the table directly, without the ledger's functions; their sequence numbers are consecutive. */
const insertCharges = (account: AccountId, key: KeyId, count: number) =>
  client.query(
    `INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, tokens, input_cost, output_cost, operator_loss, ceiling, late, outcome, streamed, estimated, paid_by, provider_ms, at)
     SELECT $1, $2 || lpad(n::text, 12, '0'), $3, 'model', 'provider', $4, '{1,1}', 1, 1, 0, 2, false, 'complete', false, false, 'balance', 1, now()
     FROM generate_series(1, $5::int) n`,
    [account, requestIdAt(nowMs()), key, unitPrice, count],
  );

test("under the account's lock only a few charges are read, however many the account has", async () => {
  const account = await fundedAccount(1_000);
  const key = await openKey(account);
  await client.query("BEGIN");
  try {
    await insertCharges(account, key, 40_000);
    // Like autovacuum.
    await client.query("SELECT brin_summarize_new_values('charge_seq_idx')");
    await client.query("ANALYZE charge");
    const upTo = (await client.query<{ mark: bigint }>("SELECT ledger_roll_up_mark() AS mark")).rows[0]?.mark ?? 0n;
    await charge(account, key, 5);
    const before = await rowsRead(client, "charge");
    const periodStart = new Date(0);
    await openKeySpend(account, { keyId: key, period: "total", periodStart }, { periodStart, spent: nanoUsd(80_000), upTo }, client);
    expect((await rowsRead(client, "charge")) - before).toBeLessThan(4_000);
    const { rows } = await client.query("SELECT spent FROM key_spend WHERE key_id = $1", [key]);
    expect(rows).toEqual([{ spent: 80_000n + 5n * COST }]);
  } finally {
    await client.query("ROLLBACK");
  }
});

test("charges between the count and the opening count once, and no other account's do", async () => {
  const [account, stranger] = [await fundedAccount(1_000), await fundedAccount(1_000)];
  const [key, sibling, foreign] = [await openKey(account), await openKey(account), await openKey(stranger)];
  await charge(account, key, 4);
  const open = await setCap(account, key, 500, "month");
  await charge(account, key, 3);
  await charge(account, sibling, 5);
  await charge(stranger, foreign, 6);
  await placeHolds(client, [holdRequest(account, key, 20), holdRequest(account, sibling, 30)], nowMs());
  await inTransaction(open);
  expect(await spendsOf(key)).toEqual([{ period: "month", spent: 7n * COST, held: 20n }]);
  await charge(account, key, 3);
  expect(await spendsOf(key)).toEqual([{ period: "month", spent: 10n * COST, held: 20n }]);
  expect(await checkLedger()).toEqual([]);
});

test("a day that begins between the count and the opening is counted from its start", async () => {
  const account = await fundedAccount(1_000);
  const key = await openKey(account);
  const midnight = Date.UTC(2026, 5, 2);
  let atMs = midnight - 1_000;
  const restoreClock = setClock(() => atMs);
  try {
    await charge(account, key, 4, atMs);
    const open = await setCap(account, key, 500, "day");
    atMs = midnight + 1;
    await charge(account, key, 3, atMs);
    const before = await readChargeMark();
    await inTransaction(open);
    const { rows } = await pool().query("SELECT spent, period_start, counted_up_to FROM key_spend WHERE key_id = $1", [key]);
    expect(rows).toEqual([{ spent: 3n * COST, period_start: new Date(midnight), counted_up_to: before }]);
    await charge(account, key, 2, atMs);
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: 5n * COST, held: 0n }]);
    expect(await checkLedger()).toEqual([]);
  } finally {
    restoreClock();
  }
});

test("even a day that begins meanwhile is not counted under the account's lock", async () => {
  const account = await fundedAccount(1_000);
  const key = await openKey(account);
  const yesterday = new Date(Math.floor(nowMs() / 86_400_000 - 1) * 86_400_000);
  await charge(account, key, 100);
  const counted = await countKeySpend(account, { keyId: key, periodStart: yesterday });
  await inTransaction(async (transaction) => {
    const before = await rowsRead(transaction, "charge");
    await transaction.query("SET LOCAL enable_seqscan = off");
    await pool().query("SELECT brin_summarize_new_values('charge_seq_idx')");
    expect(await limitKey(account, { keyId: key, cap: 500, period: "day" }, counted, transaction)).toBe("recount");
    expect((await rowsRead(transaction, "charge")) - before).toBeLessThan(100);
  });
  expect(await spendsOf(key)).toEqual([]);
  await inTransaction(await setCap(account, key, 500, "day"));
  expect(await spendsOf(key)).toEqual([{ period: "day", spent: 100n * COST, held: 0n }]);
});

test("caps that change their period repeatedly while requests run lose nothing and count nothing twice", async () => {
  const account = await fundedAccount(100_000);
  const keys = [await openKey(account), await openKey(account, { nanoUsd: 90_000, period: "day" })];
  const spend = async () => {
    for (let round = 0; round < 20; round++) for (const key of keys) await charge(account, key, 1 + (round % 4));
  };
  const change = async (key: KeyId) => {
    for (const period of ["week", "hour", "day", "total", "month", "day", "week"] as const) {
      await inTransaction(await setCap(account, key, 90_000, period));
      expect(await checkLedger()).toEqual([]);
    }
  };
  await Promise.all([spend(), ...keys.map(change)]);
  expect(await checkLedger()).toEqual([]);
});

test("after all these tests the books close", expectBooksToClose);
