// Each intermediate state, frozen: chain and books differ, but the reserves are still exact.

import { afterAll, beforeAll, expect, test } from "vitest";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { runSweeps } from "../sweeps/run";
import { payWithdrawals } from "../withdrawals/pay-withdrawals";
import { ordered, USD } from "../withdrawals/testing/world";
import { findWithdrawal } from "../withdrawals/withdrawal";
import { reckonReserves } from "./check-reserves";
import { expectCleanBooks, ONE_USDC, type Owner, type ReservesWorld, spend, startReservesWorld } from "./testing/reserves-world";

await openTestDatabase();
let world: ReservesWorld;
let owners: Owner[];
beforeAll(async () => {
  world = await startReservesWorld(true);
  owners = await world.openOwners(2);
  await world.evm.mine(6);
});
afterAll(async () => {
  await rollUpRevenue();
  await expectCleanBooks();
  await world?.stop();
});

const owner = (): Owner => {
  const [first] = owners;
  if (!first) throw new Error("two owners were opened");
  return first;
};

/** Held and owed amounts, nano-USD. */
async function reckoned() {
  const report = await reckonReserves();
  if (report.state === "unknown") throw new Error(`unknown: ${report.reason} ${report.chain}`);
  const { held, owed, holdings } = report;
  return { held, owed, treasury: holdings.find(({ chain }) => chain === "base")?.treasury };
}

async function readFinalBlock(): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["finalized", false] });
  const answer = await fetch(world.evm.url(), { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await answer.json()) as { result: unknown }).result;
}

const finalize = async () => {
  await world.evm.mine(6);
  await world.watch();
};

test("a credited deposit that is not final is neither held nor owed, spent or not", async () => {
  await world.evm.mint(owner().address, 10n * ONE_USDC);
  await world.evm.mine(3);
  await world.watch();
  expect(await reckoned()).toMatchObject({ held: 0n, owed: 0n });
  await spend(owner().accountId, 4_000_000_000 - 1);
  expect(await reckoned()).toMatchObject({ held: 0n, owed: 0n });
  await world.evm.mine(6);
  // Final on the chain, but not yet for the watcher.
  expect(await reckoned()).toMatchObject({ held: 10n * USD, owed: 0n });
  await world.watch();
  expect(await reckoned()).toMatchObject({ held: 10n * USD, owed: 6n * USD });
});

test("a sweep is held at its address until its block is final, and at the treasury from then on", async () => {
  await runSweeps();
  await world.relay();
  expect(await reckoned()).toEqual({ held: 10n * USD, owed: 6n * USD, treasury: 0n });
  await finalize();
  expect(await reckoned()).toEqual({ held: 10n * USD, owed: 6n * USD, treasury: 10n * USD });
});

test("a payout is owed until the block in which it leaves, whenever it is posted", async () => {
  const id = await ordered(owner(), { amount: 5n * USD });
  expect(await reckoned()).toMatchObject({ held: 10n * USD, owed: 6n * USD });
  await payWithdrawals();
  await world.relay();
  expect((await findWithdrawal(id))?.state).toBe("signed");
  expect(await reckoned()).toMatchObject({ held: 10n * USD, owed: 6n * USD });
  const before = await readFinalBlock();
  await finalize();
  // The payout is final, but not posted in the books.
  expect(await reckoned()).toMatchObject({ held: 5n * USD, owed: USD });
  await world.relay();
  await payWithdrawals();
  expect((await findWithdrawal(id))?.state).toBe("final");
  const paid = { held: 5n * USD, owed: 900_000_000n };
  expect(await reckoned()).toMatchObject(paid);
  // A slightly lagging node still shows the money at the treasury.
  const late = await startFaultyNode(world.evm.url(), ({ params: [tag] }) => (tag === "finalized" ? { rewrite: () => before } : null));
  setSandboxEvmNodes([late.url]);
  expect(await reckoned()).toMatchObject({ held: paid.held + 5n * USD, owed: paid.owed + 5n * USD });
  setSandboxEvmNodes([world.evm.url()]);
  await late.close();
});

test("a deposit that leaves the chain is never owed", async () => {
  const before = await reckoned();
  await world.evm.mint(owners[1]?.address ?? "0x", 7n * ONE_USDC);
  await world.evm.mine(3);
  await world.watch();
  expect(await reckoned()).toEqual(before);
  await world.evm.reorg(4);
  expect(await reckoned()).toEqual(before);
  await world.watch();
  expect(await reckoned()).toEqual(before);
  await finalize();
  expect(await reckoned()).toEqual(before);
});

test("when final blocks are lost, the reserves are unknown until the chain is read again", async () => {
  const before = await reckoned();
  await world.evm.mint(owners[1]?.address ?? "0x", 7n * ONE_USDC);
  await finalize();
  expect(await reckoned()).toMatchObject({ held: before.held + 7n * USD, owed: before.owed + 7n * USD });
  await world.evm.reorg(8);
  expect(await reckonReserves()).toMatchObject({ state: "unknown", reason: "doubtful", chain: "base" });
  // Like another process without memory of the chain.
  setSandboxEvmNodes([`${world.evm.url()}/`]);
  expect(await reckonReserves()).toMatchObject({ state: "unknown", reason: "behind", chain: "base" });
  await world.watch();
  expect(await reckoned()).toEqual(before);
});
