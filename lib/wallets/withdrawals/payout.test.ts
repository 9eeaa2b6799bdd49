// Payouts on real chains: each order arrives once, and is booked when it is final.

import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { signer } from "../custody/signer";
import { addReport } from "../reserves/report";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal } from "./decisions";
import { payWithdrawals } from "./pay-withdrawals";
import { startAttempt } from "./steps";
import { newOwner, ordered, startWorld, type TestOwner, USD, unlink, type World } from "./testing/world";
import { readBaseFunds, readPayoutDemand, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.fillTreasury("base", 1_000_000_000n);
  await world.fillTreasury("solana", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(1_000n * USD), { timeout: 30_000 });
});
afterAll(() => world?.stop());
afterEach(async () => {
  expect(await checkLedger()).toEqual([]);
  expect(await checkWithdrawals()).toEqual([]);
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
});

const round = async () => {
  await payWithdrawals();
  await runRelay({ resendAfterMs: 0 });
};

async function until(id: Parameters<typeof findWithdrawal>[0], state: string) {
  await expect
    .poll(
      async () => {
        await round();
        const found = await findWithdrawal(id);
        return found?.waitsFor ?? found?.state;
      },
      { timeout: 20_000, interval: 100 },
    )
    .toBe(state);
  const found = await findWithdrawal(id);
  if (!found) throw new Error("it is gone");
  return found;
}

async function usdcOf(owner: TestOwner): Promise<{ base: bigint; solana: bigint }> {
  const latest = await findBlock("latest");
  const [base = 0n] = await readBalances({ token: world.evm.usdc, accounts: [owner.evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  const account = deriveTokenAccount(owner.solana.address, signer().usdcMint);
  const solana = (await readTokenBalances(solanaNodes(), [account])).get(account)?.value ?? 0n;
  return { base, solana };
}

const postedOf = async (account: string): Promise<bigint> =>
  (await pool().query("SELECT posted FROM ledger_account WHERE id = $1", [account])).rows[0]?.posted ?? 0n;

test("on Base an order arrives, and once its block is final the amount is booked to the chain and the fee as revenue", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 20n * USD });
  const [chainBefore, revenueBefore] = [await postedOf("base_chain"), await postedOf("revenue")];
  const confirmed = await until(id, "confirmed");
  expect(confirmed.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await postedOf("withdrawal_pending")).toBe(20n * USD + confirmed.fee);
  const done = await until(id, "final");
  expect(done).toMatchObject({ transaction: confirmed.transaction, attempt: 1 });
  expect((await usdcOf(owner)).base).toBe(20_000_000n);
  expect(await postedOf("withdrawal_pending")).toBe(0n);
  expect((await postedOf("base_chain")) - chainBefore).toBe(20n * USD);
  expect((await postedOf("revenue")) - revenueBefore).toBe(done.fee);
  expect(await readBalance(owner.accountId)).toMatchObject({ posted: 30n * USD - done.fee });
});

test("on Solana a wallet without a USDC account gets one with the first payout, and pays less for the second", async () => {
  const owner = await newOwner(50n * USD);
  const first = await until(await ordered(owner, { chain: "solana", amount: 5n * USD }), "final");
  expect(first.fee).toBe(config().WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD);
  const second = await until(await ordered(owner, { chain: "solana", amount: 7n * USD, signer: owner.solana }), "final");
  expect(second.fee).toBe(config().WITHDRAWAL_FEE_SOLANA_USD);
  expect((await usdcOf(owner)).solana).toBe(12_000_000n);
  expect(second.transaction).not.toBe(first.transaction);
});

test("many concurrent orders and several concurrent payers: each is paid once", async () => {
  const owners = await Promise.all([1, 2, 3].map(() => newOwner(50n * USD)));
  const ids = await Promise.all(owners.flatMap((owner) => [1n, 2n, 3n].map((n) => ordered(owner, { amount: n * USD }))));
  await Promise.all([round(), payWithdrawals(), payWithdrawals(), payWithdrawals()]);
  for (const id of ids) expect(await until(id, "final")).toMatchObject({ attempt: 1 });
  for (const owner of owners) expect((await usdcOf(owner)).base).toBe(6_000_000n);
});

test("a payout larger than the treasury's funds waits, smaller ones are paid, and the sweeps learn the demand", async () => {
  const owner = await newOwner(900n * USD);
  const treasury = signer().treasury.base as Hex;
  const final = await findBlock("finalized");
  const [has = 0n] = await readBalances({ token: world.evm.usdc, accounts: [treasury], blockHash: final?.hash ?? "0x" });
  const drained = await world.evm.newAccount();
  await world.evm.client.impersonateAccount({ address: treasury });
  await world.evm.fundGas(treasury);
  await world.evm.client.sendTransaction({
    account: treasury,
    to: world.evm.usdc,
    data: encodeTransfer(drained.address, has - 10_000_000n),
    chain: null,
  });
  const [large, small] = [await ordered(owner, { amount: 200n * USD }), await ordered(owner, { amount: 4n * USD })];
  await expect.poll(async () => (await findBlock("finalized"))?.number).toBeGreaterThan((final?.number ?? 0) + 6);
  await until(large, "funds");
  await until(small, "final");
  await payWithdrawals();
  expect((await metrics().withdrawalsOpen.get()).values).toContainEqual(expect.objectContaining({ labels: { state: "funds" }, value: 1 }));
  expect(await readPayoutDemand("base")).toBe(200n * USD);
  await world.fillTreasury("base", 1_000_000_000n);
  await until(large, "final");
  expect(await readPayoutDemand("base")).toBe(0n);
});

