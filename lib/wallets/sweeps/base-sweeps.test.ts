// Sweeps on a real EVM chain: every final unit reaches the treasury once, despite temporary obstacles.

import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { hardhatWords } from "../custody/testing/seeds";
import { checkDeposits } from "../deposits/check";
import { ONE_USDC, TO_SAFE } from "../deposits/testing/watched-chain";
import { letWaitsEnd, openCustomer, openCustomers, type SweptChain, startSweptChain, sweepsOf } from "./testing/swept-chain";

await openTestDatabase();
let chain: SweptChain;
beforeAll(async () => {
  chain = await startSweptChain();
});
afterAll(() => chain?.stop());
afterEach(async () => {
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
});

const adminAbi = parseAbi([
  "function pause()",
  "function unpause()",
  "function blacklist(address account)",
  "function unBlacklist(address account)",
]);

async function asIssuer(call: Parameters<typeof encodeFunctionData<typeof adminAbi>>[0]): Promise<void> {
  const hash = await chain.client.sendTransaction({ account: chain.minter, to: chain.usdc, data: encodeFunctionData(call) });
  await chain.client.waitForTransactionReceipt({ hash });
}

async function waiting(reason: string): Promise<number> {
  const { values } = await metrics().sweepsWaiting.get();
  return values.find(({ labels }) => labels.chain === "base" && labels.reason === reason)?.value ?? 0;
}

const sweptMetric = async (): Promise<number> =>
  (await metrics().sweptNanoUsd.get()).values.find(({ labels }) => labels.chain === "base")?.value ?? 0;

test("final deposits reach the treasury exactly, by an authorization that the chain accepts once; the ledger does not change", async () => {
  const customer = await openCustomer();
  const [treasury, counted] = [await chain.treasuryBalance(), await sweptMetric()];
  const transfersBefore = (await pool().query("SELECT id FROM transfer")).rowCount;
  await chain.payIn([[customer, 12_345_678n]]);
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toMatchObject([{ units: 12_345_678n, state: "relayed", attempt: 1 }]);
  await chain.relay();
  await chain.sweep();
  expect(await sweepsOf(customer.address), "its block is not final").toMatchObject([{ state: "relayed" }]);
  await chain.mine(2 * TO_SAFE);
  await chain.relay();
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toMatchObject([{ state: "done", attempt: 1, reason: null }]);
  expect(await chain.treasuryBalance()).toBe(treasury + 12_345_678n);
  expect(await chain.balances([customer.address])).toEqual([0n]);
  expect(await chain.carriedOut(customer.address)).toBe(1);
  expect(await sweptMetric()).toBe(counted + 12_345_678_000);
  // One ledger transfer: the deposit's credit.
  expect((await pool().query("SELECT id FROM transfer")).rowCount).toBe((transfersBefore ?? 0) + 1);

  // The watcher reads the sweep's own block, and sees no deposit in it.
  await chain.finalize();
  expect((await pool().query("SELECT 1 FROM deposit WHERE account_id = $1", [customer.account])).rowCount).toBe(1);
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toHaveLength(1);
});

test("less than SWEEP_MINIMUM_USD stays until there is enough, and money that is not final is not touched", async () => {
  const customer = await openCustomer();
  await chain.payIn([[customer, 4_990_000n]]);
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toEqual([]);
  await chain.mint(customer.address, ONE_USDC);
  await chain.sweep();
  expect(await sweepsOf(customer.address), "the second deposit is not final").toEqual([]);
  await chain.finalize();
  await chain.finish();
  expect(await sweepsOf(customer.address)).toMatchObject([{ units: 5_990_000n, state: "done" }]);
});

test("withdrawals' needs are swept from as few addresses as possible, small ones too, and sweeps in progress count", async () => {
  const [one, two, three, dust] = await openCustomers(4);
  if (!one || !two || !three || !dust) throw new Error("four customers were asked for");
  await chain.payIn([
    [one, 1_500_000n],
    [two, 3_000_000n],
    [three, 1_000_000n],
    [dust, 90_000n],
  ]);
  expect(await chain.planFor(4_000_000n)).toBe(4_500_000n);
  expect(await chain.planFor(4_400_000n)).toBe(4_500_000n);
  expect((await sweepsOf(one.address, two.address, three.address)).map(({ units }) => units).sort()).toEqual([1_500_000n, 3_000_000n]);
  expect(await chain.planFor(100_000_000n), "as much as there is").toBe(5_500_000n);
  await chain.finish();
  expect(await chain.balances([one.address, two.address, three.address, dust.address])).toEqual([0n, 0n, 0n, 90_000n]);
  expect(await chain.planFor(1n)).toBe(0n);
});

