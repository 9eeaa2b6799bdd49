import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { capPeriodStart } from "@/lib/access/cap-period";
import { now, nowMs } from "@/lib/base/clock";
import { newRequestId } from "@/lib/base/ids";
import { inTransaction } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { checkLedger } from "./check";
import { expireHolds } from "./expire-holds";
import { countKeySpend } from "./key-spend";
import { rollUpRevenue } from "./roll-up";
import { hotSettings, placeHolds, settleHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { credit, fundedAccount, openFunding, openKey } from "./testing/fund";
import { type Spender, startLoad } from "./testing/load";
import type { HoldRequest, SettleRequest } from "./testing/model-types";
import { openKeySpend } from "./testing/waiting";

const database = await openTestDatabase({ poolSize: 16 });
const spenders: Spender[] = [];
const connections: PoolClient[] = [];

beforeAll(async () => {
  await openFunding();
  for (let n = 0; n < 6; n++) {
    const account = await fundedAccount(100_000);
    spenders.push({ account, key: await openKey(account, { nanoUsd: 50_000, period: "day" }) }, { account, key: await openKey(account) });
  }
});
afterEach(() => {
  for (const client of connections.splice(0)) client.release();
});
afterAll(closeRequestPath);

// Deterministic: each run is the same, except for how the database schedules the connections.
const spread = (n: number) => (n * 2_654_435_761) % 4_294_967_296;
const pick = (n: number): Spender => spenders[spread(n) % spenders.length] ?? { account: spenders[0]?.account ?? ("" as never), key: null };

const holdRequest = (n: number, deadlineMs: number): HoldRequest => ({
  ...pick(n),
  request: newRequestId(),
  ceiling: BigInt(spread(n) % 30),
  deadlineMs,
  idempotency: n % 5 === 0 ? `key ${n % 50}` : null,
  hash: n % 5 === 0 ? "00" : null,
});

const settleRequest = (ask: HoldRequest, n: number): SettleRequest => ({
  request: ask.request,
  account: ask.account,
  key: ask.key,
  ceiling: ask.ceiling,
  inputCost: ask.ceiling / 2n,
  outputCost: BigInt(n % 20),
  charges: n % 4 !== 0,
  idempotency: ask.idempotency,
  body: n % 4 === 0 ? null : "answer",
});

/** Batches over all accounts in any order, on one connection; a few holds are left for the reaper, others are settled late. */
async function spendInBatches(client: PoolClient, seed: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const size = 1 + (spread(seed + round) % 40);
    const deadlineMs = nowMs() + (round % 3 === 0 ? -30_001 : 60_000);
    const asks = Array.from({ length: size }, (_, n) => holdRequest(seed * 7_919 + round * 101 + n, deadlineMs));
    const results = await placeHolds(client, asks, nowMs());
    const held = asks.flatMap((ask, n) => {
      const result = results[n];
      return result?.outcome === "held" && n % 9 !== 0 ? [settleRequest(ask, n)] : [];
    });
    if (held.length > 0) await settleHolds(client, held.reverse(), nowMs());
  }
}

test("holds, settlements, expiry, credits, cap changes and roll-ups over the same accounts never deadlock", async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => database.pool.connect()));
  connections.push(...clients);
  await Promise.all(clients.map((client) => client.query(hotSettings)));
  let spending = true;
  const until = async (work: (n: number) => Promise<unknown>) => {
    for (let n = 0; spending; n++) await work(n);
  };
  const others = [
    until(() => expireHolds(commit())),
    until(() => expireHolds(commit())),
    until(() => rollUpRevenue()),
    until((n) => credit(pick(n).account, 5, `credit ${n}`)),
    until((n) => credit(pick(n + 3).account, 5, `credit ${n}`)),
    until((n) => changeCap(pick(n), n)),
  ];
  const spent = Promise.all(clients.map((client, seed) => spendInBatches(client, seed + 1, 15))).finally(() => {
    spending = false;
  });
  await Promise.all([spent, ...others]);
  const { rows } = await database.pool.query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  expect(rows).toEqual([{ deadlocks: 0n }]);
  await expectBooksToClose();
});

async function changeCap({ account, key }: Spender, n: number): Promise<void> {
  if (!key) return;
  const period = n % 2 === 0 ? "day" : "week";
  const periodStart = capPeriodStart(period, now());
  const counted = await countKeySpend(account, { keyId: key, periodStart });
  await inTransaction((transaction) => openKeySpend(account, { keyId: key, period, periodStart }, counted, transaction));
}

test("two concurrent roll-ups under load count every charge once, and the books are clean at every moment", async () => {
  const load = startLoad({ spenders, workers: 24, tell: () => undefined });
  try {
    for (let round = 0; round < 8; round++) {
      await Promise.all([rollUpRevenue(), rollUpRevenue()]);
      expect(await checkLedger()).toEqual([]);
    }
  } finally {
    await load.stop();
  }
  await expectBooksToClose();
});

test("a roll-up waits for an uncommitted entry, even if later ones are committed, and never counts a rolled-back one", async () => {
  await rollUpRevenue();
  const [slow, failing, quick] = await Promise.all(["slow", "failing", "quick"].map(() => database.pool.connect()));
  if (!slow || !failing || !quick) throw new Error("no connections");
  connections.push(slow, failing, quick);
  const revenue = async () =>
    (await database.pool.query<{ posted: bigint }>("SELECT posted FROM ledger_account WHERE id = 'revenue'")).rows[0]?.posted ?? 0n;
  const before = await revenue();
  const accounts = await Promise.all([1, 2, 3].map(() => fundedAccount(100)));
  const charge = async (client: PoolClient, place: number, cost: bigint) => {
    const ask: HoldRequest = {
      request: newRequestId(),
      account: accounts[place] ?? "",
      key: null,
      ceiling: cost,
      deadlineMs: nowMs() + 60_000,
      idempotency: null,
      hash: null,
    };
    await placeHolds(client, [ask], nowMs());
    await settleHolds(client, [{ ...settleRequest(ask, 1), inputCost: cost, outputCost: 0n }], nowMs());
  };
  await slow.query("BEGIN");
  await charge(slow, 0, 10n);
  await failing.query("BEGIN");
  await charge(failing, 1, 20n);
  await charge(quick, 2, 40n);
  const rolledUp = rollUpRevenue();
  const waiting =
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
  await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1);
  expect(await revenue()).toBe(before);
  await failing.query("ROLLBACK");
  await slow.query("COMMIT");
  await rolledUp;
  expect(await revenue()).toBe(before + 50n);
  await expectBooksToClose();
});
