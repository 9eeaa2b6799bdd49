import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fillPrices } from "@/lib/providers/prices";
import { readBalance } from "./accounts";
import type { Item } from "./commit/commit";
import { recordPriceVersions } from "./price-versions";
import { chargeDetails, decideItems, hotSettings, placeHolds, settleHolds, settlementOf } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldRequest, SettleRequest } from "./testing/model-types";
import { chargeRequest, holdRequest, setCap, spendsOf } from "./testing/waiting";

// A single request is decided by the function for one item.

await openTestDatabase();
let single: PoolClient;

beforeAll(async () => {
  await openFunding();
  single = await pool().connect();
  await single.query(hotSettings);
});
afterAll(async () => {
  single.release();
  await closeRequestPath();
});

const hold = async (ask: HoldRequest, atMs = nowMs()) => (await placeHolds(single, [ask], atMs))[0];

async function openHold(account: AccountId, key: KeyId, ceiling: number, atMs = nowMs()): Promise<SettleRequest> {
  const ask = holdRequest(account, key, ceiling);
  const placed = await hold(ask, atMs);
  expect(placed?.outcome).toBe("held");
  return chargeRequest(ask);
}
const settle = async (ask: SettleRequest) => (await settleHolds(single, [ask], nowMs()))[0];

test("two periods that begin at the same moment are counted separately", async () => {
  const mondayTheFirst = Date.UTC(2026, 5, 1, 12);
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 50, period: "day" });
  const ask = await openHold(account, key, 10, mondayTheFirst);
  await openHold(account, key, 5, mondayTheFirst);
  const restoreClock = setClock(() => mondayTheFirst);
  await inTransaction(await setCap(account, key, 50, "week")).finally(restoreClock);
  await openHold(account, key, 5, mondayTheFirst);
  expect((await settle(ask))?.outcome).toBe("settled");
  expect(await spendsOf(key)).toEqual([
    { period: "day", spent: 0n, held: 0n },
    { period: "week", spent: 7n, held: 10n },
  ]);
});

test("a negative hold is refused", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account);
  await openHold(account, key, 10);
  await expect(hold(holdRequest(account, key, -1))).rejects.toMatchObject({ code: "P0001" });
  expect((await readBalance(account)).held).toBe(10n);
});

const odd = `a "b", (c) \\ {d} 'e' ü NULL`;
const oddCharge = chargeDetails(11, 12, {
  provider: odd,
  providerRequestId: odd,
  model: odd,
  priceVersion: odd,
  cachedInputTokens: 3,
  cacheWriteTokens: 2,
  cacheWrite1hTokens: 1,
  imageTokens: 5,
  reasoningTokens: 4,
  streamed: true,
  estimated: true,
  unbilled: nanoUsd(9),
  firstTokenMs: 77,
  providerMs: 88,
  outcome: "partial",
  paidBy: "x402",
  tag: odd,
  endUser: odd,
});
/** The row of a hold of 30 by a key with a daily cap, once it is charged. */
const oddRow = {
  provider: odd,
  provider_request_id: odd,
  model: odd,
  price_version: odd,
  outcome: "partial",
  paid_by: "x402",
  period: "day",
  tokens: [11, 12, 3, 2, 1, 5, 4],
  tag: odd,
  end_user: odd,
  first_token_ms: 77,
  provider_ms: 88,
  streamed: true,
  estimated: true,
  unbilled: 9,
  kept: true,
  late: false,
  input_cost: 11,
  output_cost: 12,
  operator_loss: 0,
  ceiling: 30,
};

test("a charge has the same columns alone as in a batch, whatever characters they contain", async () => {
  await recordPriceVersions([{ id: odd, model: odd, prices: fillPrices({ input: nanoUsd(1), output: nanoUsd(1) }) }]);
  const account = await fundedAccount(1_000);
  const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
  const items: Item[] = [];
  const reply = { status: 200, body: "" };
  for (let n = 0; n < 6; n++) {
    const ask = await openHold(account, key, 30);
    items.push({
      settlement: { ...settlementOf({ ...ask, idempotency: `kept ${n}`, inputCost: 11n, outputCost: 12n }), charge: oddCharge, reply },
    });
  }
  const atMs = nowMs();
  const called: string[] = [];
  for (const batch of [items.slice(0, 1), items.slice(1, 3), items.slice(3)])
    called.push(...(await decideItems(single, batch, atMs)).called);
  expect(called).toEqual(["gateway_settle_hold", "gateway_decide_items", "gateway_decide_batch"]);
  const { rows } = await pool().query("SELECT DISTINCT to_jsonb(c) - 'seq' - 'request_id' AS charge FROM charge c WHERE account_id = $1", [
    account,
  ]);
  expect(rows).toEqual([
    { charge: { ...oddRow, account_id: account, key_id: key, at: expect.anything(), period_start: expect.anything() } },
  ]);
});

test("a charge for another account's hold is late, and ends no hold", async () => {
  const [account, stranger] = [await fundedAccount(100), await fundedAccount(100)];
  const ask = await openHold(account, await openKey(account), 30);
  const key = await openKey(stranger);
  await openHold(stranger, key, 40);
  expect(await settle({ ...ask, account: stranger, key })).toMatchObject({ outcome: "late" });
  expect((await readBalance(account)).held).toBe(30n);
  expect(await readBalance(stranger)).toEqual({ posted: 93n, held: 40n, available: 53n });
});

test("after all these tests the books close", expectBooksToClose);
