import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { checkBooks } from "@/lib/jobs/check-books";
import { collectDebts } from "@/lib/wallets/deposits/collect-debts";
import { readAllowance } from "@/lib/wallets/withdrawals/allowance";
import { openFundingAccount, openLossAccount, readBalance } from "./accounts";
import { readOwed } from "./owed";
import { rollUpRevenue } from "./roll-up";
import { holdOf } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { credit, fundedAccount, openFunding } from "./testing/fund";
import { endHold, openHold } from "./testing/hold";
import { holdRequest } from "./testing/waiting";

// A reversal while money is held: free money is taken at once, and held money is owed. It is taken once the holds have ended, and only the
// amount missing then is lost.

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await openFundingAccount("base_chain");
  await openLossAccount("losses");
});
afterEach(async () => {
  await rollUpRevenue();
  expect(await checkBooks()).toEqual([]);
});
afterAll(closeRequestPath);

let reversals = 0;

/** Reverses money that came in. Returns the amount lost for good, not counting debts. */
async function takeBack(account: AccountId, amount: number, id = `reversal ${++reversals}`): Promise<bigint> {
  const { rows } = await pool().query<{ lost: bigint }>("SELECT ledger_take_back($1, $2, 'test_funding', 'losses', $3, $4) AS lost", [
    ...[id, account, amount, now()],
  ]);
  expect(await checkBooks()).toEqual([]);
  return rows[0]?.lost ?? -1n;
}

/** Runs the job. */
async function collect(): Promise<void> {
  await collectDebts();
  expect(await checkBooks()).toEqual([]);
}

async function stateOf(account: AccountId) {
  const { rows } = await pool().query<{ posted: bigint; held: bigint; debt: bigint; state: string }>(
    "SELECT l.posted, l.held, l.debt, a.state FROM ledger_account l JOIN account a ON a.id = l.id WHERE l.id = $1",
    [account],
  );
  return rows[0];
}

const lossesNow = async () => (await readBalance("losses" as AccountId)).posted;

/** An account of 100, of which `held` is held, after a reversal of 100. */
async function openDebtor(held: bigint) {
  const account = await fundedAccount(100);
  const hold = await openHold(account, held);
  const before = await lossesNow();
  expect(await takeBack(account, 100)).toBe(0n);
  return { account, hold, lost: async () => (await lossesNow()) - before };
}

test("free money is taken at once, held money is owed, nothing is lost, and the account is not frozen", async () => {
  const { account } = await openDebtor(60n);
  expect(await stateOf(account)).toEqual({ posted: 60n, held: 60n, debt: 60n, state: "open" });
  expect(await readBalance(account)).toEqual({ posted: 60n, held: 60n, available: 0n });
});

test("while a debt is open no new hold is placed, not even of zero, and nothing can be withdrawn", async () => {
  const { account, hold } = await openDebtor(60n);
  await credit(account, 30, `more for ${account}`);
  for (const ceiling of [0, 1]) {
    expect(await commit().place(holdOf(holdRequest(account, null, ceiling)))).toMatchObject({ outcome: "insufficient", available: 0n });
  }
  expect(await readAllowance(account)).toMatchObject({ withdrawable: 0n });
  await endHold(hold, null);
  expect(await readAllowance(account)).toMatchObject({ withdrawable: 30n });
  await collect();
  expect(await commit().place(holdOf(holdRequest(account, null, 30)))).toEqual({ outcome: "held" });
});

test("while the debt's money is held the job changes nothing and freezes no account", async () => {
  const { account } = await openDebtor(60n);
  await collect();
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 60n, held: 60n, debt: 60n, state: "open" });
});

test("the money of a released hold is taken back in full, and nothing is lost", async () => {
  const { account, hold, lost } = await openDebtor(60n);
  expect(await lost()).toBe(-60n);
  await endHold(hold, null);
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n, state: "open" });
  expect(await lost()).toBe(0n);
});

test("of a charged hold, the request's cost is lost, the rest is taken, and the account is frozen", async () => {
  const lostBefore = await countLost();
  const { account, hold, lost } = await openDebtor(60n);
  await endHold(hold, { input: 20, output: 5 });
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n, state: "frozen" });
  expect(await lost()).toBe(-25n);
  expect((await countLost()) - lostBefore).toBe(25);
});

async function countLost(): Promise<number> {
  const { values } = await metrics().operatorLossNanoUsd.get();
  return values.find(({ labels }) => labels.reason === "uncollected_debt")?.value ?? 0;
}

test("money already spent at the reversal is lost at once, and only held money is owed", async () => {
  const account = await fundedAccount(100);
  await endHold(await openHold(account, 40n), { input: 40, output: 0 });
  const hold = await openHold(account, 50n);
  expect(await takeBack(account, 100)).toBe(40n);
  expect(await stateOf(account)).toEqual({ posted: 50n, held: 50n, debt: 50n, state: "open" });
  await endHold(hold, null);
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n, state: "open" });
});

test("of several holds each is taken when it ends, and the last decides whether the account is frozen", async () => {
  const account = await fundedAccount(100);
  const [first, second] = [await openHold(account, 30n), await openHold(account, 50n)];
  expect(await takeBack(account, 100)).toBe(0n);
  await endHold(first, { input: 10, output: 0 });
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 50n, held: 50n, debt: 60n, state: "open" });
  await endHold(second, null);
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n, state: "frozen" });
  const { rows } = await pool().query("SELECT amount FROM entry WHERE account_id = $1 AND transfer_id LIKE 'debt_%' ORDER BY amount", [
    account,
  ]);
  expect(rows).toEqual([{ amount: -50n }, { amount: -20n }]);
});