test("while USDC is paused sweeps wait with that reason; afterwards each is carried out once", async () => {
  const customers = await openCustomers(3);
  const treasury = await chain.treasuryBalance();
  await chain.payIn(customers.map((customer) => [customer, 6n * ONE_USDC] as const));
  await asIssuer({ abi: adminAbi, functionName: "pause" });
  await chain.sweep();
  const addresses = customers.map(({ address }) => address);
  expect((await sweepsOf(...addresses)).map(({ state, attempt, reason }) => [state, attempt, reason])).toEqual(
    Array.from({ length: 3 }, () => ["planned", 0, "paused"]),
  );
  expect(await waiting("paused")).toBe(3);
  await asIssuer({ abi: adminAbi, functionName: "unpause" });
  await chain.sweep();
  expect(await waiting("paused"), "they are not tried at every round").toBe(3);
  await chain.passTime(60);
  await chain.finish();
  expect(await waiting("paused")).toBe(0);
  expect(await chain.treasuryBalance()).toBe(treasury + 18n * ONE_USDC);
});

test("USDC paused between signing and inclusion: the transaction fails, and another one carries out the same authorization", async () => {
  const customer = await openCustomer();
  const treasury = await chain.treasuryBalance();
  await chain.payIn([[customer, 7n * ONE_USDC]]);
  await chain.client.setAutomine(false);
  await chain.sweep();
  // The issuer's transaction pays more and goes first.
  const pause = { to: chain.usdc, data: encodeFunctionData({ abi: adminAbi, functionName: "pause" }), gas: 100_000n };
  const dear = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  await chain.client.sendTransaction({ account: chain.minter, ...pause, ...dear });
  await chain.mine(1);
  await chain.client.setAutomine(true);
  await chain.mine(2 * TO_SAFE);
  await chain.relay();
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toMatchObject([{ state: "planned", attempt: 1, reason: "failed" }]);
  await asIssuer({ abi: adminAbi, functionName: "unpause" });
  await letWaitsEnd("base");
  await chain.finish();
  expect(await sweepsOf(customer.address)).toMatchObject([{ state: "done", attempt: 2 }]);
  expect(await chain.carriedOut(customer.address)).toBe(1);
  expect(await chain.treasuryBalance()).toBe(treasury + 7n * ONE_USDC);
});

test("a blacklisted address waits alone with growing delays, without delaying others", async () => {
  const [blocked, free] = await openCustomers(2);
  if (!blocked || !free) throw new Error("two customers were asked for");
  await chain.payIn([
    [blocked, 8n * ONE_USDC],
    [free, 9n * ONE_USDC],
  ]);
  await asIssuer({ abi: adminAbi, functionName: "blacklist", args: [blocked.address] });
  await chain.sweep();
  expect(await sweepsOf(blocked.address)).toMatchObject([{ state: "planned", attempt: 0, reason: "address_blocked" }]);
  expect(await sweepsOf(free.address)).toMatchObject([{ state: "relayed" }]);
  const nextTryS = async () => {
    await letWaitsEnd("base");
    await chain.sweep();
    const { rows } = await pool().query<{ try: Date }>("SELECT try_at AS try FROM sweep WHERE address = $1", [blocked.address]);
    return ((rows[0]?.try.getTime() ?? 0) - chain.clockMs()) / 1_000;
  };
  const waits: number[] = [];
  for (const seconds of [0, 300, 1_200, 20_000]) {
    await chain.passTime(seconds);
    waits.push(Math.round(await nextTryS()));
  }
  expect(waits[0]).toBe(60);
  expect(waits[1]).toBeGreaterThanOrEqual(300);
  expect(waits[2]).toBeGreaterThanOrEqual(1_500);
  expect(waits[3]).toBe(3_600);
  await asIssuer({ abi: adminAbi, functionName: "unBlacklist", args: [blocked.address] });
  await letWaitsEnd("base");
  await chain.finish();
  expect(await chain.balances([blocked.address, free.address])).toEqual([0n, 0n]);
});

test("a blacklisted treasury or a relayer without ETH delays all sweeps until it is fixed", async () => {
  const customer = await openCustomer();
  const { treasury, relayer } = chain.custody;
  await chain.payIn([[customer, 8n * ONE_USDC]]);
  await asIssuer({ abi: adminAbi, functionName: "blacklist", args: [treasury.base] });
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toMatchObject([{ state: "planned", reason: "treasury_blocked" }]);
  await asIssuer({ abi: adminAbi, functionName: "unBlacklist", args: [treasury.base] });
  await chain.client.setBalance({ address: relayer.address, value: 1_000n });
  await letWaitsEnd("base");
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toMatchObject([{ state: "planned", attempt: 0, reason: "no_gas_money" }]);
  await chain.fundGas(relayer.address);
  await letWaitsEnd("base");
  await chain.finish();
  expect(await chain.balances([customer.address])).toEqual([0n]);
});

