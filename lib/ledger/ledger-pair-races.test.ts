import fc from "fast-check";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { inTransaction, pool } from "@/lib/db/pool";
import { createTestDatabase, openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { shrinkHold } from "./shrink-hold";
import { type Ask, asBatch, commit, dumpBooks, hotSettings, oneByOne, placeHolds, settleHolds } from "./testing/books";
import { cases, caseTimeoutMs } from "./testing/cases";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { expectSameBooks } from "./testing/compare";
import { credit, fundedAccount, openFunding, openKey } from "./testing/fund";
import type { SettleAsk } from "./testing/model-types";
import { type HoldPick, life, type SettlePick } from "./testing/steps";
import { accounts, openTwins, Twin } from "./testing/twin";
import { chargeAsk, holdAsk, setCap, spendsOf, whileWaiting } from "./testing/waiting";

// A charge and the next hold of its key, in one statement: whatever another transaction does to them while the statement waits for the
// account, and whatever came before, they are decided as one after the other. And a hold that is made smaller frees what it need not have.

await openTestDatabase();
const twins = await createTestDatabase();
let waiting: PoolClient;
let other: PoolClient;
let twinClient: PoolClient;

beforeAll(async () => {
  await openFunding();
  [waiting, other, twinClient] = await Promise.all([pool().connect(), pool().connect(), twins.pool.connect()]);
  await openTwins(twinClient);
  for (const client of [waiting, twinClient]) await client.query(hotSettings);
});
afterAll(async () => {
  for (const client of [waiting, other, twinClient]) client.release();
  await twins.drop();
  await closeRequestPath();
});

interface World {
  account: AccountId;
  key: KeyId;
  /** To be charged 7. */
  charge: SettleAsk;
}

async function openHold(account: AccountId, key: KeyId, ceiling: number): Promise<SettleAsk> {
  const ask = holdAsk(account, key, ceiling);
  const [placed] = await placeHolds(waiting, [ask], nowMs());
  expect(placed?.outcome).toBe("held");
  return chargeAsk(ask, placed);
}

/** An account of 100 with holds of 30 and 20, of a key that has a cap of 90 in all. */
async function openWorld(): Promise<World> {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 90, period: "total" });
  await openHold(account, key, 20);
  return { account, key, charge: await openHold(account, key, 30) };
}

const shrink = ({ account, charge }: World, wanted: number, ceiling: bigint = charge.ceiling) =>
  shrinkHold({ requestId: charge.request as RequestId, accountId: account, ceiling: nanoUsd(ceiling) }, nanoUsd(wanted));

type Change = (on: PoolClient, world: World) => Promise<unknown>;

const expireIt: Change = async (on, { charge }) => {
  await on.query("UPDATE hold SET deadline = to_timestamp(0) WHERE request_id = $1", [charge.request]);
  expect((await on.query("SELECT * FROM gateway_expire_holds(to_timestamp(1), 1)")).rowCount).toBe(1);
};
const chargeIt: Change = (on, { charge }) => settleHolds(on, [charge], nowMs());
const releaseIt: Change = (on, { charge }) => settleHolds(on, [{ ...charge, charges: false }], nowMs());
const shrinkIt: Change = (on, { account, charge }) => on.query("SELECT ledger_shrink_hold($1, $2, 30, 5)", [charge.request, account]);
const holdMore = (on: PoolClient, { account, key }: World, ceiling: number, ofKey: KeyId | null = key) =>
  placeHolds(on, [{ ...holdAsk(account, key, ceiling), key: ofKey }], nowMs());
