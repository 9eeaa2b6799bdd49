// Sweeps on Solana killed at their statements before the result is read: the next process continues, and every unit reaches the treasury
// once.

import { afterAll, beforeAll, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import type { Death } from "@/lib/db/testing/death";
import { dieAtEach, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { hardhatWords } from "../custody/testing/seeds";
import { checkDeposits } from "../deposits/check";
import { ONE_USDC } from "../deposits/testing/watched-chain";
import type { SweepOrder } from "./testing/sweep-child";
import { type Customer, openCustomers, sweepsOf } from "./testing/swept-chain";
import { type SweptSolana, startSweptSolana } from "./testing/swept-solana";

const database = await openTestDatabase();
let program: string;
let chain: SweptSolana;
beforeAll(async () => {
  program = bundleProgram("lib/wallets/sweeps/testing/sweep-child.ts");
  chain = await startSweptSolana();
  await chain.giveSol();
});
afterAll(() => chain?.remove());

test("sweeps killed while sending statements bring every unit to the treasury once", { timeout: 300_000 }, async () => {
  const swept: Customer[] = [];
  let paid = 0n;
  const live = async (death: Death) => {
    const customers = await openCustomers(2);
    const units = 5n * ONE_USDC + BigInt(swept.length);
    await chain.payIn(customers.map((customer) => [customer, units] as const));
    paid += 2n * units;
    swept.push(...customers);
    const place = { chain: "solana", nodeUrl: chain.url, genesisHash: chain.genesisHash, databaseUrl: database.url } as const;
    const words = await runProgram(program, { ...place, words: hardhatWords, nowMs: nowMs(), ...death } satisfies SweepOrder);
    // The next process continues. Sometimes the relay runs first and sends the stored unsent transactions.
    if (swept.length % 4 === 0) await chain.relay();
    await chain.sweep();
    return words;
  };
  await dieAtEach({ name: "sweeps on Solana", moments: ["unseen"], least: 12, live });
  await chain.finish();
  const owners = swept.map(({ owner }) => owner);
  expect((await sweepsOf(...owners)).map(({ state }) => state)).toEqual(owners.map(() => "done"));
  expect(await chain.treasuryBalance()).toBe(paid);
  expect(await chain.balances(owners)).toEqual(owners.map(() => 0n));
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
});
