// Payments in the reserves, checked in each state: a credit that is not final is neither held nor owed and cannot be withdrawn; money on
// the chain that the books lack is surplus.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { endHold, expireHoldsAt, openHold } from "@/lib/ledger/testing/hold";
import { finalIn, reversed } from "@/lib/payments/testing/credited";
import { collectDebts } from "@/lib/wallets/deposits/collect-debts";
import { checkReserves } from "@/lib/wallets/reserves/check-reserves";
import { ONE_USDC, type Owner, postedOf, spend } from "@/lib/wallets/reserves/testing/reserves-world";
import { readAllowance } from "@/lib/wallets/withdrawals/allowance";
import { readChainFunds } from "@/lib/wallets/withdrawals/chain-funds";
import { order, USD } from "@/lib/wallets/withdrawals/testing/world";
import { checkBooks } from "./check-books";
import { claim, credit, type PaymentsWorld, prove, reckoned, startPaymentsWorld } from "./testing/payments-world";

await openTestDatabase();
let world: PaymentsWorld;
beforeAll(async () => {
  world = await startPaymentsWorld();
});
afterEach(async () => {
  await rollUpRevenue();
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => world?.stop());

/** nano-USD. */
const SPENT = 1_000;

async function hold(account: AccountId, ceiling: bigint): Promise<() => Promise<unknown>> {
  const until = new Date(now().getTime() + 60_000);
  await openHold(account, ceiling, { until });
  return () => expireHoldsAt(new Date(until.getTime() + 1));
}

test("the first payment on a chain without deposits is no deficit", async () => {
  expect(await reckoned()).toEqual({ held: 0n, owed: 0n, credits: 0n });
  const { account, block, claimId } = await world.paid("evm", 2n * ONE_USDC);
  expect(await reckoned()).toEqual({ held: 0n, owed: 0n, credits: 0n });
  await spend(account, SPENT - 1);
  expect(await reckoned()).toEqual({ held: 0n, owed: 0n, credits: 0n });
  await world.evm.mine(6);
  // Final on the chain, but not in the books yet.
  expect(await reckoned()).toEqual({ held: 2n * USD, owed: 0n, credits: 0n });
  await finalIn(block, claimId);
  expect(await reckoned()).toEqual({ held: 2n * USD, owed: 2n * USD - BigInt(SPENT), credits: 2n * USD - BigInt(SPENT) });
});

test("a payment on the chain that the books have not credited yet is surplus", async () => {
  const before = await reckoned();
  const payments = [await world.settled("evm", 3n * ONE_USDC), await world.settled("solana", 4n * ONE_USDC)];
  await world.evm.mine(6);
  await expect.poll(async () => (await reckoned()).held).toBe(before.held + 7n * USD);
  expect((await reckoned()).owed).toBe(before.owed);
  for (const payment of payments) await credit(payment);
  expect((await reckoned()).owed).toBe(before.owed);
  for (const { block, claimId } of payments) await finalIn(block, claimId);
  expect(await reckoned()).toEqual({ held: before.held + 7n * USD, owed: before.owed + 7n * USD, credits: before.credits + 7n * USD });
});

test("when a lagging node shows less, less is owed too", async () => {
  const before = await reckoned();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["finalized", false] });
  const answer = await fetch(world.evm.url(), { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result: earlier } = (await answer.json()) as { result: unknown };
  const { block, claimId } = await world.paid("evm", 5n * ONE_USDC);
  await world.evm.mine(6);
  await finalIn(block, claimId);
  const late = await startFaultyNode(world.evm.url(), ({ params: [tag] }) => (tag === "finalized" ? { rewrite: () => earlier } : null));
  setSandboxEvmNodes([late.url]);
  expect(await reckoned()).toEqual(before);
  setSandboxEvmNodes([world.evm.url()]);
  await late.close();
  expect(await reckoned()).toEqual({ held: before.held + 5n * USD, owed: before.owed + 5n * USD, credits: before.credits + 5n * USD });
});

