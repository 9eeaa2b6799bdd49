import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Hex, toHex } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { readBalances, readGasBalance } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { createNodes } from "@/lib/chains/evm/nodes";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { findReceipt } from "@/lib/chains/evm/transactions";
import { readTransfers } from "@/lib/chains/evm/transfers";
import { GAS_MONEY } from "./gas";
import { type EvmChain, type EvmChainOptions, startEvmChain } from "./start";

const BLOCK_TIME_MS = 100;
const folders: string[] = [];
const chains: EvmChain[] = [];
const minterKey = generatePrivateKey();

afterEach(async () => {
  for (const chain of chains.splice(0)) await chain.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "evm-chain-"));
  folders.push(folder);
  return folder;
}

async function start(options: Partial<EvmChainOptions> & { dataDir: string }): Promise<EvmChain> {
  const chain = await startEvmChain({ minterKey, blockTimeMs: BLOCK_TIME_MS, ...options });
  chains.push(chain);
  return chain;
}

const nodesOf = (chain: EvmChain) => createNodes({ urls: [chain.url()], chainId: chain.chainId });

async function balanceOf(chain: EvmChain, account: Hex): Promise<bigint> {
  const latest = await findBlock("latest", nodesOf(chain));
  const [units = -1n] = await readBalances({ token: chain.usdc, accounts: [account], blockHash: latest?.hash ?? "0x" }, nodesOf(chain));
  return units;
}

/** anvil processes with their state in `dataDir`. */
function anvilPids(dataDir: string): number[] {
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
  return listed
    .filter((line) => line.includes(dataDir) && /\/bin\/anvil /.test(line) && !line.includes("exec 3<&0"))
    .map((line) => Number.parseInt(line, 10));
}

const untilSaved = (dataDir: string, hash: Hex) =>
  vi.waitFor(
    () => {
      const path = join(dataDir, "chains", "evm.json");
      expect(existsSync(path) && readFileSync(path, "utf8").includes(hash.slice(2))).toBe(true);
    },
    { timeout: 30_000 },
  );

test("the faucet's USDC arrives by a real transaction, and becomes safe and final a few blocks later automatically", async () => {
  const chain = await start({ dataDir: newDataDir() });
  const to = newAddress();
  const hash = await chain.mint(to, 5_000_000n);
  const receipt = await findReceipt(hash, nodesOf(chain));
  const at = receipt?.blockNumber ?? -1;
  expect(receipt?.status).toBe("succeeded");
  expect(await balanceOf(chain, to)).toBe(5_000_000n);
  const { transfers } = await readTransfers({ token: chain.usdc, receivers: [to], fromBlock: at, toBlock: at }, nodesOf(chain));
  expect(transfers).toMatchObject([{ to, units: 5_000_000n, txHash: hash }]);
  const reach = (tag: "safe" | "finalized") =>
    vi.waitFor(async () => expect((await findBlock(tag, nodesOf(chain)))?.number).toBeGreaterThanOrEqual(at), { timeout: 30_000 });
  await reach("safe");
  await reach("finalized");
});

test("an idle chain mines no blocks", async () => {
  const chain = await start({ dataDir: newDataDir() });
  await chain.mint(newAddress(), 1n);
  const atRest = async () => {
    const head = await readHead(nodesOf(chain));
    expect(await sameAfter(chain, 6 * BLOCK_TIME_MS)).toBe(head.latest.number);
  };
  await vi.waitFor(atRest, { timeout: 30_000 });
});

async function sameAfter(chain: EvmChain, ms: number): Promise<number | undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return (await findBlock("latest", nodesOf(chain)))?.number;
}

test("forty concurrent faucet requests are served, each in its own transaction", async () => {
  const chain = await start({ dataDir: newDataDir() });
  const people = Array.from({ length: 40 }, () => newAddress());
  const hashes = await Promise.all(people.map((to, index) => chain.mint(to, BigInt(index + 1))));
  expect(new Set(hashes).size).toBe(40);
  for (const [index, to] of people.entries()) expect(await balanceOf(chain, to)).toBe(BigInt(index + 1));
});