test("a stranger who submits the authorization first also moves the money to the treasury, and nothing moves twice", async () => {
  const customer = await openCustomer();
  const stranger = await chain.newAccount();
  const treasury = await chain.treasuryBalance();
  await chain.payIn([[customer, 7n * ONE_USDC]]);
  await chain.client.setAutomine(false);
  await chain.sweep();
  const [sweep] = await sweepsOf(customer.address);
  const { rows } = await pool().query<{ input: Buffer }>("SELECT input FROM relayed WHERE id = $1", [`${sweep?.id}_1`]);
  const data: Hex = `0x${rows[0]?.input.toString("hex") ?? ""}`;
  const dear = { gas: 200_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  await chain.client.sendTransaction({ account: stranger, to: chain.usdc, data, ...dear });
  await chain.mine(1);
  await chain.client.setAutomine(true);
  expect(await chain.treasuryBalance()).toBe(treasury + 7n * ONE_USDC);
  await chain.mine(2 * TO_SAFE);
  await chain.relay();
  await chain.sweep();
  await letWaitsEnd("base");
  await chain.finish();
  expect(await sweepsOf(customer.address)).toMatchObject([{ state: "done", attempt: 1 }]);
  expect(await chain.carriedOut(customer.address)).toBe(1);
});

test("a deposit that arrives during a sweep of its address is swept by the next sweep", async () => {
  const customer = await openCustomer();
  const treasury = await chain.treasuryBalance();
  await chain.payIn([[customer, 5n * ONE_USDC]]);
  await chain.client.setAutomine(false);
  await chain.sweep();
  await chain.client.setAutomine(true);
  await chain.payIn([[customer, 11n * ONE_USDC]]);
  await chain.sweep();
  expect(await sweepsOf(customer.address)).toMatchObject([{ units: 5n * ONE_USDC }]);
  await chain.finish();
  expect((await sweepsOf(customer.address)).map(({ units, state }) => [units, state])).toEqual([
    [5n * ONE_USDC, "done"],
    [11n * ONE_USDC, "done"],
  ]);
  expect(await chain.treasuryBalance()).toBe(treasury + 16n * ONE_USDC);
});

test("a sweep does not wait for money that something else moved: the rest is swept", async () => {
  const customer = await openCustomer();
  await chain.payIn([[customer, 10n * ONE_USDC]]);
  await asIssuer({ abi: adminAbi, functionName: "pause" });
  await chain.sweep();
  await asIssuer({ abi: adminAbi, functionName: "unpause" });
  const holder = mnemonicToAccount(hardhatWords, { addressIndex: customer.index });
  await chain.fundGas(holder.address);
  await chain.client.sendTransaction({ account: holder, to: chain.usdc, data: encodeTransfer(chain.minter.address, 4n * ONE_USDC) });
  await chain.finalize();
  await letWaitsEnd("base");
  await chain.finish();
  await chain.finish();
  expect((await sweepsOf(customer.address)).map(({ units, state, reason }) => [units, state, reason])).toEqual([
    [10n * ONE_USDC, "failed", "money_gone"],
    [6n * ONE_USDC, "done", null],
  ]);
});

const MANY = isLong ? 200 : 15;

test(`${MANY} addresses, three concurrent processes: each is swept once, by transactions without nonce gaps`, async () => {
  const customers = await openCustomers(MANY);
  const treasury = await chain.treasuryBalance();
  await chain.payIn(customers.map((customer, at) => [customer, 5n * ONE_USDC + BigInt(at)] as const));
  for (let round = 0; round < 5; round++) {
    await Promise.all([chain.sweep(), chain.sweep(), chain.sweep()]);
    await Promise.all([chain.relay(), chain.relay()]);
    await chain.mine(2 * TO_SAFE);
    await chain.relay();
  }
  await chain.finish();
  const sweeps = await sweepsOf(...customers.map(({ address }) => address));
  expect(sweeps).toHaveLength(MANY);
  expect(sweeps.every(({ state, attempt }) => state === "done" && attempt === 1)).toBe(true);
  expect(await chain.treasuryBalance()).toBe(treasury + customers.reduce((sum, _, at) => sum + 5n * ONE_USDC + BigInt(at), 0n));
  const { rows } = await pool().query<{ nonce: number }>("SELECT nonce FROM relayed WHERE chain = 'base' ORDER BY nonce");
  const first = rows[0]?.nonce ?? 0;
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, at) => first + at));
}, 240_000);
