import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { runStatement } from "@/lib/db/hot-statement";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { HoldItem, SettleItem } from "@/lib/gateway/commit-items";
import { commitStatement } from "@/lib/gateway/commit-statements";
import { readBalance } from "./accounts";
import { recordPriceVersions } from "./price-versions";
import { shrinkHold } from "./shrink-hold";
import { chargeDetails, commit, dumpBooks, hotSettings, placeHolds, settleHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldAsk, HoldResult, SettleAsk, SettleResult } from "./testing/model-types";
import { chargeAsk, holdAsk, spendsOf } from "./testing/waiting";

// A charge and the next hold of its key, decided by one statement, come out as the charge alone and then the hold alone do.

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

interface World {
  account: AccountId;
  key: KeyId;
  /** To be charged 7. */
  charge: SettleAsk;
}

async function openHold(account: AccountId, key: KeyId, ceiling: number, atMs = nowMs()): Promise<SettleAsk> {
  const ask = holdAsk(account, key, ceiling);
  const [placed] = await placeHolds(client, [ask], atMs);
  expect(placed?.outcome).toBe("held");
  return chargeAsk(ask, placed);
}

/** An account of 100 with a hold of 30, of a key that has this cap or none. */
async function openWorld(cap?: Parameters<typeof openKey>[1]): Promise<World> {
  const account = await fundedAccount(100);
  const key = await openKey(account, cap);
  return { account, key, charge: await openHold(account, key, 30) };
}

const pairOf = (settle: SettleAsk, hold: HoldAsk) => [{ settle }, { hold }];

/** Decides both in one statement, having made sure that one after the other says and writes the same. */
async function decide(settle: SettleAsk, hold: HoldAsk, atMs = nowMs()): Promise<[SettleResult, HoldResult]> {
  await client.query("BEGIN; SAVEPOINT before");
  try {
    const apart = [...(await settleHolds(client, [settle], atMs)), ...(await placeHolds(client, [hold], atMs))];
    const booksApart = await dumpBooks(client);
    await client.query("ROLLBACK TO before");
    const together = await commit(client, pairOf(settle, hold), atMs);
    expect(together).toEqual(apart);
    expect(await dumpBooks(client)).toEqual(booksApart);
    await client.query("COMMIT");
    return together as [SettleResult, HoldResult];
  } finally {
    await client.query("ROLLBACK");
  }
}

/** A hold of 1, as the request path asks for it. */
function holdItem(account: AccountId, key: KeyId): HoldItem {
  return { request: newRequestId(), account, key, ceiling: nanoUsd(1), idempotency: null, hash: null };
}

const settled = { outcome: "settled", inputCost: 3n, outputCost: 4n };
const straight = { outcome: "held", available: null, spent: null, keyState: null, cap: null };

const openHoldsOf = async (account: AccountId) =>
  (await pool().query("SELECT request_id, key_id, ceiling, period FROM hold WHERE account_id = $1 ORDER BY 1", [account])).rows;

test("a charge and the next hold of a key without a cap are both there after one statement", async () => {
  const { account, key, charge } = await openWorld();
  const next = holdAsk(account, key, 50);
  expect(await decide(charge, next)).toEqual([settled, { ...straight, period: null, periodStart: null }]);
  expect(await readBalance(account)).toEqual({ posted: 93n, held: 50n, available: 43n });
  expect(await openHoldsOf(account)).toEqual([{ request_id: next.request, key_id: key, ceiling: 50n, period: null }]);
  expect(await spendsOf(key)).toEqual([]);
});

test("a charge and the next hold of a capped key both count in its period", async () => {
  const { account, key, charge } = await openWorld({ nanoUsd: 90, period: "total" });
  await openHold(account, key, 5);
  const next = holdAsk(account, key, 50);
  expect(await decide(charge, next)).toEqual([settled, { ...straight, period: "total", periodStart: 0 }]);
  expect(await readBalance(account)).toEqual({ posted: 93n, held: 55n, available: 38n });
  expect(await openHoldsOf(account)).toContainEqual({ request_id: next.request, key_id: key, ceiling: 50n, period: "total" });
  expect(await spendsOf(key)).toEqual([{ period: "total", spent: 7n, held: 55n }]);
});

