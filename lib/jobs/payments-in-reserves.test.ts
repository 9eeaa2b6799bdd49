// Payments in reserves: what is credited and not final is neither held nor owed and does not leave, what the chain shows before the
// books is surplus, and while many are paid, spent and claimed at once, no reading is ever a deficit.

import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "@solana/web3.js";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { addIdentity, lockWallet } from "@/lib/access/identities";
import { now } from "@/lib/base/clock";
import { type AccountId, newRequestId } from "@/lib/base/ids";
import { forgetOnce } from "@/lib/base/once";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import type { WalletChain } from "@/lib/chains/wallet";
import { inTransaction, pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { claimCredit, creditAccountOf } from "@/lib/payments/credits";
import { networkOf } from "@/lib/payments/networks";
import { claimed, creditIn, finalIn, reversed } from "@/lib/payments/testing/credited";
import { checkReserves, reckonReserves } from "@/lib/wallets/reserves/check-reserves";
import {
  ONE_USDC,
  type Owner,
  postedOf,
  type ReservesWorld,
  spend,
  startReservesWorld,
} from "@/lib/wallets/reserves/testing/reserves-world";
import { signer } from "@/lib/wallets/signer";
import { readAllowance } from "@/lib/wallets/withdrawals/allowance";
import { readChainFunds } from "@/lib/wallets/withdrawals/chain-funds";
import { newKeyWallet, order, USD } from "@/lib/wallets/withdrawals/testing/world";
import { checkBooks } from "./check-books";

await openTestDatabase();
let world: ReservesWorld;
let connection: Connection;
beforeAll(async () => {
  Object.assign(process.env, { WITHDRAWAL_FEE_BASE_USD: "0" });
  forgetOnce("config");
  world = await startReservesWorld(true);
  connection = new Connection(world.solana.url, "confirmed");
  await world.evm.mine(6);
}, 60_000);
afterEach(async () => {
  await rollUpRevenue();
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => world?.stop());

interface Paid {
  claimId: string;
  chain: WalletChain;
  payer: string;
  block: number;
  account: AccountId;
}

/** Moves USDC to the treasury as a settlement does; returns its block. */
async function settle(chain: WalletChain, units: bigint): Promise<number> {
  if (chain === "evm") {
    await world.evm.mint(signer().treasury.base as Hex, units);
    return world.evm.blockNumber();
  }
  const signature = await world.solana.faucet(signer().treasury.solana, units);
  const found = async () => (await connection.getSignatureStatus(signature)).value?.slot ?? 0;
  await expect.poll(found, { interval: 10 }).toBeGreaterThan(0);
  return found();
}

/** A payment that is settled on its chain; it is credited by `credit`. */
async function settled(chain: WalletChain, units: bigint, payer = newKeyWallet(chain).address): Promise<Paid> {
  const claimId = await claimed({ chain, payer, amount: units * 1_000n });
  return { claimId, chain, payer, block: await settle(chain, units), account: creditAccountOf(networkOf(chain), payer) };
}

const credit = ({ block, claimId }: Paid) => creditIn(block, claimId);

async function paid(chain: WalletChain, units: bigint, payer?: string): Promise<Paid> {
  const payment = await settled(chain, units, payer);
  await credit(payment);
  return payment;
}

/** nano-USD. So little that what is earned hides nothing: a payment that is counted wrongly is more. */
const SPENT = 1_000;

/** What is held and owed, nano-USD. */
async function reckoned() {
  const report = await reckonReserves();
  if (report.state === "unknown") throw new Error(`unknown: ${report.reason} ${report.chain}`);
  const { held, owed, credits } = report;
  return { held, owed, credits };
}

/** The payer proves that the address is a wallet of the owner's, as linking it does. */
const prove = ({ chain, payer }: Paid, { accountId }: Owner) =>
  inTransaction(async (transaction) => {
    const wallet = { chain, address: payer };
    await lockWallet(wallet, transaction);
    await addIdentity(accountId, wallet, false, transaction);
    return claimCredit(accountId, wallet, transaction);
  });

const isFinalOnBase = async (block: number) => Number((await world.evm.client.getBlock({ blockTag: "finalized" })).number) >= block;

async function hold(account: AccountId, ceiling: bigint): Promise<() => Promise<unknown>> {
  const [request, until] = [newRequestId(), new Date(now().getTime() + 60_000)];
  await pool().query("SELECT ledger_place_hold($1, $2, NULL, $3, NULL, NULL, NULL, $4, $5)", [request, account, ceiling, now(), until]);
  return () => pool().query("SELECT ledger_expire_holds($1, 1000)", [new Date(until.getTime() + 1)]);
}

test("the first payment ever, over a chain where nobody has paid in, is no deficit", async () => {
  expect(await reckoned()).toEqual({ held: 0n, owed: 0n, credits: 0n });
  const { account, block, claimId } = await paid("evm", 2n * ONE_USDC);
  expect(await reckoned()).toEqual({ held: 0n, owed: 0n, credits: 0n });
  await spend(account, SPENT - 1);
  expect(await reckoned()).toEqual({ held: 0n, owed: 0n, credits: 0n });
  await world.evm.mine(6);
  // Final on the chain, and not in the books yet.
  expect(await reckoned()).toEqual({ held: 2n * USD, owed: 0n, credits: 0n });
  await finalIn(block, claimId);
  expect(await reckoned()).toEqual({ held: 2n * USD, owed: 2n * USD - BigInt(SPENT), credits: 2n * USD - BigInt(SPENT) });
});

test("what the chain shows and the books have not credited yet is surplus", async () => {
  const before = await reckoned();
  const payments = [await settled("evm", 3n * ONE_USDC), await settled("solana", 4n * ONE_USDC)];
  await world.evm.mine(6);
  await expect.poll(async () => (await reckoned()).held).toBe(before.held + 7n * USD);
  expect((await reckoned()).owed).toBe(before.owed);
  for (const payment of payments) await credit(payment);
  expect((await reckoned()).owed).toBe(before.owed);
  for (const { block, claimId } of payments) await finalIn(block, claimId);
  expect(await reckoned()).toEqual({ held: before.held + 7n * USD, owed: before.owed + 7n * USD, credits: before.credits + 7n * USD });
});

test("a node that is behind shows less, and less is owed then", async () => {
  const before = await reckoned();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["finalized", false] });
  const answer = await fetch(world.evm.url(), { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result: earlier } = (await answer.json()) as { result: unknown };
  const { block, claimId } = await paid("evm", 5n * ONE_USDC);
  await world.evm.mine(6);
  await finalIn(block, claimId);
  const late = await startFaultyNode(world.evm.url(), ({ params: [tag] }) => (tag === "finalized" ? { rewrite: () => earlier } : null));
  setSandboxEvmNodes([late.url]);
  expect(await reckoned()).toEqual(before);
  setSandboxEvmNodes([world.evm.url()]);
  await late.close();
  expect(await reckoned()).toEqual({ held: before.held + 5n * USD, owed: before.owed + 5n * USD, credits: before.credits + 5n * USD });
});

test("a payment that is claimed with a hold open is owed nowhere and leaves nowhere until it is final", async () => {
  const [owner] = (await world.openOwners(1)) as [Owner];
  const before = await reckoned();
  const payment = await paid("evm", 10n * ONE_USDC);
  const release = await hold(payment.account, 4n * USD);
  expect(await prove(payment, owner)).toBe(6n * USD);
  expect(await reckoned()).toEqual(before);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 0n, unfinal: 6n * USD });
  expect(await order(owner, { amount: USD })).toMatchObject({ ok: false, reason: "insufficient", most: 0n });
  await release();
  const wallet = { chain: payment.chain, address: payment.payer };
  expect(await inTransaction((transaction) => claimCredit(owner.accountId, wallet, transaction))).toBe(4n * USD);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 0n, unfinal: 10n * USD });
  expect(await reckoned()).toEqual(before);
  await world.evm.mine(6);
  await checkReserves();
  const { base } = await readChainFunds();
  await finalIn(payment.block, payment.claimId);
  expect(await reckoned()).toEqual({ ...before, held: before.held + 10n * USD, owed: before.owed + 10n * USD });
  // The report is of a height that had it already.
  expect((await readChainFunds()).base).toBe(base);
  expect(await readAllowance(owner.accountId)).toMatchObject({ withdrawable: 10n * USD, unfinal: 0n });
  expect(await order(owner, { amount: 10n * USD })).toMatchObject({ ok: true });
});

