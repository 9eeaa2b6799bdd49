import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import type { Hex } from "viem";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readBalances, readGasBalance } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { evmNodeUrls } from "@/lib/chains/evm/node-urls";
import { newAddress as newEvmAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { solanaCluster } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { openTestCustody } from "@/lib/console/testing/custody";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { type ChainPlaces, type ChainsOptions, type SandboxChains, startChains } from "./chains";
import { openDemoAccount } from "./demo-account";
import { demoIdentities, demoSigners } from "./demo-wallets";
import { followChains } from "./follow-chains";
import { openSecrets, writeSandboxFile } from "./secrets";
import { solanaProgram } from "./solana-chain/testing";

const newAddress = () => Keypair.generate().publicKey.toBase58();
const custody: ChainsOptions["custody"] = {
  usdcMint: newAddress(),
  treasury: { base: newEvmAddress(), solana: newAddress() },
  relayer: { base: newEvmAddress() },
  sponsor: { solana: newAddress() },
};
await openTestDatabase();

const folders: string[] = [];
const running: SandboxChains[] = [];

beforeAll(async () => {
  setSandboxPepper("0123456789abcdef0123456789abcdef");
  await openTestCustody();
});
afterEach(async () => {
  for (const chains of running.splice(0)) await chains.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  for (const name of ["sandbox EVM nodes", "EVM nodes", "sandbox Solana nodes", "Solana nodes"]) forgetSingleton(name);
});

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-chains-"));
  folders.push(folder);
  return folder;
}

async function start(dataDir: string) {
  const reported: ChainPlaces[] = [];
  const secrets = openSecrets(dataDir);
  const onPlaces = (places: ChainPlaces) => void reported.push(places);
  const chains = startChains({ dataDir, custody, secrets, onPlaces, solanaScriptPath: solanaProgram() });
  running.push(chains);
  expect(chains.isWell()).toBe(false);
  await vi.waitFor(() => expect(chains.isWell()).toBe(true), { timeout: 30_000 });
  return { chains, reported, secrets };
}

async function balances({ demoKeys }: ReturnType<typeof openSecrets>) {
  const { evm, solana } = demoSigners(demoKeys);
  const latest = await findBlock("latest");
  const accounts = [evm.address as Hex, custody.treasury.base];
  const [base, treasury] = await readBalances({ token: usdcOnBase, accounts, blockHash: latest?.hash ?? "0x" });
  const account = deriveTokenAccount(solana.address, custody.usdcMint);
  return { base, treasury, solana: (await readTokenBalances(solanaNodes(), [account])).get(account)?.value };
}

test("the demo wallet starts with 100 test USDC on each chain and gas, the treasury with the grants; a restart adds none", async () => {
  const dataDir = newDataDir();
  await openDemoAccount(undefined, demoIdentities(openSecrets(dataDir).demoKeys));
  const first = await start(dataDir);
  const funded = { base: 100_000_000n, solana: 100_000_000n, treasury: 25_000_000n };
  await vi.waitFor(async () => expect(await balances(first.secrets)).toEqual(funded), { timeout: 30_000 });
  const [places] = first.reported;
  expect(first.reported).toHaveLength(1);
  expect(places).toMatchObject({ rpc: { solana: solanaCluster().urls[0] }, usdc: { solana: custody.usdcMint } });
  const { evm, solana } = demoSigners(first.secrets.demoKeys);
  for (const payer of [evm.address as Hex, custody.relayer.base]) expect(await readGasBalance(payer)).toBeGreaterThan(0n);
  for (const payer of [solana.address, custody.treasury.solana, custody.sponsor.solana]) {
    const { value: lamports } = await solanaNodes().callAtSlot("getBalance", [payer], z.number());
    expect(lamports).toBeGreaterThan(0);
  }
  const genesis = solanaCluster().genesisHash;
  await first.chains.stop();
  expect(first.chains.isWell()).toBe(false);

  const second = await start(dataDir);
  expect(solanaCluster().genesisHash).toBe(genesis);
  expect(await balances(second.secrets)).toEqual(funded);
});

test("a second process on a directory leaves its chains alone, and takes them over when the first has ended", async () => {
  const dataDir = newDataDir();
  const first = await start(dataDir);
  const secrets = openSecrets(dataDir);
  const second = startChains({ dataDir, custody, secrets, onPlaces: () => undefined, solanaScriptPath: solanaProgram() });
  running.push(second);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect([first.chains.isWell(), second.isWell()]).toEqual([true, false]);
  await first.chains.stop();
  await vi.waitFor(() => expect(second.isWell()).toBe(true), { timeout: 30_000 });
});

test("a process that does not run the chains uses the URLs in sandbox.json, while another process runs them", async () => {
  const dataDir = newDataDir();
  const { chains, reported } = await start(dataDir);
  const [places] = reported;
  writeSandboxFile(dataDir, { baseUrl: "http://127.0.0.1:1", apiKey: "pp_none", ...places });
  const genesis = solanaCluster().genesisHash;
  for (const name of ["sandbox EVM nodes", "sandbox Solana nodes"]) forgetSingleton(name);
  const following = followChains({ dataDir, isOwner: () => false });
  await vi.waitFor(() => expect(evmNodeUrls()).toEqual([places?.rpc.base]), { timeout: 30_000 });
  await vi.waitFor(() => expect(solanaCluster()).toEqual({ urls: [places?.rpc.solana], genesisHash: genesis }), { timeout: 30_000 });
  await following.stop();
  await chains.stop();

  for (const name of ["sandbox EVM nodes", "sandbox Solana nodes"]) forgetSingleton(name);
  const alone = followChains({ dataDir, isOwner: () => false });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect([evmNodeUrls(), solanaCluster().urls]).toEqual([[], []]);
  await alone.stop();
});

test("stopping the chains during their start leaves nothing running", async () => {
  const dataDir = newDataDir();
  const secrets = openSecrets(dataDir);
  const chains = startChains({ dataDir, custody, secrets, onPlaces: () => undefined, solanaScriptPath: solanaProgram() });
  const processes = () => execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" });
  await vi.waitFor(() => expect(processes()).toContain(dataDir), { interval: 5, timeout: 30_000 });
  await chains.stop();
  expect(chains.isWell()).toBe(false);
  expect(processes()).not.toContain(dataDir);
});
