// Reserves on both chains: held equals owed, one unit less is a deficit, and nothing else is.

import { afterAll, beforeAll, expect, test } from "vitest";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { credit } from "@/lib/ledger/testing/fund";
import { isPayoutAllowed } from "../withdrawals/pay-withdrawals";
import { ordered, USD } from "../withdrawals/testing/world";
import { checkReserves } from "./check-reserves";
import { expectCleanBooks, ONE_USDC, type Owner, type ReservesWorld, startReservesWorld } from "./testing/reserves-world";

await openTestDatabase();
let world: ReservesWorld;
let owners: Owner[];
beforeAll(async () => {
  world = await startReservesWorld();
  owners = await world.openOwners(3);
});
afterAll(async () => {
  await expectCleanBooks();
  await world?.stop();
});

const [first, second, third] = [() => owners[0] as Owner, () => owners[1] as Owner, () => owners[2] as Owner];

test("before the first deposit, nothing is owed and nothing is held", async () => {
  expect(await checkReserves()).toMatchObject({ state: "covered", held: 0n, owed: 0n });
});

test("deposits on both chains are held exactly, at their address or at the treasury, credited or below the minimum", async () => {
  await world.evm.mint(first().address, 20n * ONE_USDC);
  await world.evm.mint(second().address, ONE_USDC / 2n);
  await world.solana.faucet(second().owner, 7n * ONE_USDC);
  await world.solana.faucet(third().owner, 2n * ONE_USDC);
  const report = await world.until(({ owed, holdings }) => owed === 29_500_000_000n && (holdings[1]?.treasury ?? 0n) > 0n);
  expect(report).toMatchObject({ state: "covered", held: 29_500_000_000n, customers: 29n * USD });
  const swept = await world.until(({ holdings: [base] }) => base?.treasury === 20n * USD);
  expect(swept).toMatchObject({ state: "covered", held: 29_500_000_000n });
  expect(swept.holdings).toMatchObject([
    { chain: "base", atAddresses: USD / 2n, addresses: 2 },
    { chain: "solana", treasury: 7n * USD, atAddresses: 2n * USD, addresses: 2 },
  ]);
});

test("a withdrawal reduces held and owed, and its fee stays with us", async () => {
  await ordered(first(), { amount: 5n * USD });
  await ordered(second(), { amount: 2n * USD, chain: "solana" });
  const report = await world.until(({ held }) => held === 22_500_000_000n);
  expect(report.state).toBe("covered");
  expect(await world.until(({ held, owed }) => held - owed === 600_000_000n)).toMatchObject({ held: 22_500_000_000n });
});

test("dust and gifts are surplus, and stop nothing", async () => {
  const { holdings } = await world.until(() => true);
  await world.fillTreasury("base", 1n);
  await world.fillTreasury("solana", 3n * ONE_USDC);
  const gifted = (holdings[0]?.treasury ?? 0n) + 1_000n;
  const report = await world.until(({ holdings: [base, solana] }) => base?.treasury === gifted && solana?.treasury === 8n * USD);
  expect(report).toMatchObject({ state: "covered", held: 25_500_001_000n });
  expect(await isPayoutAllowed()).toBe(true);
});

test("one unit less than owed is a deficit and stops payouts until it is restored", async () => {
  const { held, owed } = await world.until(() => true);
  const spare = (held - owed) / 1_000n;
  await world.stealFromTreasury(spare);
  await world.until((report) => report.held === report.owed);
  expect(await isPayoutAllowed()).toBe(true);
  await world.stealFromTreasury(1n);
  const report = await world.until(({ state }) => state === "deficit");
  expect(report.owed - report.held).toBe(1_000n);
  expect(await isPayoutAllowed()).toBe(false);
  const id = await ordered(first(), { amount: USD });
  for (let round = 0; round < 3; round += 1) await world.round();
  await expectCleanBooks();
  await world.fillTreasury("base", 1n);
  await world.until(({ state }) => state === "covered");
  expect(await isPayoutAllowed()).toBe(true);
  expect(id).toBeDefined();
  await world.until((now) => now.held === now.owed + 100_000_000n);
});

test("a chain that does not answer is unknown, which neither stops payouts nor resumes them", async () => {
  await world.until(({ state }) => state === "covered");
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  expect(await checkReserves()).toMatchObject({ state: "unknown", reason: "away", chain: "base" });
  expect(await isPayoutAllowed()).toBe(true);
  setSandboxEvmNodes([world.evm.url()]);
  setSandboxSolanaNodes(["http://127.0.0.1:9"], world.solana.genesisHash);
  expect(await checkReserves()).toMatchObject({ state: "unknown", reason: "away", chain: "solana" });
  setSandboxSolanaNodes([world.solana.url], world.solana.genesisHash);
  const { held, owed } = await world.until(({ state }) => state === "covered");
  const stolen = (held - owed) / 1_000n + 5n;
  await world.stealFromTreasury(stolen);
  await world.until(({ state }) => state === "deficit");
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  expect(await checkReserves()).toMatchObject({ state: "unknown" });
  expect(await isPayoutAllowed()).toBe(false);
  setSandboxEvmNodes([world.evm.url()]);
  await world.fillTreasury("base", stolen);
  await world.until(({ state }) => state === "covered");
});

test("a node that reports empty balances is not believed while another disagrees", async () => {
  const liar = await startFaultyNode(world.evm.url(), ({ method, params: [call] }) => {
    const isBalances = method === "eth_call" && typeof call === "object" && call !== null && !("to" in call);
    return isBalances ? { rewrite: (result) => `0x${"0".repeat(String(result).length - 2)}` } : null;
  });
  setSandboxEvmNodes([liar.url, world.evm.url()]);
  expect(await checkReserves()).toMatchObject({ state: "unknown", reason: "disputed" });
  expect(await isPayoutAllowed()).toBe(true);
  setSandboxEvmNodes([world.evm.url()]);
  await liar.close();
});

test("a sandbox's grant is no deficit before it reaches the chain, but is one when it is taken away afterwards", async () => {
  await world.until(({ state }) => state === "covered");
  await credit(third().accountId, 25n * USD, "grant");
  expect(await checkReserves()).toMatchObject({ state: "unknown", reason: "starting" });
  await world.fillTreasury("base", 25n * ONE_USDC);
  const { held, owed } = await world.until(({ state }) => state === "covered");
  await world.stealFromTreasury((held - owed) / 1_000n + 1n);
  await world.until(({ state }) => state === "deficit");
});