const holdElsewhere: Change = (on, world) => holdMore(on, world, 50, null);
const holdOfKey: Change = (on, world) => holdMore(on, world, 40);
const expireAndHold: Change = async (on, world) => {
  await expireIt(on, world);
  await holdMore(on, world, 76, null);
};
const withdraw: Change = async (on, { account }) => {
  const { rows } = await on.query("SELECT ledger_move_available($1, 'withdrawal', $1, 'test_funding', now()) AS moved", [account]);
  expect(rows).toEqual([{ moved: 50n }]);
};
const lowerCap: Change = (on, { account, key }) => setCap(account, key, 57, "total")(on);
const changePeriod: Change = (on, { account, key }) => setCap(account, key, 57, "day")(on);
const revoke: Change = (_on, { account, key }) => setKeyState(account, key, "revoked");
const pause: Change = (_on, { account, key }) => setKeyState(account, key, "paused");
const freeze: Change = (_on, { account }) => pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account]);
const moneyComes: Change = async (on, world) => {
  await withdraw(on, world);
  await credit(world.account, 5, `more for ${world.account}`, on);
};
const nothing: Change = async () => undefined;

const settled = { outcome: "settled", inputCost: 3n, outputCost: 4n };
const late = { ...settled, outcome: "late" };
const already = { ...settled, outcome: "already" };
const held = { outcome: "held" };
const insufficient = (available: bigint) => ({ outcome: "insufficient", available });
const unusable = (keyState: string) => ({ outcome: "key_unusable", keyState });

/** What the account and the key have in the end, without the ids, which differ. */
async function stateOf({ account, key }: World) {
  const holds = await pool().query("SELECT ceiling, period FROM hold WHERE account_id = $1 ORDER BY 1, 2", [account]);
  const charges = await pool().query("SELECT input_cost, output_cost, operator_loss FROM charge WHERE account_id = $1", [account]);
  return { balance: await readBalance(account), spends: await spendsOf(key), holds: holds.rows, charges: charges.rows };
}

describe("a charge and the next hold that wait while", () => {
  test.each<[string, Change, number, object, object]>([
    ["the hold expires: a late charge, and the hold, however small", expireIt, 9, late, held],
    [
      "the hold expires and its money is held: a late charge of what is left",
      expireAndHold,
      1,
      { ...late, outputCost: 1n },
      insufficient(0n),
    ],
    ["the hold is charged: no second charge, and the hold", chargeIt, 63, already, held],
    ["the hold is released: a late charge, and the hold", releaseIt, 63, late, held],
    ["the hold is made smaller: a charge of at most it, and the hold", shrinkIt, 65, { ...settled, outputCost: 2n }, held],
    ["the cap is lowered to what just covers both: the hold", lowerCap, 30, settled, { ...held, period: "total" }],
    ["the cap is lowered a little more: no hold", lowerCap, 31, settled, { outcome: "cap_reached", cap: 57n, spent: 27n }],
    ["the cap gets another period: both count in that", changePeriod, 30, settled, { ...held, period: "day" }],
    ["the key holds more, and its cap just covers both: the hold", holdOfKey, 23, settled, held],
    ["the key holds more, and its cap just does not: no hold", holdOfKey, 24, settled, { outcome: "cap_reached", spent: 67n }],
    ["the key is revoked: no hold", revoke, 10, settled, unusable("revoked")],
    ["the key is paused: no hold", pause, 10, settled, unusable("paused")],
    ["the account is frozen: no hold", freeze, 10, settled, unusable("frozen")],
    ["the money is withdrawn: the hold of what the charge frees", withdraw, 23, settled, held],
    ["the money is withdrawn: no hold of more than the charge frees", withdraw, 24, settled, insufficient(23n)],
    ["some is held: the hold of what is left", holdElsewhere, 23, settled, held],
    ["some is held: no hold of more than is left", holdElsewhere, 24, settled, insufficient(23n)],
    ["the money is withdrawn and more comes in: the hold has that too", moneyComes, 28, settled, held],
  ])("%s", async (_what, change, ceiling, charged, next) => {
    const decide = (client: PoolClient, { account, key, charge }: World) =>
      commit(client, [{ settle: charge }, { hold: holdAsk(account, key, ceiling) }], nowMs());
    const raced = await openWorld();
    const results = await whileWaiting(
      { waiting, other, account: raced.account },
      (on) => change(on, raced),
      () => decide(waiting, raced),
    );
    expect(results).toEqual([charged, expect.objectContaining(next)]);

    const calm = await openWorld();
    await inTransaction((on) => change(on, calm));
    const apart = [
      ...(await settleHolds(other, [calm.charge], nowMs())),
      ...(await placeHolds(other, [holdAsk(calm.account, calm.key, ceiling)], nowMs())),
    ];
    expect(results).toEqual(apart);
    expect(await stateOf(raced)).toEqual(await stateOf(calm));
  });
});