test("the account is changed once for both, also when the hold fits only with what the charge frees", async () => {
  const { account, key, charge } = await openWorld({ nanoUsd: 100, period: "total" });
  const changes = "SELECT n_tup_upd::int AS count FROM pg_stat_xact_user_tables WHERE relname = 'ledger_account'";
  await client.query("BEGIN");
  const before = (await client.query<{ count: number }>(changes)).rows[0]?.count ?? 0;
  await commit(client, pairOf(charge, holdAsk(account, key, 93)), nowMs());
  const after = (await client.query<{ count: number }>(changes)).rows[0]?.count ?? 0;
  await client.query("COMMIT");
  expect(after - before).toBe(1);
});

test("the roll-up of charges waits until both are committed", async () => {
  const { account, key, charge } = await openWorld();
  await client.query("BEGIN");
  await commit(client, pairOf(charge, holdAsk(account, key, 1)), nowMs());
  const { rows } = await pool().query("SELECT pg_try_advisory_xact_lock(7305001) AS may");
  await client.query("COMMIT");
  expect(rows).toEqual([{ may: false }]);
});

test("what an answer cost beyond its hold is the operator's loss, and leaves the next hold its money", async () => {
  const { account, key, charge } = await openWorld();
  const [paid, next] = await decide({ ...charge, inputCost: 25n, outputCost: 25n }, holdAsk(account, key, 70));
  expect(paid).toEqual({ outcome: "settled", inputCost: 25n, outputCost: 5n });
  expect(next.outcome).toBe("held");
  expect(await readBalance(account)).toEqual({ posted: 70n, held: 70n, available: 0n });
});

test("every column of the charge is written as when it is charged alone, whatever letters are in it", async () => {
  const odd = `a "b", (c) \\ {d} 'e' ü+`;
  await recordPriceVersions([{ id: odd, model: odd, inputPrice: nanoUsd(1), outputPrice: nanoUsd(1) }]);
  const account = await fundedAccount(1_000);
  const key = await openKey(account, { nanoUsd: 1_000, period: "total" });
  const names = { provider: odd, model: odd, priceVersion: odd };
  const told = { outcome: "cancelled", streamed: true, estimated: false, paidBy: "x402", firstTokenMs: 77, providerMs: 88 } as const;
  const charge = { ...chargeDetails(11, 12), cachedInputTokens: 3, reasoningTokens: 5, ...names, ...told };
  const makeItem = async (): Promise<SettleItem> => {
    const { request } = await openHold(account, key, 20);
    const costs = { ceiling: nanoUsd(20), inputCost: nanoUsd(11), outputCost: nanoUsd(12) };
    return { request: request as RequestId, account, key, period: "total", periodStart: new Date(0), ...costs, charge };
  };
  const times = { at: new Date(), until: new Date() };
  await runStatement(client, commitStatement([await makeItem()], [], times));
  await runStatement(client, commitStatement([await makeItem()], [holdItem(account, key)], times));
  const { rows } = await pool().query("SELECT to_jsonb(c) - 'seq' - 'request_id' AS charge FROM charge c WHERE account_id = $1", [account]);
  expect(rows[0].charge).toMatchObject({ model: odd, cached_input_tokens: 3, reasoning_tokens: 5, operator_loss: 3, provider_ms: 88 });
  expect(rows).toEqual([rows[0], rows[0]]);
});

