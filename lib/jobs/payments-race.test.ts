// While payments are made, spent, claimed and lost concurrently on both chains, the reserves never show a deficit.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { claimed, creditIn, finalIn, reversed } from "@/lib/payments/testing/credited";
import { reckonReserves } from "@/lib/wallets/reserves/check-reserves";
import { ONE_USDC, type Owner, postedOf, spend } from "@/lib/wallets/reserves/testing/reserves-world";
import { newKeyWallet } from "@/lib/wallets/withdrawals/testing/world";
import { checkBooks } from "./check-books";
import { claim, credit, type Paid, type PaymentsWorld, prove, reckoned, startPaymentsWorld } from "./testing/payments-world";

const RUN_MS = isLong ? 60_000 : 4_000;
const PAYERS = isLong ? 30 : 10;
/** Minimum even on a slow machine. */
const MIN_ROUNDS = 5;

await openTestDatabase();
let world: PaymentsWorld;
let owners: Owner[];
beforeAll(async () => {
  world = await startPaymentsWorld();
  owners = await world.openOwners(4);
});
afterAll(() => world?.stop());

/** Credited, but not final. */
const open: Paid[] = [];
const counts = { paid: 0, lost: 0, claims: 0, reckoned: 0, known: 0 };
let paying = PAYERS;

const again = async (pauseMs: number, act: () => Promise<unknown>) => {
  while (paying > 0) {
    await act();
    await sleep(pauseMs);
  }
};

/** One payer, who spends so little that revenue cannot hide an error: any wrongly counted payment is larger. */
async function payAgainAndAgain(index: number, endMs: number): Promise<void> {
  const chain = index % 3 === 0 ? "solana" : "evm";
  const payer = newKeyWallet(chain).address;
  const { accountId } = owners[index % owners.length] as Owner;
  for (let round = 0; round < MIN_ROUNDS || performance.now() < endMs; round += 1) {
    const payment = await world.settled(chain, ONE_USDC + BigInt(index * 1_000 + round), payer);
    await sleep(index * 3);
    await credit(payment);
    open.push(payment);
    counts.paid += 1;
    await spend(payment.account, index);
    if (round >= 2 && index % 2 === 1) {
      await (round === 2 ? prove : claim)(payment, accountId);
      counts.claims += 1;
      await spend(accountId, index);
    }
    await sleep(20);
  }
  paying -= 1;
}

/** Credits payments, spends them, and then removes them from their chain. */
async function lose(): Promise<void> {
  const claimId = await claimed({ chain: "evm", payer: newKeyWallet("evm").address, amount: 2n * ONE_USDC * 1_000n });
  await spend(await creditIn(2_000_000, claimId), 1_000);
  await sleep(50);
  expect(await reversed(claimId)).toBe(1_001n);
  counts.lost += 1;
}

async function finalize(): Promise<void> {
  const heights = await world.finalHeights();
  for (const payment of open.splice(0)) {
    if (payment.block <= heights[payment.chain]) await finalIn(payment.block, payment.claimId);
    else open.push(payment);
  }
}

async function reckon(): Promise<void> {
  const report = await reckonReserves();
  counts.reckoned += 1;
  if (report.state !== "unknown") counts.known += 1;
  expect({ ...report, ...counts }).not.toMatchObject({ state: "deficit" });
  expect(report).not.toMatchObject({ reason: "disputed" });
}

test(`${PAYERS} payers on both chains at once, spent, claimed and lost: never a deficit`, { timeout: RUN_MS + 120_000 }, async () => {
  const endMs = performance.now() + RUN_MS;
  await Promise.all([
    ...Array.from({ length: PAYERS }, (_, index) => payAgainAndAgain(index, endMs)),
    ...[again(60, lose), again(40, finalize), again(100, () => world.evm.mine(1)), again(30, rollUpRevenue)],
    ...[again(5, reckon), again(5, reckon)],
  ]);
  await world.evm.mine(6);
  const waiting = async () => {
    await finalize();
    return open.length;
  };
  await expect.poll(waiting).toBe(0);
  await rollUpRevenue();
  const { held, owed, credits } = await reckoned();
  const { rows } = await pool().query<{ sum: bigint }>("SELECT sum(amount)::bigint AS sum FROM payment_claim WHERE state = 'paid'");
  expect(held).toBe(rows[0]?.sum);
  // Revenue is surplus, except what was spent from lost payments.
  const earned = (await postedOf("revenue")) + (await postedOf("operator_loss")) + (await postedOf("payment_losses"));
  expect(held - owed).toBe(earned);
  expect(earned).toBeGreaterThan(0n);
  expect(credits).toBeLessThan(owed);
  expect(await checkBooks()).toEqual([]);
  expect(counts.paid).toBeGreaterThanOrEqual(PAYERS * MIN_ROUNDS);
  expect(counts.claims).toBeGreaterThanOrEqual((PAYERS / 2) * (MIN_ROUNDS - 2));
  expect(counts.lost).toBeGreaterThan(0);
  expect(counts.known).toBeGreaterThan(counts.reckoned / 2);
});