describe("a hold that is made smaller", () => {
  test("frees the difference, of its account and of its key", async () => {
    const world = await openWorld();
    expect(await shrink(world, 12)).toBe(true);
    expect(await readBalance(world.account)).toEqual({ posted: 100n, held: 32n, available: 68n });
    expect(await spendsOf(world.key)).toEqual([{ period: "total", spent: 0n, held: 32n }]);
    const { rows } = await pool().query("SELECT ceiling FROM hold WHERE request_id = $1", [world.charge.request]);
    expect(rows).toEqual([{ ceiling: 12n }]);
  });

  test("frees the difference of its account when its key has no cap", async () => {
    const account = await fundedAccount(100);
    const key = await openKey(account);
    expect(await shrink({ account, key, charge: await openHold(account, key, 30) }, 0)).toBe(true);
    expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
  });

  test.each([
    ["knows that", 5n],
    ["does not", 30n],
  ])("pays at most what it became, whether who charges it %s", async (_who, ceiling) => {
    const world = await openWorld();
    await shrink(world, 5);
    expect(await settleHolds(waiting, [{ ...world.charge, ceiling }], nowMs())).toEqual([{ ...settled, outputCost: 2n }]);
    expect(await readBalance(world.account)).toEqual({ posted: 95n, held: 20n, available: 75n });
    expect(await spendsOf(world.key)).toEqual([{ period: "total", spent: 5n, held: 20n }]);
    const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [world.charge.request]);
    expect(rows).toEqual([{ operator_loss: 2n }]);
  });

  test.each<[string, Change, (world: World) => World, bigint]>([
    ["has expired", expireIt, (world) => world, 30n],
    ["was charged", chargeIt, (world) => world, 30n],
    ["has another ceiling", nothing, (world) => world, 31n],
    ["is another account's", nothing, (world) => ({ ...world, account: "acc_other" as AccountId }), 30n],
  ])("is none when it %s, and then nothing changes", async (_what, change, asked, ceiling) => {
    const world = await openWorld();
    await inTransaction((on) => change(on, world));
    const before = await dumpBooks(pool());
    expect(await shrink(asked(world), 5, ceiling)).toBe(false);
    expect(await dumpBooks(pool())).toEqual(before);
  });

  test.each([
    ["larger than it was", 31],
    ["less than nothing", -1],
  ])("can not become %s", async (_what, wanted) => {
    const world = await openWorld();
    const before = await dumpBooks(pool());
    await expect(shrink(world, wanted)).rejects.toMatchObject({ code: "P0001" });
    expect(await dumpBooks(pool())).toEqual(before);
  });

  test("waits for its account, and is none when it was charged meanwhile", async () => {
    const world = await openWorld();
    const request = () => shrinkIt(waiting, world);
    const answer = await whileWaiting({ waiting, other, account: world.account }, (on) => chargeIt(on, world), request);
    expect(answer).toMatchObject({ rows: [{ ledger_shrink_hold: false }] });
    expect(await readBalance(world.account)).toEqual({ posted: 93n, held: 20n, available: 73n });
  });
});

