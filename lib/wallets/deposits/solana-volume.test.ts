// Many addresses and many deposits on Solana: each is credited once, quickly.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
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

/** A normal run uses a tenth of the long run's numbers, in half the time. */
const tenth = (whole: number): number => (isLong ? whole : whole / 10);
const TO_ONE = isLong ? 1_000 : 500; // more than two readings hold
const [ADDRESSES, PAID, AT_ONCE] = [tenth(10_000), tenth(300), tenth(1_000)];

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

test(`${ADDRESSES} addresses are polled, and ${PAID} deposits among them credited once each`, async () => {
  const customers = await openCustomers(ADDRESSES);
  await watcher.tick();
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0 });
  const paid = customers.filter((_, index) => index % 33 === 7).slice(0, PAID);
  await payEach(paid);
  await chain.finalize();
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, found: PAID, credited: PAID });
  expect(await postedTo(paid)).toEqual(paid.map((_, index) => (ONE_USDC + BigInt(index)) * 1_000n));
}, 240_000);

test(`${AT_ONCE} deposits that are final at once are credited once each`, async () => {
  const customers = await openCustomers(AT_ONCE);
  await watcher.tick();
  await payEach(customers);
  await chain.finalize();
  expect(await watcher.tick()).toMatchObject({ found: AT_ONCE, credited: AT_ONCE });
  expect(await watcher.tick()).toMatchObject({ found: 0, credited: 0 });
  expect(await postedTo(customers)).toEqual(customers.map((_, index) => (ONE_USDC + BigInt(index)) * 1_000n));
}, 240_000);

test(`${TO_ONE} deposits to one address, more than two readings hold, are credited once each`, async () => {
  const [customer] = await openCustomers(1);
  if (!customer) throw new Error("one was opened");
  for (let sent = 0; sent < TO_ONE; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => chain.faucet(customer.owner, ONE_USDC)));
  }
  await chain.finalize();
  let credited = 0;
  for (let round = 0; round < 10 && credited < TO_ONE; round++) {
    const report = await watcher.tick();
    credited += report.outcome === "read" ? report.credited : 0;
  }
  expect(credited).toBe(TO_ONE);
  expect(await postedOf(customer)).toBe(BigInt(TO_ONE) * 1_000_000_000n);
}, 240_000);
