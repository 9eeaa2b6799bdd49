// Lines: an owner hears once of each crossing, whoever moved the money, and never of what a commit undid.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readLowLine, setLowLine } from "./accounts";
import { type Child, killChildren, startChild } from "./testing/child";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { credit, fundedAccount, openFunding, openKey } from "./testing/fund";
import { chargeLate, endHold, openHold } from "./testing/hold";
import { spendAtOnce } from "./testing/load";
import { postTransfer } from "./transfers";

const database = await openTestDatabase();

beforeAll(openFunding);
afterEach(killChildren);
afterAll(closeRequestPath);

interface Told {
  type: string;
  data: Record<string, string>;
}

async function toldOf(account: AccountId): Promise<Told[]> {
  const { rows } = await pool().query<Told>("SELECT type, data FROM event WHERE account_id = $1 AND type <> 'key.created' ORDER BY place", [
    account,
  ]);
  return rows;
}

const low = (balance: number, threshold: number): Told => ({
  type: "balance.low",
  data: { balance: `${balance}`, threshold: `${threshold}` },
});

const setLine = (account: AccountId, line: number | null) => setLowLine(account, line === null ? null : nanoUsd(line));

const spend = async (account: AccountId, amount: number) => endHold(await openHold(account, BigInt(amount)), { input: amount, output: 0 });

let credits = 0;
const deposit = (account: AccountId, amount: number) => credit(account, amount, `deposit ${++credits}`);

const withdraw = (account: AccountId, amount: number) =>
  postTransfer({
    id: `withdrawal ${++credits}`,
    kind: "reversal",
    legs: [
      { account, amount: nanoUsd(-amount) },
      { account: "test_funding" as AccountId, amount: nanoUsd(amount) },
    ],
  });

test("one event for a crossing, and the next only after the balance was a tenth above the line", async () => {
  const account = await fundedAccount(2_000);
  await setLine(account, 1_000);
  await spend(account, 1_000); // on the line is not below it
  expect(await toldOf(account)).toEqual([]);
  await spend(account, 1);
  await spend(account, 99);
  expect(await toldOf(account)).toEqual([low(999, 1_000)]);
  await deposit(account, 199); // 1,099: above the line, and a tenth above it is 1,100
  await spend(account, 200);
  expect(await toldOf(account)).toHaveLength(1);
  await deposit(account, 201);
  await withdraw(account, 101);
  expect(await toldOf(account)).toEqual([low(999, 1_000), low(999, 1_000)]);
});

test("a hold crosses no line: what is held is still the customer's", async () => {
  const account = await fundedAccount(2_000);
  await setLine(account, 1_000);
  const hold = await openHold(account, 1_500n);
  expect(await toldOf(account)).toEqual([]);
  await endHold(hold, null);
  expect(await toldOf(account)).toEqual([]);
});

test("a line above the balance tells once, and so does each new line; the same line again tells nothing", async () => {
  const account = await fundedAccount(500);
  await setLine(account, 1_000);
  await setLine(account, 1_000);
  await spend(account, 1);
  expect(await toldOf(account)).toEqual([low(500, 1_000)]);
  await setLine(account, 400); // below the balance
  await setLine(account, 600);
  expect(await toldOf(account)).toEqual([low(500, 1_000), low(499, 600)]);
  await setLine(account, null);
  await spend(account, 400);
  expect(await toldOf(account)).toHaveLength(2);
  expect(await readLowLine(account)).toBeNull();
});

test("a charge that comes late, after its hold is gone, tells as any other", async () => {
  const account = await fundedAccount(1_500);
  await setLine(account, 1_000);
  const hold = { request: "req_late0000000000000000" as never, account, key: null, ceiling: 600n };
  await chargeLate(hold, { input: 600, output: 0 });
  expect(await toldOf(account)).toEqual([low(900, 1_000)]);
});

test("a settlement that finds no hold changes the balance twice in its commit, and tells nothing", async () => {
  const account = await fundedAccount(1_000);
  await setLine(account, 1_000);
  await openHold(account, 500n);
  const gone = { request: "req_gone0000000000000000" as never, account, key: null, ceiling: 500n };
  await expect(endHold(gone, { input: 500, output: 0 })).rejects.toThrow("has no hold");
  expect(await toldOf(account)).toEqual([]);
});

