import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { forgetOnce } from "@/lib/base/once";
import { readBalances, readGasBalance } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { deriveTokenAccount } from "@/lib/wallets/token-account";
import { type ChainPlaces, type SandboxChains, startChains } from "./chains";
import { demoSigners } from "./demo-wallets";
import { openSecrets } from "./secrets";
import { buildSolanaChain } from "./solana-chain/testing";

const usdcMint = Keypair.generate().publicKey.toBase58();
let program: Awaited<ReturnType<typeof buildSolanaChain>>;
const folders: string[] = [];
const running: SandboxChains[] = [];

beforeAll(async () => {
  program = await buildSolanaChain();
});
afterAll(() => program?.remove());
afterEach(async () => {
  for (const chains of running.splice(0)) await chains.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  for (const name of ["sandbox EVM nodes", "EVM nodes", "sandbox Solana nodes", "Solana nodes"]) forgetOnce(name);
});

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-chains-"));
  folders.push(folder);
  return folder;
}

async function start(dataDir: string) {
  const told: ChainPlaces[] = [];
  const secrets = openSecrets(dataDir);
  const onPlaces = (places: ChainPlaces) => void told.push(places);
  const chains = startChains({ dataDir, usdcMint, secrets, onPlaces, solanaScriptPath: program.scriptPath, pauseMs: 0 });
  running.push(chains);
  expect(chains.isWell()).toBe(false);
  await vi.waitFor(() => expect(chains.isWell()).toBe(true), { timeout: 20_000 });
  return { chains, told, secrets };
}

async function balances({ demoKeys }: ReturnType<typeof openSecrets>) {
  const { evm, solana } = demoSigners(demoKeys);
  const latest = await findBlock("latest");
  const [base] = await readBalances({ token: usdcOnBase, accounts: [evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  const account = deriveTokenAccount(solana.address, usdcMint);
  return { base, solana: (await readTokenBalances(solanaNodes(), [account])).get(account)?.value };
}

test("the demo wallet begins with 100 test USDC on both chains and gas, and a restart neither adds nor takes any", async () => {
  const dataDir = newDataDir();
  const first = await start(dataDir);
  const funded = { base: 100_000_000n, solana: 100_000_000n };
  await vi.waitFor(async () => expect(await balances(first.secrets)).toEqual(funded), { timeout: 10_000 });
  const [places] = first.told;
  expect(first.told).toHaveLength(1);
  expect(places).toMatchObject({ rpc: { solana: solanaCluster().urls[0] }, usdc: { solana: usdcMint } });
  for (const keys of [first.secrets.demoKeys, first.secrets.chainKeys.relayer, first.secrets.chainKeys.treasury]) {
    expect(await readGasBalance(demoSigners(keys).evm.address as Hex)).toBeGreaterThan(0n);
    const { value: lamports } = await solanaNodes().callAtSlot("getBalance", [demoSigners(keys).solana.address], z.number());
    expect(lamports).toBeGreaterThan(0);
  }
  const genesis = solanaCluster().genesisHash;
  await first.chains.stop();
  expect(first.chains.isWell()).toBe(false);

  const second = await start(dataDir);
  expect(solanaCluster().genesisHash).toBe(genesis);
  expect(await balances(second.secrets)).toEqual(funded);
});

test("a second process on one directory leaves its chains alone, and takes them over when the first has ended", async () => {
  const dataDir = newDataDir();
  const first = await start(dataDir);
  const secrets = openSecrets(dataDir);
  const second = startChains({ dataDir, usdcMint, secrets, onPlaces: () => undefined, solanaScriptPath: program.scriptPath, pauseMs: 0 });
  running.push(second);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect([first.chains.isWell(), second.isWell()]).toEqual([true, false]);
  await first.chains.stop();
  await vi.waitFor(() => expect(second.isWell()).toBe(true), { timeout: 20_000 });
});

test("chains that are stopped while they start leave nothing running", async () => {
  const dataDir = newDataDir();
  const secrets = openSecrets(dataDir);
  const chains = startChains({ dataDir, usdcMint, secrets, onPlaces: () => undefined, solanaScriptPath: program.scriptPath, pauseMs: 0 });
  const processes = () => execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" });
  await vi.waitFor(() => expect(processes()).toContain(dataDir), { interval: 5, timeout: 10_000 });
  await chains.stop();
  expect(chains.isWell()).toBe(false);
  expect(processes()).not.toContain(dataDir);
});