describe("a charge counts, while its next hold is decided as that hold alone would be", () => {
  const free = undefined;
  const total = (nano: number) => ({ nanoUsd: nano, period: "total" }) as const;
  const nothing = async () => undefined;
  const setState =
    (state: "paused" | "revoked") =>
    ({ account, key }: World) =>
      setKeyState(account, key, state);
  const expireKey = ({ key }: World) => pool().query("UPDATE api_key SET expires_at = to_timestamp(1) WHERE id = $1", [key]);
  const freeze = ({ account }: World) => pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account]);

  test.each([
    ["one that fits only with what the charge frees is held", free, nothing, 93, straight],
    ["one of a little more is refused", free, nothing, 94, { outcome: "insufficient", available: 93n }],
    ["one that its cap covers only with what the charge frees is held", total(40), nothing, 33, straight],
    ["one that its cap just does not cover is refused", total(40), nothing, 34, { outcome: "cap_reached", spent: 7n, cap: 40n }],
    ["one of more than any amount is refused", free, nothing, 2 ** 62, { outcome: "insufficient", available: 93n }],
    ["one of nothing is held", total(40), nothing, 0, straight],
    ["one of a revoked key is refused", total(90), setState("revoked"), 10, { outcome: "key_unusable", keyState: "revoked" }],
    ["one of a paused key is refused", free, setState("paused"), 10, { outcome: "key_unusable", keyState: "paused" }],
    ["one of an expired key is refused", total(90), expireKey, 10, { outcome: "key_unusable", keyState: "expired" }],
    ["one of a frozen account is refused", free, freeze, 10, { outcome: "key_unusable", keyState: "frozen" }],
  ])("%s", async (_what, cap, change, ceiling, answer) => {
    const world = await openWorld(cap);
    await change(world);
    const { account, key, charge } = world;
    const [paid, next] = await decide(charge, holdAsk(account, key, ceiling));
    expect([paid, next]).toEqual([settled, expect.objectContaining(answer)]);
    const held = next.outcome === "held" ? BigInt(ceiling) : 0n;
    expect(await readBalance(account)).toEqual({ posted: 93n, held, available: 93n - held });
    expect(await spendsOf(key)).toEqual(cap ? [{ period: "total", spent: 7n, held }] : []);
  });

  test("the first one of a new period counts in that, and the charge in the one of its hold", async () => {
    const { account, key, charge } = await openWorld({ nanoUsd: 40, period: "day" });
    const [paid, next] = await decide(charge, holdAsk(account, key, 40), nowMs() + 86_400_000);
    expect([paid, next.outcome, next.period]).toEqual([settled, "held", "day"]);
    expect(next.periodStart).toBe((charge.periodStart ?? 0) + 86_400_000);
    const { rows } = await pool().query("SELECT spent, held FROM key_spend WHERE key_id = $1 ORDER BY period_start", [key]);
    expect(rows).toEqual([
      { spent: 7n, held: 0n },
      { spent: 0n, held: 40n },
    ]);
  });

  test("one of an owner without a key is held", async () => {
    const account = await fundedAccount(100);
    const ask = { ...holdAsk(account, "key_none" as KeyId, 30), key: null };
    const [placed] = await placeHolds(client, [ask], nowMs());
    const next = { ...holdAsk(account, "key_none" as KeyId, 93), key: null };
    expect(await decide(chargeAsk(ask, placed), next)).toMatchObject([settled, { outcome: "held", available: 0n }]);
    expect(await readBalance(account)).toEqual({ posted: 93n, held: 93n, available: 0n });
  });
});

test.each([
  ["of less than nothing", ({ account, key }: World) => holdAsk(account, key, -1), "P0001"],
  [
    "whose request has one already",
    ({ account, key, charge }: World) => ({ ...holdAsk(account, key, 1), request: charge.request }),
    "23505",
  ],
])("a next hold %s fails both, and nothing is changed", async (_what, makeNext, code) => {
  const world = await openWorld();
  const { account, key } = world;
  const charge = await openHold(account, key, 10);
  await expect(commit(client, pairOf(charge, makeNext(world)), nowMs())).rejects.toMatchObject({ code });
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 40n, available: 60n });
});