test("several debts never exceed what is held, and are paid oldest first", async () => {
  const account = await fundedAccount(100);
  const hold = await openHold(account, 60n);
  const [first, second, third] = [
    await takeBack(account, 70, "debt a"),
    await takeBack(account, 20, "debt b"),
    await takeBack(account, 40, "debt c"),
  ];
  expect([first, second, third]).toEqual([0n, 0n, 30n]);
  const { rows } = await pool().query("SELECT transfer_id, amount FROM debt WHERE account_id = $1 ORDER BY since, transfer_id", [account]);
  expect(rows).toEqual([
    { transfer_id: "debt a", amount: 30n },
    { transfer_id: "debt b", amount: 20n },
    { transfer_id: "debt c", amount: 10n },
  ]);
  await endHold(hold, { input: 25, output: 0 });
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n, state: "frozen" });
  const taken = "SELECT transfer_id, amount FROM entry WHERE account_id = $1 AND transfer_id LIKE 'debt_debt%' ORDER BY 1";
  expect((await pool().query(taken, [account])).rows).toEqual([
    { transfer_id: `debt_debt a_${account}_30`, amount: -30n },
    { transfer_id: `debt_debt b_${account}_20`, amount: -5n },
  ]);
});

test("money that comes in meanwhile pays a debt, and the excess stays", async () => {
  const { account, hold, lost } = await openDebtor(60n);
  await credit(account, 45, `first for ${account}`);
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 60n, held: 60n, debt: 15n, state: "open" });
  await credit(account, 45, `second for ${account}`);
  await collect();
  expect(await stateOf(account)).toEqual({ posted: 90n, held: 60n, debt: 0n, state: "open" });
  expect(await lost()).toBe(0n);
  await endHold(hold, { input: 60, output: 0 });
  expect(await readBalance(account)).toEqual({ posted: 30n, held: 0n, available: 30n });
});

test("a repeated reversal is made once, and so is its debt", async () => {
  const account = await fundedAccount(100);
  const hold = await openHold(account, 60n);
  expect([await takeBack(account, 100, "twice"), await takeBack(account, 100, "twice")]).toEqual([0n, 0n]);
  await endHold(hold, null);
  await collect();
  expect(await takeBack(account, 100, "twice")).toBe(0n);
  expect(await stateOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n, state: "open" });
});

test("two concurrent jobs collect once, while holds end", async () => {
  const debtors = await Promise.all([40n, 50n, 60n, 70n].map(openDebtorAtOnce));
  const ends = debtors.map(({ hold }, index) => endHold(hold, index % 2 === 0 ? null : { input: 5, output: 0 }));
  await Promise.all([...ends, ...Array.from({ length: 6 }, () => collectDebts())]);
  await Promise.all([collect(), collect()]);
  const states = await Promise.all(debtors.map(({ account }) => stateOf(account)));
  expect(states.map((one) => one?.state)).toEqual(["open", "frozen", "open", "frozen"]);
  for (const one of states) expect(one).toMatchObject({ posted: 0n, held: 0n, debt: 0n });
  const { rows } = await pool().query<{ taken: bigint }>(
    "SELECT (-sum(amount))::bigint AS taken FROM entry WHERE account_id = ANY ($1) AND transfer_id LIKE 'debt_%'",
    [debtors.map(({ account }) => account)],
  );
  expect(rows).toEqual([{ taken: 40n + 45n + 60n + 65n }]);
});

async function openDebtorAtOnce(held: bigint) {
  const account = await fundedAccount(100);
  const hold = await openHold(account, held);
  await takeBack(account, 100);
  return { account, hold };
}

test("an account's debt is not counted in what we owe", async () => {
  const owedNow = async () => (await readOwed(prisma(), { chainAccounts: [], unseen: new Map() })).customers;
  const before = await owedNow();
  const { hold } = await openDebtor(60n);
  expect(await owedNow()).toBe(before);
  await endHold(hold, { input: 25, output: 0 });
  expect(await owedNow()).toBe(before);
  await collect();
  expect(await owedNow()).toBe(before);
});

test("an account whose freezing fails keeps its debt for the next run, and delays no other account", async () => {
  const [{ account, hold }, other] = [await openDebtor(60n), await openDebtor(60n)];
  for (const one of [hold, other.hold]) await endHold(one, { input: 25, output: 0 });
  await pool().query(`ALTER TABLE account ADD CONSTRAINT not_now CHECK (id <> '${account}' OR state = 'open')`);
  await expect(collectDebts()).rejects.toThrow("not_now");
  expect(await stateOf(account)).toEqual({ posted: 35n, held: 0n, debt: 60n, state: "open" });
  expect(await stateOf(other.account)).toMatchObject({ state: "frozen", debt: 0n });
  await pool().query("ALTER TABLE account DROP CONSTRAINT not_now");
  await collect();
  expect(await stateOf(account)).toMatchObject({ state: "frozen", debt: 0n });
});

test("after all these tests the books close", expectBooksToClose);
