// Sweeps killed at their statements before the result is read: the next process continues, and every unit reaches the treasury once.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Death } from "@/lib/db/testing/death";
import { dieAtEach, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { hardhatWords } from "../custody/testing/seeds";
import { ONE_USDC } from "../deposits/testing/watched-chain";
import type { SweepOrder } from "./testing/sweep-child";
import { type Customer, openCustomer, type SweptChain, startSweptChain, sweepsOf } from "./testing/swept-chain";

const database = await openTestDatabase();
let program: string;
let chain: SweptChain;
beforeAll(async () => {
  program = bundleProgram("lib/wallets/sweeps/testing/sweep-child.ts");
  chain = await startSweptChain();
});
afterAll(() => chain?.stop());

test("sweeps killed while sending statements bring every unit to the treasury once", { timeout: 300_000 }, async () => {
  const treasury = await chain.treasuryBalance();
  const swept: Customer[] = [];
  let paid = 0n;
  const live = async (death: Death) => {
    const customer = await openCustomer();
    const units = 5n * ONE_USDC + BigInt(swept.length);
    await chain.payIn([[customer, units]]);
    paid += units;
    swept.push(customer);
    await chain.readClock();
    const place = { chain: "base", nodeUrl: chain.url(), genesisHash: "", databaseUrl: database.url, words: hardhatWords } as const;
    const words = await runProgram(program, { ...place, nowMs: chain.clockMs(), ...death } satisfies SweepOrder);
    // The next process continues. Sometimes the relay runs first and sends the stored unsent transactions.
    if (swept.length % 2 === 0) await chain.relay();
    await chain.sweep();
    return words;
  };
  await dieAtEach({ name: "sweeps on Base", moments: ["unseen"], least: 13, live });
  await chain.finish();
  const sweeps = await sweepsOf(...swept.map(({ address }) => address));
  expect(sweeps.map(({ state, attempt }) => [state, attempt])).toEqual(swept.map(() => ["done", 1]));
  expect(await chain.treasuryBalance()).toBe(treasury + paid);
  for (const { address } of swept) expect(await chain.carriedOut(address)).toBe(1);
  expect(await checkLedger()).toEqual([]);
});