describe("the hold that is to be charged", () => {
  const expireIt = ({ charge }: World) =>
    inTransaction(async (on) => {
      await on.query("UPDATE hold SET deadline = to_timestamp(0) WHERE request_id = $1", [charge.request]);
      expect((await on.query("SELECT * FROM gateway_expire_holds(to_timestamp(1), 1)")).rowCount).toBe(1);
    });
  const settleIt = (charges: boolean) => (world: World) => settleHolds(client, [{ ...world.charge, charges }], nowMs());
  const late = { ...settled, outcome: "late" };
  const already = { ...settled, outcome: "already" };

  test.each([
    ["has expired: a late charge, then the hold", expireIt, {}, late, { posted: 93n, held: 63n, available: 30n }, 7n],
    ["was released: a late charge, then the hold", settleIt(false), {}, late, { posted: 93n, held: 63n, available: 30n }, 7n],
    ["was charged: no second charge, but the hold", settleIt(true), {}, already, { posted: 93n, held: 63n, available: 30n }, 7n],
    [
      "is larger than was thought: all of it is freed",
      async () => undefined,
      { ceiling: 20n },
      settled,
      { posted: 93n, held: 63n, available: 30n },
      7n,
    ],
    [
      "is smaller than was thought: it pays at most it",
      async ({ account, charge }: World) =>
        shrinkHold({ requestId: charge.request as RequestId, accountId: account, ceiling: nanoUsd(30) }, nanoUsd(5)),
      {},
      { ...settled, outputCost: 2n },
      { posted: 95n, held: 63n, available: 32n },
      5n,
    ],
  ])("%s", async (_what, change, odd, answer, balance, spent) => {
    const world = await openWorld({ nanoUsd: 70, period: "total" });
    const { account, key, charge } = world;
    await openHold(account, key, 33);
    await change(world);
    const [paid, next] = await decide({ ...charge, ...odd }, holdAsk(account, key, 30));
    expect([paid, next]).toEqual([answer, { ...straight, period: "total", periodStart: 0 }]);
    expect(await readBalance(account)).toEqual(balance);
    expect(await spendsOf(key)).toEqual([{ period: "total", spent, held: 63n }]);
  });
});

describe("a charge and a hold are decided by", () => {
  const [account, key] = ["acc_a" as AccountId, "key_a" as KeyId];
  const costs = { ceiling: nanoUsd(1), inputCost: nanoUsd(1), outputCost: nanoUsd(0) };
  const charge = chargeDetails(1, 0);
  const settle: SettleItem = { request: "req_a" as RequestId, account, key, period: null, periodStart: null, ...costs, charge };
  const hold = holdItem(account, key);
  const claimed: HoldItem = { ...hold, idempotency: "again", hash: Buffer.from("00", "hex") };
  const [pair, batch] = ["gateway_settle_and_hold", "gateway_decide_batch"];

  test.each<[string, string | undefined, SettleItem[], HoldItem[]]>([
    ["the statement for both, when they are one key's", pair, [settle], [hold]],
    ["that for batches, when they are two accounts'", batch, [settle], [{ ...hold, account: "acc_b" as AccountId }]],
    ["that for batches, when they are two keys' of one account", batch, [settle], [{ ...hold, key: "key_b" as KeyId }]],
    ["that for batches, when only the charge has a key", batch, [settle], [{ ...hold, key: null }]],
    ["that for batches, when the hold has an idempotency key", batch, [settle], [claimed]],
    ["that for batches, when the charge has an idempotency key", batch, [{ ...settle, idempotency: "again" }], [hold]],
    ["that for batches, when the charge is a release", batch, [{ ...settle, charge: null }], [hold]],
    ["that for batches, when there is another charge", batch, [settle, { ...settle, request: "req_b" as RequestId }], [hold]],
    ["that for batches, when there is another hold", batch, [settle], [hold, holdItem(account, key)]],
    ["that for a charge alone, when there is no hold", "ledger_settle_lone_charge", [settle], []],
    ["that for a hold alone, when there is no charge", "gateway_decide_lone_hold", [], [hold]],
  ])("%s", (_what, name, settlements, holds) => {
    expect(commitStatement(settlements, holds, { at: new Date(), until: new Date() }).name).toBe(name);
  });
});

test("after all of this the books close", expectBooksToClose);