test("a cancel returns everything while nothing is signed; of many concurrent ones one succeeds, and none after signing", async () => {
  const [owner, thief] = [await newOwner(50n * USD), await newOwner(50n * USD)];
  const id = await ordered(owner, { amount: 20n * USD });
  expect(await cancelWithdrawal(thief.accountId, id)).toBe(false);
  const cancels = await Promise.all(Array.from({ length: 8 }, () => cancelWithdrawal(owner.accountId, id)));
  expect(cancels.filter(Boolean)).toHaveLength(1);
  expect((await readBalance(owner.accountId)).available).toBe(50n * USD);
  const other = await ordered(owner, { amount: 20n * USD });
  await payWithdrawals();
  expect(await cancelWithdrawal(owner.accountId, other)).toBe(false);
  await until(other, "final");
});

test("a concurrent cancel and payout: paid or returned, never both and never neither", async () => {
  const owner = await newOwner(50n * USD);
  const outcomes = new Set<boolean>();
  // On a busy machine a payout takes longer to start.
  for (let n = 0; n < 8 || (outcomes.size < 2 && n < 40); n++) {
    const id = await ordered(owner, { amount: 1n * USD });
    const before = (await usdcOf(owner)).base;
    // The cancel comes a little later each time: first it wins, in the end the payout does.
    const [, isCancelled] = await Promise.all([payWithdrawals(), sleep(n * 8).then(() => cancelWithdrawal(owner.accountId, id))]);
    outcomes.add(isCancelled);
    if (isCancelled) expect(await findWithdrawal(id)).toMatchObject({ state: "cancelled", attempt: 0 });
    else await until(id, "final");
    expect((await usdcOf(owner)).base - before).toBe(isCancelled ? 0n : 1_000_000n);
    await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
  }
  expect(outcomes).toEqual(new Set([true, false]));
});

test("a cancel that waits for the payout's commit does not block other orders", async () => {
  const [owner, other] = [await newOwner(50n * USD), await newOwner(50n * USD)];
  const id = await ordered(owner, { amount: 5n * USD });
  let cancel = Promise.resolve(false);
  await inTransaction(async (transaction) => {
    await transaction.withdrawal.updateMany({ where: { id }, data: { waitsFor: "funds" } });
    cancel = cancelWithdrawal(owner.accountId, id);
    const waiting = () => pool().query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%wallets_return%'");
    await expect.poll(async () => (await waiting()).rowCount).toBe(1);
    for (const customer of [owner, other]) await ordered(customer, { amount: 1n * USD });
  });
  expect(await cancel).toBe(true);
  await round();
});

test("an obstacle that arises during signing prevents the storing of a payout's bytes", async () => {
  const owner = await newOwner(50n * USD);
  const seen = await findWithdrawal(await ordered(owner, { amount: 5n * USD }));
  if (!seen) throw new Error("it is gone");
  const store = vi.fn(async () => null);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]);
  expect(await startAttempt(seen, store)).toBe(false);
  await pool().query("UPDATE account SET state = 'open' WHERE id = $1", [owner.accountId]);
  expect([store.mock.calls, await findWithdrawal(seen.id)]).toMatchObject([[], { state: "approved", attempt: 0 }]);
  store.mockRejectedValueOnce(new Error("no"));
  await expect(startAttempt(seen, store)).rejects.toThrow("no");
  expect(await findWithdrawal(seen.id)).toMatchObject({ state: "approved", attempt: 0 });
  await until(seen.id, "final");
});

test("a wallet unlinked before the payout is signed gets nothing, and the owner gets the money back", async () => {
  const owner = await newOwner(50n * USD);
  const [toGone, byGone] = [
    await ordered(owner, { amount: 5n * USD, signer: owner.solana }),
    await ordered(owner, { chain: "solana", amount: 5n * USD }),
  ];
  await unlink(owner.solana);
  await payWithdrawals();
  for (const id of [toGone, byGone]) {
    expect(await findWithdrawal(id)).toMatchObject({ state: "failed", reason: "One of its wallets was unlinked.", attempt: 0 });
  }
  expect((await readBalance(owner.accountId)).available).toBe(50n * USD);
});

test("a frozen account's payout waits, and all payouts wait during a reserve deficit", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 5n * USD });
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]);
  await until(id, "frozen");
  await pool().query("UPDATE account SET state = 'open' WHERE id = $1", [owner.accountId]);
  const figures = { holdings: [], held: nanoUsd(1), customers: nanoUsd(2), credits: ZERO_USD, granted: ZERO_USD };
  await addReport({ state: "deficit", at: now(), ...figures, owed: nanoUsd(2) });
  await until(id, "reserves");
  await addReport({ state: "covered", at: now(), ...figures, owed: nanoUsd(1) });
  await until(id, "final");
});
