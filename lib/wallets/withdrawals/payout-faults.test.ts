// Payouts that fail on their chain: money is returned or retried only when it is certain that none has left.

import { type Hex, parseAbi } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import type { WithdrawalId } from "@/lib/base/ids";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal } from "./decisions";
import { payWithdrawals } from "./pay-withdrawals";
import { newOwner, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
const [evmFault, solanaFault] = [{ dropsSends: false }, { dropsSends: false }];
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  world = await startWorld();
  const drop = (fault: { dropsSends: boolean }, method: string) => (call: { method: string }) =>
    fault.dropsSends && call.method === method ? { drop: true } : null;
  const evm = await startFaultyNode(world.evm.url(), drop(evmFault, "eth_sendRawTransaction"));
  const solana = await startFaultyNode(world.solana.url, drop(solanaFault, "sendTransaction"));
  stops.push(evm.close, solana.close);
  setSandboxEvmNodes([evm.url]);
  setSandboxSolanaNodes([solana.url], world.solana.genesisHash);
  await world.fillTreasury("base", 1_000_000_000n);
  await world.fillTreasury("solana", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(1_000n * USD), { timeout: 30_000 });
});
let restoreClock = () => {};
afterAll(async () => {
  restoreClock();
  for (const stop of stops) await stop();
  await world?.stop();
});
afterEach(async () => {
  evmFault.dropsSends = false;
  solanaFault.dropsSends = false;
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
});

const round = async () => {
  await payWithdrawals();
  await runRelay({ resendAfterMs: 0 });
};

async function until(id: WithdrawalId, expected: object) {
  await vi.waitFor(
    async () => {
      await round();
      expect(await findWithdrawal(id)).toMatchObject(expected);
    },
    { timeout: 40_000, interval: 100 },
  );
}

/** Advances the chain and our clock by an hour, and makes that block final. */
async function passAnHour(): Promise<void> {
  const target = nowMs() + 3_700_000;
  const shift = target - Date.now();
  restoreClock();
  restoreClock = setClock(() => Date.now() + shift);
  await world.evm.client.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(target / 1_000)) });
  await world.evm.mine(12);
}

async function arrived({ evm }: TestOwner): Promise<bigint> {
  const latest = await findBlock("latest");
  const [units = 0n] = await readBalances({ token: world.evm.usdc, accounts: [evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  return units;
}

const abi = parseAbi(["function blacklist(address account)", "function unBlacklist(address account)"]);
const onToken = async (functionName: "blacklist" | "unBlacklist", account: Hex) => {
  const hash = await world.evm.client.writeContract({
    account: world.evm.minter,
    address: world.evm.usdc,
    abi,
    functionName,
    args: [account],
    chain: null,
  });
  await world.evm.client.waitForTransactionReceipt({ hash });
};

/** A payout whose bytes are stored but were not sent to any node. */
async function storedUnsent(owner: TestOwner): Promise<WithdrawalId> {
  const id = await ordered(owner, { amount: 5n * USD });
  evmFault.dropsSends = true;
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ state: "signed", attempt: 1 });
  return id;
}

test("a refused payout is returned including the fee, but only once it can no longer be carried out", async () => {
  const owner = await newOwner(50n * USD);
  const id = await storedUnsent(owner);
  await onToken("blacklist", owner.evm.address as Hex);
  evmFault.dropsSends = false;
  await until(id, { state: "sent" });
  await world.evm.mine(12);
  for (let n = 0; n < 3; n++) await round();
  // It failed in a final block; its calldata is public and valid for the rest of the hour.
  expect(await findWithdrawal(id)).toMatchObject({ state: "sent", attempt: 1 });
  expect((await readBalance(owner.accountId)).posted).toBeLessThan(50n * USD);
  await passAnHour();
  await until(id, { state: "failed", reason: "The chain rejected the payment." });
  expect(await readBalance(owner.accountId)).toMatchObject({ posted: 50n * USD });
  await onToken("unBlacklist", owner.evm.address as Hex);
  for (let n = 0; n < 3; n++) await round();
  expect([await arrived(owner), await readBalance(owner.accountId)]).toMatchObject([0n, { posted: 50n * USD }]);
}, 90_000);

test("a payout that somebody else carried out counts as paid, although our own transaction failed", async () => {
  const owner = await newOwner(50n * USD);
  const id = await storedUnsent(owner);
  const { rows } = await pool().query<{ input: Buffer }>("SELECT input FROM relayed WHERE id = $1", [`payout_${id}_1`]);
  const copier = await world.evm.newAccount();
  const copy = await world.evm.client.sendTransaction({
    account: copier,
    to: world.evm.usdc,
    data: `0x${rows[0]?.input.toString("hex")}`,
    chain: null,
  });
  await vi.waitFor(async () => expect(await arrived(owner)).toBe(5_000_000n), { timeout: 30_000 });
  evmFault.dropsSends = false;
  for (let n = 0; n < 5; n++) await round();
  await passAnHour();
  await until(id, { state: "final", transaction: copy });
  for (let n = 0; n < 3; n++) await round();
  expect(await arrived(owner)).toBe(5_000_000n);
  expect((await readBalance(owner.accountId)).posted).toBe(45n * USD - 100_000_000n);
}, 90_000);

test("a payout that was never included is retried when its hour is over, and paid once", async () => {
  const owner = await newOwner(50n * USD);
  const id = await storedUnsent(owner);
  for (let n = 0; n < 3; n++) await payWithdrawals();
  expect(await cancelWithdrawal(owner.accountId, id)).toBe(false);
  await passAnHour();
  evmFault.dropsSends = false;
  await until(id, { state: "final", attempt: 2 });
  expect(await arrived(owner)).toBe(5_000_000n);
}, 90_000);

test("on Solana a transaction that can no longer run is replaced by another, and paid once", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { chain: "solana", amount: 5n * USD });
  solanaFault.dropsSends = true;
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ state: "signed", attempt: 1 });
  await vi.waitFor(
    async () => {
      await round();
      expect((await findWithdrawal(id))?.attempt).toBe(2);
    },
    { timeout: 40_000, interval: 200 },
  );
  solanaFault.dropsSends = false;
  await until(id, { state: "final" });
  expect((await readBalance(owner.accountId)).posted).toBe(45n * USD - 500_000_000n);
}, 120_000);

test("while no node of a chain answers, nothing is signed or lost there, and the other chain continues", async () => {
  const owner = await newOwner(50n * USD);
  const [onBase, onSolana] = [await ordered(owner, { amount: 5n * USD }), await ordered(owner, { chain: "solana", amount: 5n * USD })];
  setSandboxSolanaNodes(["http://127.0.0.1:9"], world.solana.genesisHash);
  await until(onBase, { state: "final" });
  expect(await findWithdrawal(onSolana)).toMatchObject({ state: "approved", waitsFor: "chain", attempt: 0 });
  expect(await cancelWithdrawal(owner.accountId, onSolana)).toBe(true);
  setSandboxSolanaNodes([world.solana.url], world.solana.genesisHash);
});
