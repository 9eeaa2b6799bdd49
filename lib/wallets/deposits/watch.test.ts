// The watchers as the service's jobs run them: silent without a chain, one log line per outage, and a clean stop.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { takeLease } from "./lease";
import { ONE_USDC, openCustomer, postedOf, startWatchedChain, TO_SAFE, type WatchedChain } from "./testing/watched-chain";
import { watchBase } from "./watch";

const database = await openTestDatabase();
let chain: WatchedChain;
beforeAll(async () => {
  chain = await startWatchedChain();
});
afterAll(() => chain?.stop());
afterEach(async () => {
  vi.restoreAllMocks();
  forgetSingleton("sandbox EVM nodes");
  await watchBase.end();
});

const stopping = new AbortController();

async function run(): Promise<void> {
  await chain.readClock();
  await watchBase.run(stopping.signal);
}

async function rounds(outcome: string): Promise<number> {
  const { values } = await metrics().watchRounds.get();
  return values.find(({ labels }) => labels.chain === "base" && labels.outcome === outcome)?.value ?? 0;
}

test("while no node of the chain is known, a round does nothing and logs nothing", async () => {
  const warn = vi.spyOn(log(), "warn");
  await run();
  expect(warn).not.toHaveBeenCalled();
  expect((await metrics().watchRounds.get()).values).toEqual([]);
  expect((await database.pool.query("SELECT FROM watch_lease")).rowCount).toBe(0);
});

test("a chain that starts is watched from its first block, including earlier deposits", async () => {
  const customer = await openCustomer();
  await chain.mint(customer.address, 2n * ONE_USDC);
  await chain.mine(TO_SAFE);
  setSandboxEvmNodes([chain.url()]);
  await run();
  expect(await postedOf(customer)).toBe(2_000_000_000n);
  expect(await rounds("read")).toBe(1);
  expect((await metrics().watchHeadLag.get()).values).toEqual([{ labels: { chain: "base" }, value: 0 }]);
});

test("a reorganisation is counted with its depth", async () => {
  setSandboxEvmNodes([chain.url()]);
  await run();
  await chain.reorg(2);
  await chain.mint((await openCustomer()).address, ONE_USDC);
  await run();
  const { values } = await metrics().watchReorgBlocks.get();
  expect(values.find(({ metricName }) => metricName?.endsWith("_sum"))?.value).toBeGreaterThanOrEqual(1);
  expect(values.find(({ metricName }) => metricName?.endsWith("_count"))?.value).toBe(1);
});

test("a chain outage is logged once, retried at every round, and its end is logged", async () => {
  const [warn, info] = [vi.spyOn(log(), "warn"), vi.spyOn(log(), "info")];
  const told = (spy: typeof warn) => spy.mock.calls.filter(([fields]) => (fields as { chain?: string }).chain === "base").length;
  const failedBefore = await rounds("failed");
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  for (let round = 0; round < 3; round++) await run();
  expect([told(warn), await rounds("failed")]).toEqual([1, failedBefore + 3]);
  setSandboxEvmNodes([chain.url()]);
  for (let round = 0; round < 2; round++) await run();
  expect([told(warn), told(info)]).toEqual([1, 1]);
});

test("a chain without any known block is logged once as an error for the operator, and moves no money", async () => {
  setSandboxEvmNodes([chain.url()]);
  const customer = await openCustomer();
  await chain.mint(customer.address, ONE_USDC);
  await chain.mine(TO_SAFE);
  await run();
  await database.pool.query("UPDATE chain_scan_end SET block_hash = 'of another chain'");
  const error = vi.spyOn(log(), "error");
  for (let round = 0; round < 3; round++) await run();
  expect(error).toHaveBeenCalledTimes(1);
  expect(error.mock.calls[0]?.[0]).toMatchObject({ chain: "base", outcome: "lost" });
  expect(await rounds("lost")).toBe(3);
  expect(await postedOf(customer)).toBe(1_000_000_000n);
});

test("at its end it releases the lease, so another process watches immediately", async () => {
  setSandboxEvmNodes([chain.url()]);
  await run();
  const other = { chain: "base", holder: "another", seconds: 30 };
  expect(await takeLease(other)).toBeNull();
  await watchBase.end();
  expect(await takeLease(other)).not.toBeNull();
  await run();
  expect(await rounds("elsewhere")).toBe(1);
  expect((await metrics().watchHeadLag.get()).values).toEqual([]);
});
