// How long Base's watcher takes for many addresses, on its own chain. Bundled by the bench and run with
// DATA_DIR set.

import { strict as assert } from "node:assert";
import { setClock } from "@/lib/base/clock";
import { findBlock } from "@/lib/chains/evm/blocks";
import { startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { createBaseWatcher } from "@/lib/wallets/deposits/base-watcher";
import { type BenchCustomer, openCustomers, withDatabase } from "./chains-database";

const ADDRESSES = 10_000;
const BLOCKS = 200;
const SCATTERED = 300;
const TO_SAFE = 3;
const ONE_USDC = 1_000_000n;

async function measure() {
  const customers = await openCustomers(ADDRESSES, 0);
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  try {
    const sender = await openSender(chain);
    const tick = await openWatcher(chain);
    return { scanS: await measureScan(customers, { chain, sender, tick }) };
  } finally {
    await chain.stop();
  }
}

type Tick = Awaited<ReturnType<typeof openWatcher>>;
type Send = Awaited<ReturnType<typeof openSender>>;

interface Bench {
  chain: UsdcChain;
  sender: Send;
  tick: Tick;
}

/** Sends 1 USDC to each, without waiting for a block. */
async function openSender(chain: UsdcChain) {
  const account = await chain.newAccount(10_000n * ONE_USDC);
  let nonce = 0;
  return async (customers: readonly BenchCustomer[]) => {
    for (const { address } of customers) {
      const data = encodeTransfer(address, ONE_USDC);
      await chain.client.sendTransaction({ account, to: chain.usdc, data, gas: 100_000n, nonce: nonce++ });
    }
  };
}

/** A round of a watcher at the chain's head, with the chain's clock: blocks mined in a row are partly in the future. */
async function openWatcher(chain: UsdcChain) {
  let latestMs = Date.now();
  setClock(() => latestMs);
  const startBlock = await chain.blockNumber();
  await chain.mine(2 * TO_SAFE);
  const watcher = createBaseWatcher({ nodes: chain.nodes, startBlock });
  const tick = async () => {
    const latest = await findBlock("latest", chain.nodes);
    latestMs = Math.max(latestMs + 1, (latest?.timestampS ?? 0) * 1_000);
    const startedAt = performance.now();
    const report = await watcher.tick();
    assert.equal(report.outcome, "read");
    return { ...report, seconds: (performance.now() - startedAt) / 1_000 };
  };
  await tick();
  return tick;
}

async function measureScan(customers: readonly BenchCustomer[], { chain, sender, tick }: Bench): Promise<number> {
  const paid = customers.filter((_, index) => index % 33 === 7).slice(0, SCATTERED);
  const aBlock = (2 * SCATTERED) / BLOCKS;
  await chain.client.setAutomine(false);
  for (let block = 0; block < BLOCKS / 2; block++) {
    await sender(paid.slice(aBlock * block, aBlock * (block + 1)));
    await chain.mine(2);
  }
  await chain.mine(TO_SAFE);
  const { seconds, ...report } = await tick();
  assert.ok(report.outcome === "read" && report.headLag === 0 && report.credited === SCATTERED);
  return seconds;
}

await withDatabase(measure);
process.exit(0);