/** What the gateway does for each of many requests that were refused at once. */
const refuse = (account: AccountId, key: KeyId | null, needed: bigint) =>
  Promise.all(Array.from({ length: 20 }, () => pool().query("SELECT gateway_tell_refused($1, $2, $3, now())", [account, key, needed])));

test("an empty balance tells at the first refusal, and again after money came in", async () => {
  const account = await fundedAccount(50);
  await spendAtOnce({ account, key: null }, 200, 100);
  expect(await toldOf(account)).toEqual([]);
  await refuse(account, null, 50n); // it is covered by now
  await refuse(account, null, 100n);
  expect(await toldOf(account)).toEqual([{ type: "balance.exhausted", data: { available: "50", needed: "100" } }]);
  await deposit(account, 20);
  await refuse(account, null, 100n);
  expect((await toldOf(account)).map(({ data }) => data.available)).toEqual(["50", "70"]);
});

test("a key's owner hears of four fifths of its cap and of its first refusal, once a period", async () => {
  const account = await fundedAccount(1_000_000);
  const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
  await spendAtOnce({ account, key }, 7, 100);
  expect(await toldOf(account)).toEqual([]);
  await spendAtOnce({ account, key }, 100, 100);
  await refuse(account, key, 100n);
  const told = await toldOf(account);
  expect(told.map(({ type }) => type).sort()).toEqual(["key.cap_80", "key.cap_reached"]);
  expect(told.find(({ type }) => type === "key.cap_80")?.data).toMatchObject({ keyId: key, cap: "1000", period: "day" });
  expect(told.find(({ type }) => type === "key.cap_reached")?.data).toMatchObject({
    keyId: key,
    cap: "1000",
    needed: "100",
    period: "day",
  });
});

test("a key whose first request is above its cap is told of, too", async () => {
  const account = await fundedAccount(1_000_000);
  const key = await openKey(account, { nanoUsd: 50, period: "total" });
  await spendAtOnce({ account, key }, 3, 100);
  await refuse(account, key, 100n);
  expect(await toldOf(account)).toEqual([
    { type: "key.cap_reached", data: { keyId: key, cap: "50", used: "0", needed: "100", period: "total" } },
  ]);
  await expectBooksToClose();
});

/** How often a balance that went through these values crossed the line, by a plain loop. */
function crossingsOf(balances: readonly bigint[], line: bigint): number {
  let [isArmed, crossings] = [true, 0];
  for (const balance of balances) {
    if (isArmed && balance < line) crossings++;
    isArmed = isArmed ? balance >= line : balance >= line + line / 10n;
  }
  return crossings;
}

const inBoth = (children: readonly Child[], account: AccountId, key: KeyId | null, times: number) =>
  Promise.all(children.map((child) => child.ask({ do: "spend", spender: { account, key }, times, ceiling: 100 })));

test("1,000 requests of two processes, with deposits and withdrawals between them: one event a crossing", async () => {
  // The balance at each commit, in their order: the account is locked until then.
  await pool().query(`
    CREATE TABLE seen_balance (place bigint GENERATED ALWAYS AS IDENTITY, account_id text, posted bigint);
    CREATE FUNCTION see_balance() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO seen_balance (account_id, posted) SELECT a.id, a.posted FROM ledger_account a WHERE a.id = NEW.id;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER balance_is_seen AFTER UPDATE ON ledger_account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see_balance();`);
  const children = await Promise.all([startChild("load-child", database.url), startChild("load-child", database.url)]);
  const account = await fundedAccount(57_000);
  await setLine(account, 50_000);
  for (let round = 0; round < 5; round++) {
    await Promise.all([inBoth(children, account, null, 50), withdraw(account, 7_000)]);
    await Promise.all([inBoth(children, account, null, 50), deposit(account, 27_000)]);
  }
  const { rows } = await pool().query<{ posted: bigint }>("SELECT posted FROM seen_balance WHERE account_id = $1 ORDER BY place", [
    account,
  ]);
  const crossings = crossingsOf(
    rows.map(({ posted }) => posted),
    50_000n,
  );
  expect(crossings).toBeGreaterThanOrEqual(5);
  const lows = (await toldOf(account)).filter(({ type }) => type === "balance.low");
  expect(lows).toHaveLength(crossings);
  await expectBooksToClose();
});
