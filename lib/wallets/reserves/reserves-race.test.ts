// No race looks like a deficit: deposits, sweeps, withdrawals and charges run concurrently while reserves are reconciled repeatedly. At the
// end they are exact.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { runSweeps } from "../sweeps/run";
import { payWithdrawals } from "../withdrawals/pay-withdrawals";
import { order, USD } from "../withdrawals/testing/world";
import { reckonReserves } from "./check-reserves";
import { expectCleanBooks, ONE_USDC, type Owner, postedOf, type ReservesWorld, spend, startReservesWorld } from "./testing/reserves-world";

const RUN_MS = isLong ? 60_000 : 4_000;
const OWNERS = 12;

await openTestDatabase();
let world: ReservesWorld;
let owners: Owner[];
beforeAll(async () => {
  Object.assign(process.env, { WITHDRAWAL_FEE_BASE_USD: "0", WITHDRAWAL_FEE_SOLANA_USD: "0", WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD: "0" });
  forgetSingleton("config");
  world = await startReservesWorld();
  owners = await world.openOwners(OWNERS);
});
afterAll(() => world?.stop());

/** Pseudorandom numbers, the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test("reserves are never short while money comes in, is swept, is spent and leaves", { timeout: RUN_MS + 90_000 }, async () => {
  const endMs = performance.now() + RUN_MS;
  const counts = { paidIn: 0n, ordered: 0, spent: 0n, reckoned: 0, told: 0 };
  // On a slow machine it goes on until each kind of work was done.
  const isOver = () => performance.now() > endMs && counts.ordered > 0 && counts.spent > 0n;
  let seed = 0;
  const again = async (act: (roll: (below: number) => number) => Promise<unknown>) => {
    seed += 1;
    const roll = dice(seed * 7_919);
    while (!isOver()) {
      await act(roll);
      await sleep(roll(60));
    }
  };
  const anyOwner = (roll: (below: number) => number) => owners[roll(owners.length)] as Owner;
  const payIn = async (roll: (below: number) => number) => {
    // Sometimes below the minimum deposit.
    const units = roll(4) === 0 ? 1n + BigInt(roll(900_000)) : BigInt(1 + roll(30)) * ONE_USDC + BigInt(roll(1_000));
    if (roll(2) === 0) await world.evm.mint(anyOwner(roll).address, units);
    else await world.solana.faucet(anyOwner(roll).owner, units);
    counts.paidIn += units * 1_000n;
  };
  // So little that revenue cannot hide an error: any wrongly counted payout or deposit is larger.
  const spendSome = async (roll: (below: number) => number) => {
    counts.spent += await spend(anyOwner(roll).accountId, roll(3));
  };
  const withdraw = async (roll: (below: number) => number) => {
    const chain = roll(2) === 0 ? "base" : "solana";
    const { ok } = await order(anyOwner(roll), { chain, amount: BigInt(1 + roll(15)) * USD });
    if (ok) counts.ordered += 1;
    await sleep(150);
  };
  const reckon = async () => {
    const report = await reckonReserves();
    counts.reckoned += 1;
    if (report.state !== "unknown") counts.told += 1;
    expect({ ...report, ...counts }).not.toMatchObject({ state: "deficit" });
    expect(report).not.toMatchObject({ reason: "disputed" });
  };
  await Promise.all([
    ...[payIn, payIn, spendSome, spendSome, withdraw, withdraw].map(again),
    ...[world.watch, world.watch, () => runSweeps(), () => runSweeps(), payWithdrawals, world.relay, rollUpRevenue].map(again),
    ...[reckon, reckon, reckon].map(again),
  ]);
  // At rest, the deposits that did not leave are all held, and the part that is not owed is revenue.
  const atRest = async () => {
    await world.round();
    return [await postedOf("withdrawal_pending"), (await cameInAndStayed()) + (await paidOut())];
  };
  await expect.poll(atRest, { timeout: 60_000, interval: 200 }).toEqual([0n, counts.paidIn]);
  await rollUpRevenue();
  const earned = (await postedOf("revenue")) + (await postedOf("operator_loss"));
  const stayed = await cameInAndStayed();
  const report = await world.until(({ held }) => held === stayed);
  expect(report.held - report.owed).toBe(earned);
  await expectCleanBooks();
  expect(earned).toBeGreaterThan(0n);
  expect(counts.ordered).toBeGreaterThan(0);
  expect(await sweptUnits()).toBeGreaterThan(0n);
  expect(counts.told).toBeGreaterThan(counts.reckoned / 2);
});

const cameInAndStayed = async () => -((await postedOf("base_chain")) + (await postedOf("solana_chain")));

const paidOut = () => sumOf("SELECT coalesce(sum(amount), 0)::bigint AS sum FROM withdrawal WHERE state = 'final'");
const sweptUnits = () => sumOf("SELECT coalesce(sum(units), 0)::bigint AS sum FROM sweep WHERE state = 'done'");

async function sumOf(statement: string): Promise<bigint> {
  const { rows } = await pool().query<{ sum: bigint }>(statement);
  return rows[0]?.sum ?? 0n;
}