test("anvil's default accounts, whose keys are public, have nothing; the configured ones have gas money", async () => {
  const relayer = privateKeyToAddress(generatePrivateKey());
  const chain = await start({ dataDir: newDataDir(), gasFor: [relayer] });
  for (let addressIndex = 0; addressIndex < 10; addressIndex++) {
    const known = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });
    expect(await readGasBalance(known.address, nodesOf(chain))).toBe(0n);
  }
  expect(await readGasBalance(relayer, nodesOf(chain))).toBe(GAS_MONEY);
  const other = newAddress();
  await chain.fundGas(other);
  await chain.fundGas(other);
  expect(await readGasBalance(other, nodesOf(chain))).toBe(GAS_MONEY);
});

test("after a stop it continues with the same blocks, balances and receipts", async () => {
  const dataDir = newDataDir();
  const to = newAddress();
  const first = await start({ dataDir });
  const hash = await first.mint(to, 7n);
  const receipt = await findReceipt(hash, nodesOf(first));
  await first.stop();
  expect(anvilPids(dataDir)).toEqual([]);
  const second = await start({ dataDir });
  expect(await findReceipt(hash, nodesOf(second))).toEqual(receipt);
  expect(await findBlock(receipt?.blockHash ?? "0x", nodesOf(second))).toMatchObject({ number: receipt?.blockNumber });
  expect(await balanceOf(second, to)).toBe(7n);
  await second.mint(to, 3n);
  expect(await balanceOf(second, to)).toBe(10n);
  await second.stop();
  expect(readdirSync(join(dataDir, "chains"))).toEqual(["evm.json"]);
});

test("after kill -9 it restarts automatically, at its URL and with its balances", async () => {
  const dataDir = newDataDir();
  const to = newAddress();
  const chain = await start({ dataDir });
  const url = chain.url();
  const hash = await chain.mint(to, 7n);
  await untilSaved(dataDir, hash);
  const [pid = 0, ...more] = anvilPids(dataDir);
  expect(more).toEqual([]);
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(chain.isWell()).toBe(false), { interval: 5, timeout: 30_000 });
  await expect(chain.mint(to, 1n)).rejects.toThrow("starting again");
  await vi.waitFor(() => expect(chain.isWell()).toBe(true), { timeout: 30_000 });
  expect(chain.url()).toBe(url);
  expect(anvilPids(dataDir)).not.toContain(pid);
  expect(await balanceOf(chain, to)).toBe(7n);
  expect((await findReceipt(hash, nodesOf(chain)))?.status).toBe("succeeded");
  await chain.mint(to, 1n);
  expect(await balanceOf(chain, to)).toBe(8n);
});

test("repeatedly killed with -9 under load, it always restarts from a consistent state", async () => {
  const dataDir = newDataDir();
  const to = newAddress();
  const chain = await start({ dataDir, blockTimeMs: 1 });
  await untilSaved(dataDir, await chain.mint(to, 1n));
  for (let round = 0; round < 4; round++) {
    for (let turn = 0; turn < 5; turn++) await chain.mint(to, 1n);
    const [pid = 0] = anvilPids(dataDir);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(chain.isWell()).toBe(false), { interval: 5, timeout: 30_000 });
    await vi.waitFor(() => expect(chain.isWell()).toBe(true), { timeout: 30_000 });
  }
  const kept = await balanceOf(chain, to);
  expect(kept).toBeGreaterThan(0n);
  expect(kept).toBeLessThanOrEqual(21n);
  const { transfers } = await readTransfers(
    { token: chain.usdc, receivers: [to], fromBlock: 0, toBlock: (await findBlock("latest", nodesOf(chain)))?.number ?? 0 },
    nodesOf(chain),
  );
  expect(BigInt(transfers.length)).toBe(kept);
}, 90_000);

