import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit as productCommit } from "@/lib/gateway/prompt/commit";
import { openLossAccount, readBalance } from "./accounts";
import { expireHolds } from "./expire-holds";
import { commit, hotSettings, placeHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldRequest, SettleRequest, SettleResult } from "./testing/model-types";
import { chargeRequest, holdRequest, spendsOf } from "./testing/waiting";

// A settlement without a hold: it expired, or a crash of the database forgot it. The customer pays at most the ceiling, the available
// balance and what the key's cap leaves; the operator bears the rest. A whole answer, which is sent only after it was charged, is paid for
// in full or not at all.

await openTestDatabase();
let client: PoolClient;

beforeAll(async () => {
  await openFunding();
  await openLossAccount("losses");
  client = await pool().connect();
  await client.query(hotSettings);
});
afterEach(async () => {
  const { rows } = await pool().query("SELECT * FROM ledger_check(now()) WHERE invariant NOT LIKE 'no hold outlives%'");
  expect(rows).toEqual([]);
});
afterAll(async () => {
  client.release();
  await closeRequestPath();
});

const DAY_MS = 86_400_000;

/** The settlement of a request whose hold does not exist, as after a crash of the database. */
const forgotten = (account: AccountId, key: KeyId | null, ceiling: number, cost: number): SettleRequest => ({
  ...chargeRequest(holdRequest(account, key, ceiling)),
  inputCost: BigInt(Math.min(cost, 3)),
  outputCost: BigInt(cost - Math.min(cost, 3)),
});

/** Other accounts' settlements, which make the late one part of a batch. */
async function openCompany(): Promise<SettleRequest[]> {
  const account = await fundedAccount(1_000);
  const holds = Array.from({ length: 3 }, () => holdRequest(account, null, 10));
  await placeHolds(client, holds, nowMs());
  return holds.map(chargeRequest);
}

interface Booked {
  paid: bigint;
  operator_loss: bigint;
  late: boolean;
  ceiling: bigint;
  period: string | null;
}

const bookedOf = async ({ request }: SettleRequest): Promise<Booked[]> =>
  (
    await pool().query<Booked>(
      "SELECT input_cost + output_cost AS paid, operator_loss, late, ceiling, period FROM charge WHERE request_id = $1",
      [request],
    )
  ).rows;

const paid = ({ inputCost, outputCost }: SettleResult) => inputCost + outputCost;

