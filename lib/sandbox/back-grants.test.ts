import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { createNodes } from "@/lib/chains/evm/nodes";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { backGrants } from "./back-grants";
import { type EvmChain, startEvmChain } from "./evm-chain/start";

const dataDir = mkdtempSync(join(tmpdir(), "back-grants-"));
const minterKey = generatePrivateKey();
let chain: EvmChain;

beforeAll(async () => {
  chain = await startEvmChain({ dataDir, minterKey, blockTimeMs: 100 });
});
afterAll(async () => {
  await chain?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function unitsOf(account: Hex): Promise<bigint | undefined> {
  const nodes = createNodes({ urls: [chain.url()], chainId: chain.chainId });
  const latest = await findBlock("latest", nodes);
  const [units] = await readBalances({ token: chain.usdc, accounts: [account], blockHash: latest?.hash ?? "0x" }, nodes);
  return units;
}

const back = (treasury: Hex, grantedNanoUsd: bigint, on: Parameters<typeof backGrants>[0] = chain) =>
  backGrants(on, { treasury, readGranted: async () => grantedNanoUsd });

test("the treasury is paid the granted amount once, and later grants are added", async () => {
  const treasury = newAddress();
  await back(treasury, 0n);
  expect(await unitsOf(treasury)).toBe(0n);
  for (let round = 0; round < 3; round++) await back(treasury, 25_000_000_000n);
  expect(await unitsOf(treasury)).toBe(25_000_000n);
  await back(treasury, 30_000_000_001n);
  expect(await unitsOf(treasury)).toBe(30_000_001n);
});

test("other income of the treasury does not count as backing, and outgoing money is not replaced", async () => {
  const treasury = newAddress();
  await chain.mint(treasury, 40_000_000n);
  await back(treasury, 25_000_000_000n);
  expect(await unitsOf(treasury)).toBe(65_000_000n);
  expect(await unitsOf(chain.minterAddress)).toBe(0n);
});

test("a round that died between its two steps is completed by the next with the tokens already minted", async () => {
  const treasury = newAddress();
  const dies = { ...chain, pay: () => Promise.reject(new Error("killed")) };
  for (let round = 0; round < 3; round++) await expect(back(treasury, 25_000_000_000n, dies)).rejects.toThrow("killed");
  expect(await unitsOf(chain.minterAddress)).toBe(25_000_000n);
  await back(treasury, 25_000_000_000n);
  expect([await unitsOf(treasury), await unitsOf(chain.minterAddress)]).toEqual([25_000_000n, 0n]);
});

test("the chain remembers past payments after a restart", async () => {
  const treasury = newAddress();
  await back(treasury, 25_000_000_000n);
  await chain.stop();
  chain = await startEvmChain({ dataDir, minterKey, blockTimeMs: 100 });
  await back(treasury, 25_000_000_000n);
  expect(await unitsOf(treasury)).toBe(25_000_000n);
});
