// Sweeps on a real Solana chain: every final unit reaches the treasury once, although transactions are refused, fail or expire.

import { VersionedTransaction } from "@solana/web3.js";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { checkDeposits } from "../deposits/check";
import { ONE_USDC } from "../deposits/testing/watched-chain";
import { openCustomer, openCustomers, sweepsOf } from "./testing/swept-chain";
import { type SweptSolana, startSweptSolana } from "./testing/swept-solana";

await openTestDatabase();
let chain: SweptSolana;
beforeAll(async () => {
  chain = await startSweptSolana();
});
afterAll(() => chain?.remove());
afterEach(async () => {
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
});

const statesOf = async (...owners: string[]) => (await sweepsOf(...owners)).map(({ state, attempt, reason }) => [state, attempt, reason]);

/** A node that accepts transactions and drops them. */
async function startLosingNode() {
  const node = await startFaultyNode(chain.url, ({ method }) => (method === "sendTransaction" ? { drop: true } : null));
  onTestFinished(node.close);
  return chain.nodesAt(node.url);
}

test("a treasury without SOL sends nothing; with SOL, eight owners' money arrives exactly, in two transactions", async () => {
  const customers = await openCustomers(8);
  const owners = customers.map(({ owner }) => owner);
  await chain.payIn(customers.map((customer, at) => [customer, 5n * ONE_USDC + BigInt(at)] as const));
  await chain.sweep();
  expect(await statesOf(...owners)).toEqual(owners.map(() => ["planned", 0, "no_gas_money"]));
  await chain.giveSol();
  const transfers = (await pool().query("SELECT id FROM transfer")).rowCount;
  await chain.finish();
  expect((await sweepsOf(...owners)).map(({ state }) => state)).toEqual(owners.map(() => "done"));
  expect(await chain.treasuryBalance()).toBe(40n * ONE_USDC + 28n);
  expect(await chain.balances(owners)).toEqual(owners.map(() => 0n));
  const { rows } = await pool().query("SELECT DISTINCT relayed_id FROM sweep WHERE address = ANY ($1)", [owners]);
  expect(rows).toHaveLength(2);
  expect((await pool().query("SELECT id FROM transfer")).rowCount, "the ledger moves nothing").toBe(transfers);

  // The watcher reads the sweeps, and sees no deposit in them.
  await chain.watch();
  expect((await pool().query("SELECT 1 FROM deposit WHERE address = ANY ($1)", [owners])).rowCount).toBe(8);
});

test("a transaction that no node included is signed again once its blockhash has expired, and not before", async () => {
  const customer = await openCustomer();
  const treasury = await chain.treasuryBalance();
  const losing = await startLosingNode();
  await chain.payIn([[customer, 6n * ONE_USDC]]);
  await chain.sweep(losing);
  const { rows } = await pool().query<{ until: bigint }>("SELECT max(last_valid_height) AS until FROM relayed WHERE chain = 'solana'");
  const until = Number(rows[0]?.until ?? 0);
  for (;;) {
    const height = await chain.connection.getBlockHeight("finalized");
    const [sweep] = await sweepsOf(customer.owner);
    if (sweep?.attempt === 2) break;
    expect(height).toBeLessThan(until + 80);
    expect(sweep).toMatchObject({ attempt: 1 });
    await chain.relay(losing);
    await chain.sweep(losing);
  }
  expect(await chain.connection.getBlockHeight("finalized")).toBeGreaterThan(until);
  await chain.finish();
  expect(await statesOf(customer.owner)).toEqual([["done", 2, null]]);
  expect(await chain.treasuryBalance()).toBe(treasury + 6n * ONE_USDC);
});