/** What is charged, mostly a hold that is open, and the next hold's ceiling. */
const pairPick: fc.Arbitrary<[SettlePick, bigint]> = fc.tuple(
  fc.record({
    request: fc.nat({ max: 1_000 }),
    kind: fc.constantFrom("exact" as const, "part" as const, "overrun" as const, "zero" as const),
    cost: fc.nat({ max: 12 }),
  }),
  fc.bigInt({ min: 0n, max: 12n }),
);

/** A charge of one of the life's requests, and the next hold of its account and key. */
function pickPair({ requests, model }: Twin, [settle, ceiling]: [SettlePick, bigint]): { settlements: SettlePick[]; holds: HoldPick[] } {
  const isAny = settle.request % 5 === 0;
  const plain = requests.filter(({ request, idempotency }) => idempotency === null && (isAny || model.holds.has(request)));
  const ask = plain[settle.request % Math.max(1, plain.length)] ?? { request: "none", account: "acc_a", key: "acc_a_key2" };
  const request = requests.findIndex((one) => one.request === ask.request);
  const [account, key] = [accounts.map(String).indexOf(ask.account), Number(ask.key?.at(-1) ?? 0)];
  const hold = { account, key, ceiling, idempotency: null, body: 0, poison: "none" as const };
  return { settlements: request < 0 ? [] : [{ ...settle, request }], holds: [hold] };
}

/** No other commits: one could hold anew the request that it charges, which nobody can bring about. */
const between = (length: number) => life(length).map((steps) => steps.filter((step) => step.do !== "commit"));

/** One life, in a transaction that is rolled back. */
async function live(work: (twin: Twin) => Promise<void>): Promise<void> {
  await twinClient.query("BEGIN");
  await work(new Twin(twinClient)).finally(() => twinClient.query("ROLLBACK"));
}

test("whatever happens between them, pairs come out as in the reference ledger, and the books are clean after each", {
  timeout: caseTimeoutMs,
}, async () => {
  const turn = fc.tuple(between(1), fc.array(pairPick, { minLength: 1, maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 8, size: "max" }), (turns) =>
      live(async (twin) => {
        for (const [place, [steps, pairs]] of turns.entries()) {
          for (const step of place === 0 ? steps : steps.slice(3)) await twin.take(step);
          for (const pair of pairs) await twin.take({ do: "commit", ...pickPair(twin, pair) });
          await twin.expectCleanBooks();
        }
        await expectSameBooks(twin);
        await twin.expectCleanBooks();
      }),
    ),
    cases(200),
  );
  const asked = "SELECT (generic_plans + custom_plans)::int AS count FROM pg_prepared_statements WHERE name = 'gateway_settle_and_hold'";
  expect((await twinClient.query<{ count: number }>(asked)).rows[0]?.count).toBeGreaterThan(1_000);
});

test("a pair decides and writes exactly what its charge and its hold would one after the other", { timeout: caseTimeoutMs }, async () => {
  await fc.assert(
    fc.asyncProperty(between(8), fc.array(pairPick, { maxLength: 5 }), pairPick, (steps, pairs, last) =>
      live(async (twin) => {
        for (const step of steps) await twin.take(step);
        for (const pair of pairs) await twin.take({ do: "commit", ...pickPair(twin, pair) });
        const picks = pickPair(twin, last);
        const settlements = twin.settleAsks(picks.settlements).map((settle) => ({ settle }));
        const asks = [...settlements, ...twin.holdAsks(picks.holds).map((hold) => ({ hold }))];
        const run = (items: readonly Ask[]) => commit(twinClient, items, twin.atMs);
        await twinClient.query("SAVEPOINT before");
        const apart = await oneByOne(twinClient, asks, run);
        const booksApart = await dumpBooks(twinClient);
        await twinClient.query("ROLLBACK TO before");
        expect(await asBatch(twinClient, asks, run)).toEqual(apart);
        expect(await dumpBooks(twinClient)).toEqual(booksApart);
      }),
    ),
    cases(100),
  );
});

test("after all of this the books close", expectBooksToClose);
