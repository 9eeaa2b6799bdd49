// Many addresses and many deposits on Solana: each credited once, and soon.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import {
  expectAllAccountedFor,
  ONE_USDC,
  openCustomers,
  postedOf,
  type SolanaCustomer,
  startWatchedSolana,
  type WatchedSolana,
} from "./testing/watched-solana";

await openTestDatabase();
let chain: WatchedSolana;
let watcher: ReturnType<WatchedSolana["watcher"]>;
beforeAll(async () => {
  chain = await startWatchedSolana(400);
  watcher = chain.watcher();
});
afterAll(() => chain?.remove());
afterEach(() => expectAllAccountedFor(chain));

async function payEach(customers: readonly SolanaCustomer[]): Promise<void> {
  for (const [index, { owner }] of customers.entries()) await chain.faucet(owner, ONE_USDC + BigInt(index));
}

const postedTo = async (customers: readonly SolanaCustomer[]) => {
  const { rows } = await pool().query<{ posted: bigint }>("SELECT posted FROM ledger_account WHERE id = ANY ($1) ORDER BY posted", [
    customers.map(({ account }) => account),
  ]);
  return rows.map(({ posted }) => posted);
};

test("10,000 addresses are polled in seconds on a busy machine, and 300 deposits among them credited once each", async () => {
  const customers = await openCustomers(10_000);
  await watcher.tick();
  const startedPoll = performance.now();
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0 });
  const pollMs = performance.now() - startedPoll;
  const paid = customers.filter((_, index) => index % 33 === 7).slice(0, 300);
  await payEach(paid);
  await chain.finalize();
  const started = performance.now();
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, found: 300, credited: 300 });
  const readMs = performance.now() - started;
  expect(await postedTo(paid)).toEqual(paid.map((_, index) => (ONE_USDC + BigInt(index)) * 1_000n));
  expect(pollMs).toBeLessThan(5_000);
  expect(readMs).toBeLessThan(20_000);
}, 240_000);

test("1,000 deposits that are final at once are credited once each, and quickly", async () => {
  const customers = await openCustomers(1_000);
  await watcher.tick();
  await payEach(customers);
  await chain.finalize();
  const started = performance.now();
  expect(await watcher.tick()).toMatchObject({ found: 1_000, credited: 1_000 });
  const readMs = performance.now() - started;
  expect(await watcher.tick()).toMatchObject({ found: 0, credited: 0 });
  expect(await postedTo(customers)).toEqual(customers.map((_, index) => (ONE_USDC + BigInt(index)) * 1_000n));
  expect(readMs).toBeLessThan(20_000);
}, 240_000);

test("1,000 deposits to one address are credited once each", async () => {
  const [customer] = await openCustomers(1);
  if (!customer) throw new Error("one was opened");
  for (let sent = 0; sent < 1_000; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => chain.faucet(customer.owner, ONE_USDC)));
  }
  await chain.finalize();
  let credited = 0;
  for (let round = 0; round < 10 && credited < 1_000; round++) {
    const report = await watcher.tick();
    credited += report.outcome === "read" ? report.credited : 0;
  }
  expect(credited).toBe(1_000);
  expect(await postedOf(customer)).toBe(1_000n * 1_000_000_000n);
}, 240_000);