test("a payment claimed while a hold is open is neither owed nor withdrawable until it is final", async () => {
  const [owner] = (await world.openOwners(1)) as [Owner];
  const before = await reckoned();
  const payment = await world.paid("evm", 10n * ONE_USDC);
  const release = await hold(payment.account, 4n * USD);
  expect(await prove(payment, owner.accountId)).toBe(6n * USD);
  expect(await reckoned()).toEqual(before);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 0n, unfinal: 6n * USD });
  expect(await order(owner, { amount: USD })).toMatchObject({ ok: false, reason: "insufficient", most: 0n });
  await release();
  expect(await claim(payment, owner.accountId)).toBe(4n * USD);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 0n, unfinal: 10n * USD });
  expect(await reckoned()).toEqual(before);
  await world.evm.mine(6);
  await checkReserves();
  const { base } = await readChainFunds();
  await finalIn(payment.block, payment.claimId);
  expect(await reckoned()).toEqual({ ...before, held: before.held + 10n * USD, owed: before.owed + 10n * USD });
  // The report was made at a height that already included the payment.
  expect((await readChainFunds()).base).toBe(base);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 10n * USD, unfinal: 0n });
  expect(await order(owner, { amount: 10n * USD })).toMatchObject({ ok: true });
});

test("a payment whose block leaves the chain is never owed, and none of it can be withdrawn", async () => {
  const [owner] = (await world.openOwners(1)) as [Owner];
  const before = await reckoned();
  const payment = await world.paid("evm", 9n * ONE_USDC);
  expect(await reckoned()).toEqual(before);
  await spend(payment.account, SPENT - 1);
  expect(await prove(payment, owner.accountId)).toBe(9n * USD - BigInt(SPENT));
  expect(await reckoned()).toEqual(before);
  await world.evm.reorg(2);
  expect(await reckoned()).toEqual(before);
  expect(await order(owner, { amount: USD })).toMatchObject({ ok: false, reason: "insufficient", most: 0n });
  await world.evm.mine(8);
  expect((await world.finalHeights()).evm).toBeGreaterThan(payment.block);
  expect(await reckoned()).toEqual(before);
  expect(await reversed(payment.claimId)).toBe(BigInt(SPENT));
  expect(await reckoned()).toEqual(before);
  expect([await postedOf(owner.accountId), await postedOf(payment.account)]).toEqual([0n, 0n]);
  expect((await readAllowance(owner.accountId)).withdrawable).toBe(0n);
});

test("a payment whose block leaves the chain while held is never owed, and is taken back when its requests end", async () => {
  const [owner] = (await world.openOwners(1)) as [Owner];
  const before = await reckoned();
  const payment = await world.paid("evm", 9n * ONE_USDC);
  const ofPayer = await openHold(payment.account, 2n * USD);
  expect(await prove(payment, owner.accountId)).toBe(7n * USD);
  const ofOwner = await openHold(owner.accountId, 3n * USD);
  await world.evm.reorg(2);
  await world.evm.mine(8);
  expect((await world.finalHeights()).evm).toBeGreaterThan(payment.block);
  expect(await reversed(payment.claimId)).toBe(0n);
  expect([await checkBooks(), await reckoned()]).toEqual([[], before]);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 0n });
  await endHold(ofPayer, null);
  expect([await checkBooks(), await reckoned()]).toEqual([[], before]);
  expect(await claim(payment, owner.accountId)).toBe(0n);
  await endHold(ofOwner, { input: SPENT, output: 0 });
  await collectDebts();
  await rollUpRevenue();
  expect([await checkBooks(), await reckoned()]).toEqual([[], before]);
  expect([await postedOf(owner.accountId), await postedOf(payment.account)]).toEqual([0n, 0n]);
  const { rows } = await pool().query("SELECT access_is_frozen($1) AS frozen", [owner.accountId]);
  expect(rows).toEqual([{ frozen: true }]);
});