test("a payment whose block leaves the chain is owed at no moment of it, and nobody took any of it out", async () => {
  const [owner] = (await world.openOwners(1)) as [Owner];
  const before = await reckoned();
  const payment = await paid("evm", 9n * ONE_USDC);
  expect(await reckoned()).toEqual(before);
  await spend(payment.account, SPENT - 1);
  expect(await prove(payment, owner)).toBe(9n * USD - BigInt(SPENT));
  expect(await reckoned()).toEqual(before);
  await world.evm.reorg(2);
  expect(await reckoned()).toEqual(before);
  expect(await order(owner, { amount: USD })).toMatchObject({ ok: false, reason: "insufficient", most: 0n });
  await world.evm.mine(8);
  expect(await isFinalOnBase(payment.block)).toBe(true);
  expect(await reckoned()).toEqual(before);
  expect(await reversed(payment.claimId)).toBe(BigInt(SPENT));
  expect(await reckoned()).toEqual(before);
  expect([await postedOf(owner.accountId), await postedOf(payment.account)]).toEqual([0n, 0n]);
  expect((await readAllowance(owner.accountId)).withdrawable).toBe(0n);
});

const RUN_MS = isLong ? 60_000 : 8_000;
const PAYERS = 30;
/** However slow the machine is. */
const LEAST_ROUNDS = 5;

