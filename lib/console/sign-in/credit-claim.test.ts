// Credit that payments left at an address moves to the account that proves the wallet: once, and only what is free.

import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { expireHoldsAt, openHold } from "@/lib/ledger/testing/hold";
import { checkPayments } from "@/lib/payments/claims/check";
import { claimCredit, creditAccountOf, readCredit } from "@/lib/payments/claims/credits";
import { networkOf } from "@/lib/payments/claims/networks";
import { finalIn, paidIn, reversed } from "@/lib/payments/testing/credited";
import { readAllowance } from "@/lib/wallets/withdrawals/allowance";
import { openTestCustody } from "../testing/custody";
import { link } from "../testing/linking";
import { enter } from "../testing/owners";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import { unlinkWallet } from "./link-wallet";
import { signIn, startSignIn } from "./sign-in";

await openTestDatabase();
beforeAll(openTestCustody);
beforeEach(() => forgetSingleton("limits.limiter"));
afterAll(async () => expect([await checkLedger(), await checkPayments()]).toEqual([[], []]));

const USD = 1_000_000_000n;
const browser = { userAgent: "a browser", clientAddress: "192.0.2.1" };

const storedAs = (wallet: TestWallet): Wallet => {
  const known = readWallet(wallet.chain, wallet.address);
  if (!known) throw new Error("a wallet of a test has an address");
  return known;
};

/** A payment from the wallet, credited in `block`; returns the claim's id. */
const pay = (wallet: TestWallet, amount: bigint, block = 10) =>
  paidIn(block, { chain: wallet.chain, payer: storedAs(wallet).address, amount });

const creditOf = (wallet: TestWallet): AccountId => creditAccountOf(networkOf(wallet.chain), storedAs(wallet).address);
const leftAt = (wallet: TestWallet) => readCredit(networkOf(wallet.chain), storedAs(wallet).address);
const postedOf = async (account: AccountId) => (await readBalance(account)).posted;

async function proofOf(wallet: TestWallet) {
  const started = await startSignIn(wallet, browser.clientAddress);
  if (!started.ok) throw new Error(started.reason);
  return prove(wallet, started.challenge);
}

test.each(["evm", "solana"] as const)("the first sign-in of a wallet on %s moves what its payments left", async (chain) => {
  const wallet = newWallet(chain);
  await pay(wallet, 3n * USD);
  await pay(wallet, 2n * USD);
  expect(await leftAt(wallet)).toBe(5n * USD);
  const { accountId } = await enter(wallet);
  expect([await postedOf(accountId), await leftAt(wallet)]).toEqual([5n * USD, 0n]);
  await pay(wallet, USD);
  expect((await enter(wallet)).accountId).toBe(accountId);
  expect([await postedOf(accountId), await leftAt(wallet)]).toEqual([6n * USD, 0n]);
});

test("a sign-in succeeds even when its credit cannot be moved, and the next one moves it", async () => {
  const wallet = newWallet("evm");
  await pay(wallet, 3n * USD);
  const query = pool().query.bind(pool()) as (...given: unknown[]) => Promise<unknown>;
  const failing = vi.spyOn(pool(), "query").mockImplementation((async (...given: unknown[]) => {
    if (JSON.stringify(given[0]).includes("payments_claim_credit")) throw new Error("the database is away");
    return query(...given);
  }) as never);
  const { accountId } = await enter(wallet).finally(() => failing.mockRestore());
  expect([await postedOf(accountId), await leftAt(wallet)]).toEqual([0n, 3n * USD]);
  expect((await enter(wallet)).accountId).toBe(accountId);
  expect([await postedOf(accountId), await leftAt(wallet)]).toEqual([3n * USD, 0n]);
});

test("ten concurrent sign-ins move it once", async () => {
  const wallet = newWallet("evm");
  await pay(wallet, 4n * USD);
  const proofs = await Promise.all(Array.from({ length: 10 }, () => proofOf(wallet)));
  const outcomes = await Promise.all(proofs.map((proof) => signIn(proof, browser)));
  const accounts = [...new Set(outcomes.map((outcome) => (outcome.ok ? outcome.accountId : outcome.reason)))];
  expect(accounts).toHaveLength(1);
  expect([await postedOf(accounts[0] as AccountId), await leftAt(wallet)]).toEqual([4n * USD, 0n]);
  const { rows } = await pool().query("SELECT FROM entry WHERE account_id = $1 AND transfer_id LIKE 'credit_claim_%'", [accounts[0]]);
  expect(rows).toHaveLength(1);
});

test("a hold open at that moment stays, and its remainder can be moved later", async () => {
  const wallet = newWallet("solana");
  await pay(wallet, 5n * USD);
  const until = new Date(now().getTime() + 60_000);
  const credit = creditOf(wallet);
  await openHold(credit, 2n * USD, { until });
  const { accountId } = await enter(wallet);
  expect([await postedOf(accountId), (await readBalance(credit)).held]).toEqual([3n * USD, 2n * USD]);
  await expireHoldsAt(new Date(until.getTime() + 1));
  expect(await claimCredit(accountId, storedAs(wallet))).toBe(2n * USD);
  expect([await postedOf(accountId), await postedOf(credit)]).toEqual([5n * USD, 0n]);
});

test("linking a wallet moves its credit, and unlinking it moves nothing", async () => {
  const [first, second] = [newWallet("evm"), newWallet("solana")];
  const owner = await enter(first);
  await pay(second, 7n * USD);
  expect(await link(owner, first, second)).toEqual({ ok: true });
  expect([await postedOf(owner.accountId), await leftAt(second)]).toEqual([7n * USD, 0n]);
  await pay(second, USD);
  expect(await unlinkWallet(owner, second)).toEqual({ ok: true });
  expect([await postedOf(owner.accountId), await leftAt(second)]).toEqual([7n * USD, USD]);
  const claim = claimCredit(owner.accountId, storedAs(second));
  await expect(claim).rejects.toThrow("not the account's");
});

test("a refused link moves nothing", async () => {
  const [first, second] = [newWallet("evm"), newWallet("evm")];
  const [owner, other] = [await enter(first), await enter(second)];
  await pay(second, USD);
  expect(await link(owner, first, second)).toEqual({ ok: false, reason: "joining_used" });
  expect([await postedOf(owner.accountId), await postedOf(other.accountId), await leftAt(second)]).toEqual([0n, 0n, USD]);
});

test("nothing moves into a frozen account", async () => {
  const wallet = newWallet("evm");
  const { accountId } = await enter(wallet);
  await pay(wallet, USD);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]);
  expect(await enter(wallet)).toMatchObject({ accountId, isFrozen: true });
  expect([await postedOf(accountId), await leftAt(wallet)]).toEqual([0n, USD]);
});

test("a claimed credit can be withdrawn once its payment is final, and disappears if its payment does", async () => {
  const wallet = newWallet("evm");
  const [final, gone] = [await pay(wallet, 3n * USD, 10), await pay(wallet, 2n * USD, 11)];
  const { accountId } = await enter(wallet);
  const leaves = async () => (await readAllowance(accountId)).withdrawable;
  expect([await postedOf(accountId), await leaves()]).toEqual([5n * USD, 0n]);
  await finalIn(12, final);
  expect(await leaves()).toBe(3n * USD);
  expect(await reversed(gone)).toBe(0n);
  expect([await postedOf(accountId), await leaves()]).toEqual([3n * USD, 3n * USD]);
  expect(await reversed(gone)).toBeNull();
});
