import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { hotSettings, placeHolds, settleHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { creditIn, fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldRequest, SettleRequest } from "./testing/model-types";
import { chargeRequest, holdRequest, setCap, spendsOf, whileWaiting } from "./testing/waiting";

// Nothing is locked before its first change, so what a request has read may be outdated once it has the account's lock. Here another
// transaction locks the account first, changes what the request depends on, and commits while the request waits: alone, or in a batch.

await openTestDatabase();
let waiting: PoolClient;
let company: { account: AccountId; key: KeyId };

beforeAll(async () => {
  await openFunding();
  const account = await fundedAccount(1_000_000);
  company = { account, key: await openKey(account, { nanoUsd: 1_000_000, period: "total" }) };
  waiting = await pool().connect();
  await waiting.query(hotSettings);
});
afterAll(async () => {
  waiting.release();
  await closeRequestPath();
});

/** The reaper, for this hold only. */
const expire = (on: PoolClient, { request }: SettleRequest) =>
  on
    .query("UPDATE hold SET deadline = to_timestamp(0) WHERE request_id = $1", [request])
    .then(() => on.query("SELECT * FROM gateway_expire_holds(NULL, 1, to_timestamp(31))"))
    .then(({ rows }) => expect(rows).toEqual([{ request_id: request, account_id: expect.any(String), ceiling: expect.any(BigInt) }]));

describe.each([
  ["alone", 0],
  ["among others", 3],
])("%s", (_how, others) => {
  const companyHolds = () => Array.from({ length: others }, () => holdRequest(company.account, company.key, 10));

  async function hold(ask: HoldRequest) {
    const [first, ...rest] = companyHolds();
    const results = await placeHolds(waiting, first ? [first, ask, ...rest] : [ask], nowMs());
    return results[first ? 1 : 0];
  }

  async function openHold(account: AccountId, key: KeyId, ceiling: number): Promise<SettleRequest> {
    const ask = holdRequest(account, key, ceiling);
    const placed = await hold(ask);
    expect(placed?.outcome).toBe("held");
    return chargeRequest(ask);
  }

  async function settle(ask: SettleRequest, companys: SettleRequest[]) {
    const [first, ...rest] = companys;
    const results = await settleHolds(waiting, first ? [first, ask, ...rest] : [ask], nowMs());
    for (const [place, { outcome }] of results.entries()) if (place !== (first ? 1 : 0)) expect(outcome).toBe("settled");
    return results[first ? 1 : 0];
  }

  /** Other accounts' holds, to be settled in the same batch. */
  async function openCompany(): Promise<SettleRequest[]> {
    const asks = companyHolds();
    if (asks.length > 0) await placeHolds(waiting, asks, nowMs());
    return asks.map(chargeRequest);
  }

  test.each([
    ["all of it", 100, "insufficient"],
    ["so much that the ceiling just fits", 90, "held"],
    ["so much that it just does not", 91, "insufficient"],
  ])("a hold that waits while %s is taken is decided by the remainder", async (_what, taken, outcome) => {
    const account = await fundedAccount(100);
    const key = await openKey(account);
    const ask = holdRequest(account, key, 10);
    const take = (on: PoolClient) => placeHolds(on, [{ ...holdRequest(account, key, taken), key: null }], nowMs());
    expect((await whileWaiting(account, take, () => hold(ask)))?.outcome).toBe(outcome);
    expect((await readBalance(account)).held).toBe(BigInt(outcome === "held" ? taken + 10 : taken));
  });

  test("a hold that waits while money comes in can use it", async () => {
    const account = await fundedAccount(5);
    const key = await openKey(account);
    const more = (on: PoolClient) => creditIn(on, account, 5, `more for ${account}`);
    expect((await whileWaiting(account, more, () => hold(holdRequest(account, key, 10))))?.outcome).toBe("held");
    expect(await readBalance(account)).toEqual({ posted: 10n, held: 10n, available: 0n });
  });

  test("a hold that waits while its key's cap is lowered is decided by the new cap, and counts in the new period", async () => {
    const account = await fundedAccount(1_000);
    const key = await openKey(account, { nanoUsd: 100, period: "day" });
    await openHold(account, key, 20);
    expect(await whileWaiting(account, await setCap(account, key, 29, "day"), () => hold(holdRequest(account, key, 10)))).toMatchObject({
      outcome: "cap_reached",
      cap: 29n,
      spent: 20n,
    });
    expect((await readBalance(account)).held).toBe(20n);
    expect(await whileWaiting(account, await setCap(account, key, 30, "total"), () => hold(holdRequest(account, key, 10)))).toMatchObject({
      outcome: "held",
    });
    expect(await spendsOf(key)).toEqual([
      { period: "day", spent: 0n, held: 0n },
      { period: "total", spent: 0n, held: 30n },
    ]);
  });

  test.each([
    ["its key is revoked", (key: KeyId, account: AccountId) => setKeyState(account, key, "revoked"), "revoked"],
    [
      "its account is frozen",
      (_key: KeyId, account: AccountId) => pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account]),
      "frozen",
    ],
  ])("a hold that waits while %s is refused", async (_what, change, keyState) => {
    const account = await fundedAccount(100);
    const key = await openKey(account);
    const decided = await whileWaiting(
      account,
      () => change(key, account),
      () => hold(holdRequest(account, key, 10)),
    );
    expect(decided).toMatchObject({ outcome: "key_unusable", keyState });
    expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
  });

  test.each([
    ["and nothing else is held", 0],
    ["and others are held", 50],
  ])("a charge that waits while its hold expires, %s, is late and takes what is available", async (_what, alsoHeld) => {
    const beside = await openCompany();
    const account = await fundedAccount(100);
    const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
    if (alsoHeld > 0) await openHold(account, key, alsoHeld);
    const ask = await openHold(account, key, 30);
    const settled = await whileWaiting(
      account,
      (on) => expire(on, ask),
      () => settle(ask, beside),
    );
    expect(settled).toEqual({ outcome: "late", inputCost: 3n, outputCost: 4n });
    expect(await readBalance(account)).toEqual({ posted: 93n, held: BigInt(alsoHeld), available: BigInt(93 - alsoHeld) });
    expect(await spendsOf(key)).toEqual([{ period: "day", spent: 7n, held: BigInt(alsoHeld) }]);
  });

  test.each([
    ["charged", true, { outcome: "already", inputCost: 3n, outputCost: 4n }, 93n],
    ["released", false, { outcome: "late", inputCost: 3n, outputCost: 4n }, 93n],
  ])("a charge that waits while the same hold is %s is made once", async (_what, charges, expected, posted) => {
    const beside = await openCompany();
    const account = await fundedAccount(100);
    const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
    await openHold(account, key, 30);
    const ask = await openHold(account, key, 30);
    const settled = await whileWaiting(
      account,
      (on) => settleHolds(on, [{ ...ask, charges }], nowMs()),
      () => settle(ask, beside),
    );
    expect(settled).toEqual(expected);
    expect(await readBalance(account)).toEqual({ posted, held: 30n, available: posted - 30n });
  });

  test("a charge that waits while its key's period is changed counts in the new period", async () => {
    const beside = await openCompany();
    const account = await fundedAccount(100);
    const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
    const ask = await openHold(account, key, 30);
    expect(await whileWaiting(account, await setCap(account, key, 1_000, "total"), () => settle(ask, beside))).toEqual({
      outcome: "settled",
      inputCost: 3n,
      outputCost: 4n,
    });
    expect(await spendsOf(key)).toEqual([
      { period: "day", spent: 0n, held: 0n },
      { period: "total", spent: 7n, held: 0n },
    ]);
  });

  test("a late charge that waits while the money is withdrawn takes what is left", async () => {
    const beside = await openCompany();
    const account = await fundedAccount(100);
    const key = await openKey(account);
    const ask = await openHold(account, key, 30);
    await inTransaction((client) => expire(client, ask));
    const withdraw = (on: PoolClient) =>
      on.query("SELECT ledger_move_available($1, 'withdrawal', $2, 'test_funding', now())", [`withdrawal of ${account}`, account]);
    expect(await whileWaiting(account, withdraw, () => settle(ask, beside))).toEqual({ outcome: "late", inputCost: 0n, outputCost: 0n });
  });

  test("a charge whose hold has another ceiling, which should never happen, is refused and ends no hold", async () => {
    const beside = await openCompany();
    const account = await fundedAccount(200);
    const key = await openKey(account);
    await openHold(account, key, 40);
    const ask = await openHold(account, key, 30);
    const holdAnew = async (on: PoolClient) => {
      await expire(on, ask);
      await placeHolds(on, [{ ...holdRequest(account, key, 50), request: ask.request }], nowMs());
    };
    await expect(whileWaiting(account, holdAnew, () => settle(ask, beside))).rejects.toMatchObject({ code: "P0001" });
    expect(await readBalance(account)).toEqual({ posted: 200n, held: 90n, available: 110n });
  });
});

test("after all these tests the books close", expectBooksToClose);
