import type { PoolClient } from "pg";
import { beforeAll, expect, test } from "vitest";
import { newAccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fillPrices } from "@/lib/providers/prices";
import { openCustomerAccount, openFundingAccount, readBalance } from "./accounts";
import { checkLedger } from "./check";
import { recordPriceVersions } from "./price-versions";
import { credit, creditIn, fundedAccount, openFunding } from "./testing/fund";
import { openHold } from "./testing/hold";
import { postTransfer } from "./transfers";

await openTestDatabase();
beforeAll(openFunding);

const leg = (account: string, amount: bigint) => ({ account, amount: nanoUsd(amount) });
const count = async (table: "entry" | "transfer") =>
  (await pool().query<{ count: bigint }>(`SELECT count(*) FROM ${table}`)).rows[0]?.count;

test("a transfer is posted once, however often and over however many connections it is tried", async () => {
  const account = await fundedAccount(0);
  const posted = await Promise.all(Array.from({ length: 20 }, () => credit(account, 5, "the same deposit")));
  expect(posted.filter(Boolean)).toHaveLength(1);
  expect(await readBalance(account)).toEqual({ posted: 5n, held: 0n, available: 5n });
});

test("concurrent transfers to many accounts are all posted, without a deadlock", async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => fundedAccount(100)));
  const [first] = accounts;
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => {
      const from = accounts[n % 5] ?? first;
      const to = accounts[(n * 3 + 1) % 5] ?? first;
      return from === to || !from || !to ? true : postTransfer({ id: `move ${n}`, kind: "credit", legs: [leg(from, -1n), leg(to, 1n)] });
    }),
  );
  const balances = await Promise.all(accounts.map((one) => readBalance(one)));
  expect(balances.reduce((sum, { posted }) => sum + posted, 0n)).toBe(500n);
  expect(await checkLedger()).toEqual([]);
});

test.each([
  ["do not sum to zero", (account: string) => [leg(account, 5n), leg("test_funding", -4n)], /does not balance: its entries sum to 1/],
  ["are none at all", () => [], /does not balance/],
  [
    "name an account that does not exist",
    (account: string) => [leg(account, 5n), leg("nobody", -5n)],
    /names an account that does not exist/,
  ],
  ["name an account twice", (account: string) => [leg(account, 5n), leg(account, -5n)], /duplicate key/],
  ["hold an amount of zero", (account: string) => [leg(account, 0n), leg("test_funding", 0n)], /entry_amount_check/],
  ["take a customer below zero", (account: string) => [leg(account, -11n), leg("test_funding", 11n)], /customer_never_negative/],
  ["are more than the ledger can hold", (account: string) => [leg(account, 2n ** 63n), leg("test_funding", -(2n ** 63n))], /out of range/],
])("a transfer whose legs %s is refused and leaves nothing behind", async (_what, legs, message) => {
  const account = await fundedAccount(10);
  const before = [await count("transfer"), await count("entry"), await readBalance(account)];
  await expect(postTransfer({ id: `refused ${account}`, kind: "credit", legs: legs(account) })).rejects.toThrow(message);
  expect([await count("transfer"), await count("entry"), await readBalance(account)]).toEqual(before);
});

test("held money cannot be taken back", async () => {
  const account = await fundedAccount(10);
  await openHold(account, 8n);
  await expect(postTransfer({ id: "back", kind: "reversal", legs: [leg(account, -3n), leg("test_funding", 3n)] })).rejects.toThrow(
    /customer_never_negative/,
  );
  expect(await postTransfer({ id: "back", kind: "reversal", legs: [leg(account, -2n), leg("test_funding", 2n)] })).toBe(true);
  expect(await readBalance(account)).toEqual({ posted: 8n, held: 8n, available: 0n });
});

test("a transfer belongs to its transaction: rolled back with it, posted with it", async () => {
  const account = await fundedAccount(0);
  const post = (transaction: PoolClient) => creditIn(transaction, account, 5, "in a transaction");
  const failing = inTransaction(async (transaction) => {
    expect(await post(transaction)).toBe(true);
    throw new Error("something else failed");
  });
  await expect(failing).rejects.toThrow("something else failed");
  expect((await readBalance(account)).posted).toBe(0n);
  expect(await inTransaction(post)).toBe(true);
  expect((await readBalance(account)).posted).toBe(5n);
});

test("opening an account again changes nothing, and an account that was never opened has no balance", async () => {
  const account = await fundedAccount(7);
  await openCustomerAccount(account);
  await openFundingAccount(account);
  expect((await readBalance(account)).posted).toBe(7n);
  await expect(credit(account, -8, "below zero")).rejects.toThrow(/customer_never_negative/);
  await expect(readBalance(newAccountId())).rejects.toThrow(/has no ledger account/);
  await expect(pool().query("SELECT ledger_open_account('new', 'custumer', now())")).rejects.toThrow("no kind of account called custumer");
});

const pricesOf = (input: number, output: number) => fillPrices({ input: nanoUsd(input), output: nanoUsd(output) });

test("a price version stays as first recorded", async () => {
  const versions = ["a", "b"].map((id) => ({ id, model: "model", prices: pricesOf(1, 2) }));
  await recordPriceVersions(versions);
  await recordPriceVersions(
    [...versions, { id: "c", model: "model", prices: pricesOf(3, 3) }].map((version) => ({
      ...version,
      prices: pricesOf(9, 9),
    })),
  );
  const { rows } = await pool().query("SELECT id, input_price FROM price_version WHERE id = ANY ('{a,b,c}') ORDER BY id");
  expect(rows).toEqual([
    { id: "a", input_price: 1n },
    { id: "b", input_price: 1n },
    { id: "c", input_price: 9n },
  ]);
});

test("processes that record the same price versions at once, each in its own order, do not deadlock", async () => {
  for (let round = 0; round < 10; round++) {
    const versions = Array.from({ length: 500 }, (_, n) => ({
      id: `round ${round} version ${n}`,
      model: "model",
      prices: pricesOf(n, n),
    }));
    await Promise.all([versions, versions.toReversed()].map((list) => recordPriceVersions(list)));
  }
});