test("thirty payers at once, on both chains, spent, held, claimed and lost: never a deficit", { timeout: RUN_MS + 120_000 }, async () => {
  const endMs = performance.now() + RUN_MS;
  let paying = PAYERS;
  const open: Paid[] = [];
  const counts = { paid: 0, lost: 0, claims: 0, reckoned: 0, told: 0 };
  const owners = await world.openOwners(4);
  const before = await reckoned();
  const again = async (pauseMs: number, act: () => Promise<unknown>) => {
    while (paying > 0) {
      await act();
      await sleep(pauseMs);
    }
  };
  let gone = 0n;
  const payer = (index: number) => async () => {
    const isLost = index % 10 === 7;
    const chain = index % 3 === 0 && !isLost ? "solana" : "evm";
    const address = newKeyWallet(chain).address;
    let isClaimed = false;
    const payOnce = async (round: number) => {
      const units = ONE_USDC + BigInt(index * 1_000 + round);
      if (isLost) {
        // Credited, and then not on its chain.
        const lost = { claimId: await claimed({ chain, payer: address, amount: units * 1_000n }), block: 2_000_000 };
        const account = await creditIn(lost.block, lost.claimId);
        await spend(account, index);
        await sleep(50);
        gone += (await reversed(lost.claimId)) ?? 0n;
        counts.lost += 1;
        return;
      }
      const payment = await settled(chain, units, address);
      await sleep(index * 3);
      await credit(payment);
      open.push(payment);
      counts.paid += 1;
      await spend(payment.account, index);
      const owner = owners[index % owners.length] as Owner;
      if (round < 2 || index % 2 === 0) return;
      if (!isClaimed) await prove(payment, owner);
      else await inTransaction((transaction) => claimCredit(owner.accountId, { chain, address }, transaction));
      isClaimed = true;
      counts.claims += 1;
      await spend(owner.accountId, index);
    };
    for (let round = 0; round < LEAST_ROUNDS || performance.now() < endMs; round += 1) {
      await payOnce(round);
      await sleep(20);
    }
    paying -= 1;
  };
  const finalize = async () => {
    const slot = await connection.getSlot("finalized");
    const height = Number((await world.evm.client.getBlock({ blockTag: "finalized" })).number);
    for (const payment of open.splice(0)) {
      if (payment.block <= (payment.chain === "evm" ? height : slot)) await finalIn(payment.block, payment.claimId);
      else open.push(payment);
    }
  };
  const reckon = async () => {
    const report = await reckonReserves();
    counts.reckoned += 1;
    if (report.state !== "unknown") counts.told += 1;
    expect({ ...report, ...counts }).not.toMatchObject({ state: "deficit" });
    expect(report).not.toMatchObject({ reason: "disputed" });
  };
  await Promise.all([
    ...Array.from({ length: PAYERS }, (_, index) => payer(index)()),
    ...[again(40, finalize), again(100, () => world.evm.mine(1)), again(30, rollUpRevenue), again(5, reckon), again(5, reckon)],
  ]);
  await world.evm.mine(6);
  await expect
    .poll(async () => {
      await finalize();
      return open.length;
    })
    .toBe(0);
  await rollUpRevenue();
  const after = await reckoned();
  const { rows } = await pool().query<{ sum: bigint }>("SELECT sum(amount)::bigint AS sum FROM payment_claim WHERE state = 'paid'");
  expect(after.held).toBe(rows[0]?.sum);
  // What was earned is the surplus; what was spent of payments that went was borne.
  const borne = -(await postedOf("payment_losses"));
  const earned = (await postedOf("revenue")) + (await postedOf("operator_loss"));
  expect(after.held - after.owed).toBe(earned - borne);
  expect(after.credits).toBeGreaterThan(before.credits);
  expect(gone).toBeGreaterThan(0n);
  for (const count of [counts.paid - PAYERS, counts.claims, counts.lost, counts.told - counts.reckoned / 2])
    expect(count).toBeGreaterThan(0);
  expect((await readBalance((owners[1] as Owner).accountId)).posted).toBeGreaterThan(0n);
});
