// Deposits as their owner sees them: USDC is sent to the account's address on the sandbox's own chain, and the balance rises,
// whatever happens to the service meanwhile.

import { join } from "node:path";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fromUsdcUnits } from "@/lib/base/money";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { createNode } from "@/lib/chains/evm/node";
import { createNodes } from "@/lib/chains/evm/nodes";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { runningPostgresUrl } from "@/lib/db/embedded";
import { queryOnce } from "@/lib/db/testing/embedded-fixture";
import { isLong } from "@/lib/db/testing/sample";
import { databaseDirectory } from "@/lib/db/testing/scratch";
import { createMinter } from "@/lib/sandbox/evm-chain/minter";
import { openSecrets } from "@/lib/sandbox/secrets";
import { readBalance } from "./testing/requests";
import {
  bundleService,
  cleanUpServices,
  isRunning,
  logLines,
  newDataDir,
  type Running,
  readSandbox,
  runCheckLedger,
  startService,
  until,
  untilSandboxRuns,
} from "./testing/service";

const CHAIN_ID = 31_337;
const ONE_USDC = 1_000_000n;

let bundle: string;
let dataDir: string;
let service: Running;
let address: Hex;

beforeAll(async () => {
  bundle = bundleService();
  dataDir = newDataDir({ prepared: true });
  await start();
  const [wallet] = await query("SELECT base_address AS address FROM custodial_wallet");
  address = wallet?.address as Hex;
});
afterAll(cleanUpServices);

async function start(): Promise<void> {
  // The test reads the balance above the normal rate limit. No sweep: deposited USDC stays at its address, where the test counts it.
  service = startService(bundle, { DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: "1000000", SWEEP_MINIMUM_USD: "1000000" });
  await service.ready;
}

const query = async (sql: string) => queryOnce((await runningPostgresUrl(join(dataDir, databaseDirectory))) ?? "", sql);
const chainUrl = () => (readSandbox(dataDir) as { rpc?: { base: string } }).rpc?.base;

/** Sends USDC as any stranger would: on the chain only, without calling the service. */
async function deposit(units: bigint): Promise<void> {
  await until("the chain runs", () => chainUrl() !== undefined);
  const node = createNode({ url: chainUrl() ?? "", name: "the test's node", timeoutMs: 5_000 });
  await createMinter(openSecrets(dataDir).chainKeys.minter as Hex, CHAIN_ID).mint(node, address, units);
}

/** In nano-USD. */
async function onChain(): Promise<bigint> {
  const nodes = createNodes({ urls: [chainUrl() ?? ""], chainId: CHAIN_ID });
  const latest = await findBlock("latest", nodes);
  const [units = 0n] = await readBalances({ token: usdcOnBase, accounts: [address], blockHash: latest?.hash ?? "0x" }, nodes);
  return fromUsdcUnits(units);
}

const balance = async () => (await readBalance(readSandbox(dataDir))).balance;

test("USDC that arrives at the account's address becomes its balance, without any call to the service", async () => {
  const before = await balance();
  await deposit(5n * ONE_USDC);
  await until("the balance rises", async () => (await balance()) !== before);
  expect(await balance()).toBe(before + 5);
  expect(await query("SELECT state, amount::text FROM deposit")).toEqual([{ state: "credited", amount: "5000000000" }]);
});

test("a stopped service lets the next one watch at once, which credits what arrived before and after", async () => {
  const before = await balance();
  await deposit(2n * ONE_USDC);
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
  // No troubles before its chain ran, and none now that it has ended.
  const troubles = logLines(service.output()).filter(({ level, outcome }) => Number(level) >= 40 && outcome !== undefined);
  expect(troubles).toEqual([]);
  await start();
  await deposit(3n * ONE_USDC);
  await until("both are credited", async () => (await balance()) === before + 5);
});

test("kill -9 while a deposit is under way: what the chain kept of it is credited once, and the books are clean", async () => {
  const before = { balance: await balance(), onChain: await onChain() };
  for (const units of isLong ? [7n, 8n] : [7n]) {
    await deposit(units * ONE_USDC);
    const children = await untilSandboxRuns(service.pid);
    service.process.kill("SIGKILL");
    await service.ended;
    await until("what it had started has ended", () => !children.some(isRunning));
    await start();
  }
  await deposit(9n * ONE_USDC);
  const inTheEnd = async () => before.balance + Number((await onChain()) - before.onChain) / 1e9;
  expect(await inTheEnd()).toBeGreaterThanOrEqual(before.balance + 9);
  // The lease of the dead process must lapse first.
  await vi.waitFor(async () => expect(await balance()).toBe(await inTheEnd()), { timeout: 60_000, interval: 200 });
  expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
}, 120_000);