test("a frozen account waits alone without delaying others; a frozen treasury delays all", async () => {
  const [frozen, free] = await openCustomers(2);
  if (!frozen || !free) throw new Error("two customers were asked for");
  const treasury = await chain.treasuryBalance();
  await chain.payIn([
    [frozen, 7n * ONE_USDC],
    [free, 8n * ONE_USDC],
  ]);
  await chain.freeze(frozen.owner);
  await chain.freeze(chain.custody.treasury.solana);
  await chain.sweep();
  expect(await statesOf(frozen.owner, free.owner)).toEqual([
    ["planned", 0, "treasury_blocked"],
    ["planned", 0, "treasury_blocked"],
  ]);
  await chain.thaw(chain.custody.treasury.solana);
  await pool().query("UPDATE sweep SET try_at = planned_at WHERE state = 'planned'");
  await chain.sweep();
  expect(await statesOf(frozen.owner)).toEqual([["planned", 0, "address_blocked"]]);
  expect(await statesOf(free.owner)).toEqual([["relayed", 1, null]]);
  await chain.thaw(frozen.owner);
  await chain.finish();
  expect(await chain.treasuryBalance()).toBe(treasury + 15n * ONE_USDC);
});

test("a transaction that failed in its block moved nothing: its owners are then swept alone, each once", async () => {
  const customers = await openCustomers(3);
  const [first] = customers;
  const owners = customers.map(({ owner }) => owner);
  const treasury = await chain.treasuryBalance();
  await chain.payIn(customers.map((customer) => [customer, 9n * ONE_USDC] as const));
  await chain.sweep(await startLosingNode());
  await chain.freeze(first?.owner ?? "");
  const { rows } = await pool().query<{ raw: Buffer }>(
    "SELECT b.raw FROM relay_broadcast b JOIN relayed r ON r.hash = b.hash WHERE r.chain = 'solana' AND NOT r.finalized",
  );
  expect(rows).toHaveLength(1);
  const raw = VersionedTransaction.deserialize(rows[0]?.raw ?? new Uint8Array()).serialize();
  await chain.connection.sendRawTransaction(raw, { skipPreflight: true });
  await expect
    .poll(
      () =>
        chain
          .relay()
          .then(() => chain.sweep())
          .then(() => statesOf(...owners)),
      { timeout: 20_000, interval: 50 },
    )
    .toEqual(owners.map(() => ["planned", 1, "failed"]));
  await pool().query("UPDATE sweep SET try_at = planned_at WHERE state = 'planned'");
  await chain.sweep();
  expect((await statesOf(...owners)).sort()).toEqual([
    ["planned", 1, "address_blocked"],
    ["relayed", 2, null],
    ["relayed", 2, null],
  ]);
  const { rows: alone } = await pool().query("SELECT DISTINCT relayed_id FROM sweep WHERE address = ANY ($1) AND state = 'relayed'", [
    owners,
  ]);
  expect(alone).toHaveLength(2);
  await chain.thaw(first?.owner ?? "");
  await chain.finish();
  expect(await chain.treasuryBalance()).toBe(treasury + 27n * ONE_USDC);
});

test("a deposit that arrives during a sweep of its address is swept by the next sweep", async () => {
  const customer = await openCustomer();
  const treasury = await chain.treasuryBalance();
  await chain.payIn([[customer, 5n * ONE_USDC]]);
  await chain.sweep();
  await chain.payIn([[customer, 11n * ONE_USDC]]);
  await chain.finish();
  await expect
    .poll(() => chain.finish().then(() => sweepsOf(customer.owner)), { timeout: 20_000 })
    .toMatchObject([
      { units: 5n * ONE_USDC, state: "done" },
      { units: 11n * ONE_USDC, state: "done" },
    ]);
  expect(await chain.treasuryBalance()).toBe(treasury + 16n * ONE_USDC);
});

const MANY = isLong ? 40 : 12;

test(`${MANY} owners, three concurrent processes: each is swept once`, async () => {
  const customers = await openCustomers(MANY);
  const owners = customers.map(({ owner }) => owner);
  const treasury = await chain.treasuryBalance();
  await chain.payIn(customers.map((customer, at) => [customer, 5n * ONE_USDC + BigInt(at)] as const));
  await Promise.all([chain.sweep(), chain.sweep(), chain.sweep()]);
  await Promise.all([chain.sweep(), chain.relay(), chain.relay()]);
  await chain.finish();
  expect((await sweepsOf(...owners)).map(({ state }) => state)).toEqual(owners.map(() => "done"));
  expect(await chain.treasuryBalance()).toBe(treasury + BigInt(5 * MANY) * ONE_USDC + BigInt(((MANY - 1) * MANY) / 2));
  expect(await chain.balances(owners)).toEqual(owners.map(() => 0n));
}, 90_000);