test("it ends when its parent is killed with -9, and has saved all transactions", async () => {
  const dataDir = newDataDir();
  const outfile = join(fileURLToPath(new URL("../../../node_modules/.cache/", import.meta.url)), `evm-chain-${process.pid}`, "parent.mjs");
  onTestFinished(() => rmSync(join(outfile, ".."), { recursive: true, force: true }));
  const to = newAddress();
  const entry = `
    import { startEvmChain } from "./start";
    const chain = await startEvmChain({ dataDir: ${JSON.stringify(dataDir)}, minterKey: "${minterKey}", blockTimeMs: 60000 });
    console.log(await chain.mint("${to}", 9n));`;
  const resolveDir = fileURLToPath(new URL(".", import.meta.url));
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const tsconfigRaw = { compilerOptions: { paths: { "@/*": [`${root}*`] } } };
  await build({
    stdin: { contents: entry, resolveDir, loader: "ts" },
    absWorkingDir: root,
    tsconfigRaw,
    alias: { "@": root.slice(0, -1) },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const parent = spawn(process.execPath, [outfile], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [hash] = (await once(createInterface({ input: parent.stdout }), "line")) as [Hex];
  expect(anvilPids(dataDir)).toHaveLength(1);
  parent.kill("SIGKILL");
  await vi.waitFor(() => expect(anvilPids(dataDir)).toEqual([]), { timeout: 30_000 });
  const again = await start({ dataDir });
  expect((await findReceipt(hash, nodesOf(again)))?.status).toBe("succeeded");
  expect(await balanceOf(again, to)).toBe(9n);
});

test("two concurrent sandboxes are isolated, and one may be chain 8453", async () => {
  const [one, two] = await Promise.all([start({ dataDir: newDataDir() }), start({ dataDir: newDataDir(), chainId: 8_453 })]);
  const to = newAddress();
  await one.mint(to, 1n);
  expect(one.url()).not.toBe(two.url());
  expect([await balanceOf(one, to), await balanceOf(two, to)]).toEqual([1n, 0n]);
  await expect(findBlock("latest", createNodes({ urls: [two.url()], chainId: 31_337 }))).rejects.toMatchObject({ kind: "wrong_chain" });
});

test("a port in use is reported, and its owner is left alone", async () => {
  const first = await start({ dataDir: newDataDir() });
  const port = Number(new URL(first.url()).port);
  const dataDir = newDataDir();
  await expect(start({ dataDir, port })).rejects.toThrow("Address already in use");
  expect(anvilPids(dataDir)).toEqual([]);
  expect(await first.mint(newAddress(), 1n)).toMatch(/^0x/);
});

test.each([
  ["cut off", (text: string) => text.slice(0, text.length / 2)],
  ["empty", () => ""],
  ["other content", () => '{"hello":1}'],
])("a damaged state file (%s) is left unchanged, and the message says what to do", async (_, damage) => {
  const dataDir = newDataDir();
  const path = join(dataDir, "chains", "evm.json");
  const chain = await start({ dataDir });
  await chain.stop();
  const damaged = damage(readFileSync(path, "utf8"));
  writeFileSync(path, damaged);
  await expect(start({ dataDir })).rejects.toThrow(`${path}, the sandbox's EVM chain, is damaged: restore it, or delete it`);
  expect(readFileSync(path, "utf8")).toBe(damaged);
  rmSync(path);
  expect(await balanceOf(await start({ dataDir }), newAddress())).toBe(0n);
});

test("a new minter key or a new release's contract replaces the old one, and balances stay", async () => {
  const dataDir = newDataDir();
  const to = newAddress();
  const first = await start({ dataDir });
  await first.mint(to, 5n);
  await first.stop();
  const second = await start({ dataDir, minterKey: generatePrivateKey() });
  expect(await balanceOf(second, to)).toBe(5n);
  await second.mint(to, 5n);
  expect(await balanceOf(second, to)).toBe(10n);
});

test("a faucet failure is an error that says why", async () => {
  const chain = await start({ dataDir: newDataDir() });
  await expect(chain.mint(chain.usdc, 1n)).rejects.toThrow("Blacklistable: account is blacklisted");
  await expect(chain.mint(newAddress(), 0n)).rejects.toThrow("mint amount not greater than 0");
  await expect(chain.mint(toHex(1n, { size: 20 }), 1n)).resolves.toMatch(/^0x/);
});
