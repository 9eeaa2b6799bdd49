// Sweeps on Solana killed at each of their statements, before its answer is seen: whoever comes next goes on, and every unit comes to
// the treasury once.

import { afterAll, beforeAll, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { checkDeposits } from "../deposits/check";
import { ONE_USDC } from "../deposits/testing/watched-chain";
import { buildSweepProgram, type SweepProgram } from "./testing/sweep-program";
import { type Customer, openCustomers, sweepsOf } from "./testing/swept-chain";
import { type SweptSolana, startSweptSolana } from "./testing/swept-solana";

const database = await openTestDatabase();
let program: SweepProgram;
let chain: SweptSolana;
beforeAll(async () => {
  program = buildSweepProgram();
  chain = await startSweptSolana();
  await chain.giveSol();
});
afterAll(async () => {
  program?.remove();
  await chain?.remove();
});

test("sweeps killed as each of their statements leaves bring every unit to the treasury once", { timeout: 300_000 }, async () => {
  const swept: Customer[] = [];
  let paid = 0n;
  for (let killAt = 1; ; killAt++) {
    const customers = await openCustomers(2);
    const units = 5n * ONE_USDC + BigInt(killAt);
    await chain.payIn(customers.map((customer) => [customer, units] as const));
    paid += 2n * units;
    swept.push(...customers);
    const { url: nodeUrl, genesisHash } = chain;
    const said = program.run({ chain: "solana", nodeUrl, genesisHash, databaseUrl: database.url, nowMs: nowMs(), killAt });
    // The next process goes on. Sometimes the relay comes before it, which sends what was stored and not sent.
    if (killAt % 2 === 0) await chain.relay();
    await chain.sweep();
    if (said === null) continue;
    expect(said).toBe("done");
    expect(killAt).toBeGreaterThan(11);
    break;
  }
  await chain.finish();
  const owners = swept.map(({ owner }) => owner);
  expect((await sweepsOf(...owners)).map(({ state }) => state)).toEqual(owners.map(() => "done"));
  expect(await chain.treasuryBalance()).toBe(paid);
  expect(await chain.balances(owners)).toEqual(owners.map(() => 0n));
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
});