describe.each([
  ["alone", false],
  ["in a batch", true],
])("%s", (_how, hasCompany) => {
  async function settle(ask: SettleRequest, atMs = nowMs()): Promise<SettleResult> {
    const company = hasCompany ? await openCompany() : [];
    const results = (await commit(
      client,
      [...company, ask].map((one) => ({ settle: one })),
      atMs,
    )) as SettleResult[];
    for (const { outcome } of results.slice(0, -1)) expect(outcome).toBe("settled");
    return results.at(-1) as SettleResult;
  }

  test.each([
    ["no more than the ceiling", { had: 1_000, cap: 500, ceiling: 100, cost: 500 }, 100n],
    ["no more than what is available", { had: 60, cap: 500, ceiling: 100, cost: 500 }, 60n],
    ["no more than what the key's cap leaves", { had: 1_000, cap: 40, ceiling: 100, cost: 500 }, 40n],
    ["no more than it cost", { had: 1_000, cap: 500, ceiling: 100, cost: 30 }, 30n],
    ["nothing of an empty account", { had: 0, cap: 500, ceiling: 100, cost: 30 }, 0n],
  ])("the customer pays %s, and the operator bears the rest", async (_what, { had, cap, ceiling, cost }, due) => {
    const account = await fundedAccount(had);
    const key = await openKey(account, { nanoUsd: cap, period: "day" });
    const ask = forgotten(account, key, ceiling, cost);
    const settled = await settle(ask);
    expect([settled.outcome, paid(settled)]).toEqual(["late", due]);
    expect(await bookedOf(ask)).toEqual([
      { paid: due, operator_loss: BigInt(cost) - due, late: true, ceiling: BigInt(ceiling), period: "day" },
    ]);
    expect((await readBalance(account)).posted).toBe(BigInt(had) - due);
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: due, held: 0n }]);
  });

  test.each([
    ["is paid for when everything suffices", { had: 100, cap: 100, ceiling: 100, cost: 100 }, 100n],
    ["is paid for up to its ceiling", { had: 100, cap: 100, ceiling: 100, cost: 500 }, 100n],
    ["costs nothing when less is available", { had: 99, cap: 500, ceiling: 100, cost: 100 }, 0n],
    ["costs nothing when the key's cap leaves less", { had: 1_000, cap: 99, ceiling: 100, cost: 500 }, 0n],
  ])("a whole answer %s", async (_what, { had, cap, ceiling, cost }, due) => {
    const account = await fundedAccount(had);
    const key = await openKey(account, { nanoUsd: cap, period: "day" });
    const ask = { ...forgotten(account, key, ceiling, cost), isWhole: true };
    const settled = await settle(ask);
    expect([settled.outcome, paid(settled)]).toEqual(["late", due]);
    expect(await bookedOf(ask)).toMatchObject([{ paid: due, operator_loss: BigInt(cost) - due, late: true }]);
    const { rows } = await pool().query("SELECT outcome FROM charge WHERE request_id = $1", [ask.request]);
    expect(rows).toEqual([{ outcome: due > 0n ? "complete" : "lost" }]);
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: due, held: 0n }]);
  });

  test("for an expired hold of 100, with a cap of 150 and 60 held since, an answer of 500 costs its customer 90", async () => {
    const account = await fundedAccount(1_000);
    const key = await openKey(account, { nanoUsd: 150, period: "day" });
    const hold = { ...holdRequest(account, key, 100), deadlineMs: nowMs() - 30_001 };
    await placeHolds(client, [hold], nowMs() - 60_000);
    expect(await expireHolds(productCommit())).toBe(1);
    await placeHolds(client, [holdRequest(account, key, 60)], nowMs());
    const settled = await settle({ ...chargeRequest(hold), inputCost: 200n, outputCost: 300n });
    expect(settled).toEqual({ outcome: "late", inputCost: 90n, outputCost: 0n });
    expect(await readBalance(account)).toEqual({ posted: 910n, held: 60n, available: 850n });
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: 90n, held: 60n }]);
  });

  test("money held for other requests is not taken", async () => {
    const account = await fundedAccount(100);
    await placeHolds(client, [holdRequest(account, null, 70)], nowMs());
    expect(paid(await settle(forgotten(account, null, 100, 100)))).toBe(30n);
    expect(await readBalance(account)).toEqual({ posted: 70n, held: 70n, available: 0n });
  });

  test("it counts in the key's current period, whose row a crash forgot, so that no other request spends it again", async () => {
    const account = await fundedAccount(1_000);
    const key = await openKey(account, { nanoUsd: 100, period: "day" });
    expect(await spendsOf(key)).toEqual([]);
    expect(paid(await settle(forgotten(account, key, 80, 80)))).toBe(80n);
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: 80n, held: 0n }]);
    expect(await placeHolds(client, [holdRequest(account, key, 21)], nowMs())).toMatchObject([{ outcome: "cap_reached", spent: 80n }]);
    expect(await placeHolds(client, [holdRequest(account, key, 20)], nowMs())).toEqual([{ outcome: "held" }]);
  });

  test("it counts on the day of the settlement, whenever its hold was placed", async () => {
    const account = await fundedAccount(1_000);
    const key = await openKey(account, { nanoUsd: 100, period: "day" });
    const yesterday = nowMs() - DAY_MS;
    const hold = { ...holdRequest(account, key, 50), deadlineMs: yesterday + 1 };
    await placeHolds(client, [hold], yesterday);
    await expireHolds(productCommit());
    await settle({ ...chargeRequest(hold), inputCost: 50n, outputCost: 0n });
    const { rows } = await pool().query(
      "SELECT spent, period_start = access_cap_period_start('day', now()) AS today FROM key_spend WHERE key_id = $1 ORDER BY 2",
      [key],
    );
    expect(rows).toEqual([
      { spent: 0n, today: false },
      { spent: 50n, today: true },
    ]);
  });

  test("of a session that nobody signed for it counts in what those spend a day, and takes no more than that leaves", async () => {
    const account = await fundedAccount(20_000_000_000);
    const session = account as string as KeyId;
    const asks = [1, 2, 3, 4, 5].map(() => forgotten(account, session, 1_500_000_000, 1_500_000_000));
    const amounts = [];
    for (const ask of asks) amounts.push(paid(await settle(ask)));
    expect(amounts).toEqual([1_500_000_000n, 1_500_000_000n, 1_500_000_000n, 500_000_000n, 0n]);
    expect(await spendsOf(session)).toEqual([{ period: "day", spent: 5_000_000_000n, held: 0n }]);
    const { rows } = await pool().query("SELECT DISTINCT key_id FROM charge WHERE account_id = $1", [account]);
    expect(rows).toEqual([{ key_id: null }]);
  });

  test("for a key without a cap it counts in no period", async () => {
    const account = await fundedAccount(1_000);
    const key = await openKey(account);
    const ask = forgotten(account, key, 80, 90);
    await settle(ask);
    expect(await bookedOf(ask)).toEqual([{ paid: 80n, operator_loss: 10n, late: true, ceiling: 80n, period: null }]);
    expect(await spendsOf(key)).toEqual([]);
  });

  /** A request with an idempotency key whose hold and claim have expired. */
  async function expiredWithClaim(account: AccountId): Promise<HoldRequest> {
    const hold: HoldRequest = { ...holdRequest(account, null, 50), deadlineMs: nowMs() - 30_001, idempotency: "once", hash: "00" };
    await placeHolds(client, [hold], nowMs() - 60_000);
    await expireHolds(productCommit());
    return hold;
  }

  test("a request that lost its claim is charged nothing", async () => {
    const account = await fundedAccount(100);
    const hold = await expiredWithClaim(account);
    const ask = { ...chargeRequest(hold), body: "answer" };
    expect(await settle(ask)).toEqual({ outcome: "late", inputCost: 0n, outputCost: 0n });
    expect(await bookedOf(ask)).toMatchObject([{ paid: 0n, operator_loss: 7n }]);
    const { rowCount } = await pool().query("SELECT FROM idempotent_reply WHERE account_id = $1", [account]);
    expect(rowCount).toBe(0);
  });

  test("a request whose claim another request now has is charged nothing, and the other's answer is kept", async () => {
    const account = await fundedAccount(100);
    const hold = await expiredWithClaim(account);
    const again = { ...holdRequest(account, null, 50), idempotency: "once", hash: "00" };
    await placeHolds(client, [again], nowMs());
    expect(paid(await settle({ ...chargeRequest(hold), body: "the frozen process's" }))).toBe(0n);
    expect(await settle({ ...chargeRequest(again), body: "the second's" })).toMatchObject({ outcome: "settled" });
    const { rows } = await pool().query("SELECT request_id, body FROM idempotent_reply WHERE account_id = $1", [account]);
    expect(rows).toEqual([{ request_id: again.request, body: "the second's" }]);
    expect((await readBalance(account)).posted).toBe(93n);
  });

  test("a request whose claim still names it is charged, and its answer is kept", async () => {
    const account = await fundedAccount(100);
    const hold: HoldRequest = { ...holdRequest(account, null, 50), idempotency: "once", hash: "00" };
    await placeHolds(client, [hold], nowMs());
    await pool().query("WITH gone AS (DELETE FROM hold WHERE account_id = $1) UPDATE ledger_account SET held = 0 WHERE id = $1", [account]);
    expect(paid(await settle({ ...chargeRequest(hold), body: "answer" }))).toBe(7n);
    const { rows } = await pool().query("SELECT body FROM idempotent_reply WHERE account_id = $1", [account]);
    expect(rows).toEqual([{ body: "answer" }]);
  });

  test("a whole answer that cannot be paid for gives its claim back, and is not kept", async () => {
    const account = await fundedAccount(50);
    const hold: HoldRequest = { ...holdRequest(account, null, 50), idempotency: "once", hash: "00" };
    await placeHolds(client, [hold], nowMs());
    await pool().query("WITH gone AS (DELETE FROM hold WHERE account_id = $1) UPDATE ledger_account SET held = 0 WHERE id = $1", [account]);
    await placeHolds(client, [holdRequest(account, null, 48)], nowMs());
    const ask = { ...chargeRequest(hold), isWhole: true, body: "answer" };
    expect(paid(await settle(ask))).toBe(0n);
    const { rowCount } = await pool().query("SELECT FROM idempotent_reply WHERE account_id = $1", [account]);
    expect(rowCount).toBe(0);
    expect(await settle(ask)).toEqual({ outcome: "already", inputCost: 0n, outputCost: 0n });
  });

  test("a repeated late settlement is made once", async () => {
    const account = await fundedAccount(100);
    const ask = forgotten(account, null, 50, 20);
    expect(await settle(ask)).toEqual({ outcome: "late", inputCost: 3n, outputCost: 17n });
    expect(await settle(ask)).toEqual({ outcome: "already", inputCost: 3n, outputCost: 17n });
    expect((await readBalance(account)).posted).toBe(80n);
    expect(await bookedOf(ask)).toHaveLength(1);
  });

  test.each([
    ["gone", true],
    ["open", false],
  ])("a lost answer costs its customer nothing when its hold is %s", async (_what, isGone) => {
    const account = await fundedAccount(100);
    const key = await openKey(account, { nanoUsd: 90, period: "day" });
    const hold = holdRequest(account, key, 50);
    if (!isGone) await placeHolds(client, [hold], nowMs());
    const ask = { ...chargeRequest(hold), isLost: true };
    expect(paid(await settle(ask))).toBe(0n);
    expect(await bookedOf(ask)).toEqual([{ paid: 0n, operator_loss: 7n, late: isGone, ceiling: 50n, period: "day" }]);
    expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: 0n, held: 0n }]);
  });

  test("nothing is taken from an account that owes its held money", async () => {
    const account = await fundedAccount(100);
    await placeHolds(client, [holdRequest(account, null, 70)], nowMs());
    await pool().query("SELECT ledger_take_back($1, $2, 'test_funding', 'losses', 90, now())", [newRequestId(), account]);
    expect(paid(await settle(forgotten(account, null, 50, 20)))).toBe(0n);
    expect((await readBalance(account)).posted).toBe(70n);
  });
});

test("after all these tests the books close", expectBooksToClose);
