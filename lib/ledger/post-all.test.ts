// Posting many transfers at once is the same as posting them one by one: the same books, results and refusals.

import { afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openLiabilityAccount, openLossAccount, readBalance } from "./accounts";
import { checkLedger } from "./check";
import { fundedAccount, openFunding } from "./testing/fund";
import { openHold } from "./testing/hold";

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await openLiabilityAccount("kept");
  await openLossAccount("losses");
});
afterEach(async () => expect(await checkLedger()).toEqual([]));

interface Leg {
  transfer: string;
  kind: string;
  account: string;
  amount: number;
}

const move = (transfer: string, from: string, to: string, amount: number): Leg[] => [
  { transfer, kind: "credit", account: from, amount: -amount },
  { transfer, kind: "credit", account: to, amount },
];

async function postAll(legs: readonly Leg[]): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>("SELECT ledger_post_all($1, now()) AS id", [JSON.stringify(legs)]);
  return rows.map(({ id }) => id).sort();
}

async function postEach(legs: readonly Leg[]): Promise<string[]> {
  const posted: string[] = [];
  for (const transfer of new Set(legs.map((leg) => leg.transfer))) {
    const own = legs.filter((leg) => leg.transfer === transfer);
    const { rows } = await pool().query<{ posted: boolean }>("SELECT ledger_post($1, 'credit', $2, now()) AS posted", [
      transfer,
      JSON.stringify(own),
    ]);
    if (rows[0]?.posted) posted.push(transfer);
  }
  return posted.sort();
}

const postedOf = (accounts: readonly Awaited<ReturnType<typeof fundedAccount>>[]) =>
  Promise.all(accounts.map(async (account) => (await readBalance(account)).posted));

test("a thousand transfers posted at once, with repeats, give the same books as posted one by one", async () => {
  const together = await Promise.all(Array.from({ length: 20 }, () => fundedAccount(100)));
  const apart = await Promise.all(Array.from({ length: 20 }, () => fundedAccount(100)));
  const legs = (accounts: readonly string[], name: string) =>
    Array.from({ length: 1_000 }, (_, n) => {
      const [one = "", other = ""] = [accounts[n % 20], accounts[(n * 7 + 3) % 20]];
      const from = n % 3 === 0 && one !== other ? other : "test_funding";
      return move(`${name} ${n}`, from, n % 5 === 0 ? "kept" : one, (n % 4) + 1);
    }).flat();
  const [some, someApart] = [legs(together, "together"), legs(apart, "apart")];
  const first = await postAll(some.slice(0, 800));
  expect(first).toHaveLength((await postEach(someApart.slice(0, 800))).length);
  expect(first).toHaveLength(400);
  expect(await postAll(some)).toHaveLength(600);
  expect(await postEach(someApart)).toHaveLength(600);
  expect(await postAll(some)).toEqual([]);
  expect(await postedOf(together)).toEqual(await postedOf(apart));
});

test.each([
  ["do not balance", (account: string) => move("off", account, "kept", 5).slice(1), /transfer off does not balance: its entries sum to 5/],
  ["name nobody", (account: string) => move("off", account, "nobody", 5), /names an account that does not exist/],
  ["take too much", (account: string) => move("off", account, "kept", 14), /customer_never_negative/],
  ["move nothing", (account: string) => move("off", account, "kept", 0), /entry_amount_check/],
])("one transfer whose legs %s causes all to be refused", async (_what, wrong, message) => {
  const account = await fundedAccount(10);
  await expect(postAll([...move(`good for ${account}`, "test_funding", account, 3), ...wrong(account)])).rejects.toThrow(message);
  expect((await readBalance(account)).posted).toBe(10n);
});

test.each([
  [10n, 4, 0n, 6n],
  [10n, 10, 0n, 0n],
  [10n, 13, 3n, 0n],
  [0n, 5, 5n, 0n],
])("from %i, taking back %i loses %i and leaves %i, however often it is repeated", async (had, amount, lost, left) => {
  const account = await fundedAccount(had);
  const takeBack = async () => {
    const { rows } = await pool().query<{ lost: bigint }>("SELECT ledger_take_back($1, $2, 'test_funding', 'losses', $3, now()) AS lost", [
      `back from ${account}`,
      account,
      amount,
    ]);
    return rows[0]?.lost;
  };
  expect(await takeBack()).toBe(lost);
  expect(await takeBack()).toBe(0n);
  expect((await readBalance(account)).posted).toBe(left);
});

test("money held for a request is not taken back yet: it is owed, not lost", async () => {
  const account = await fundedAccount(10);
  await openHold(account, 8n);
  const { rows } = await pool().query("SELECT ledger_take_back('back of held', $1, 'test_funding', 'losses', 10, now()) AS lost", [
    account,
  ]);
  expect(rows).toEqual([{ lost: 0n }]);
  expect(await readBalance(account)).toEqual({ posted: 8n, held: 8n, available: 0n });
  const debts = await pool().query("SELECT loss_id, amount FROM debt WHERE account_id = $1", [account]);
  expect(debts.rows).toEqual([{ loss_id: "losses", amount: 8n }]);
});
