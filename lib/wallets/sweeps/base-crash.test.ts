// Sweeps killed at each of their statements, before its answer is seen: whoever comes next goes on, and every unit comes to the
// treasury once.

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { ONE_USDC } from "../deposits/testing/watched-chain";
import { buildSweepProgram, type SweepProgram } from "./testing/sweep-program";
import { type Customer, openCustomer, type SweptChain, startSweptChain, sweepsOf } from "./testing/swept-chain";

const database = await openTestDatabase();
let program: SweepProgram;
let chain: SweptChain;
beforeAll(async () => {
  program = buildSweepProgram();
  chain = await startSweptChain();
});
afterAll(async () => {
  program?.remove();
  await chain?.stop();
});

test("sweeps killed as each of their statements leaves bring every unit to the treasury once", { timeout: 300_000 }, async () => {
  const treasury = await chain.treasuryBalance();
  const swept: Customer[] = [];
  let paid = 0n;
  for (let killAt = 1; ; killAt++) {
    const customer = await openCustomer();
    const units = 5n * ONE_USDC + BigInt(killAt);
    await chain.payIn([[customer, units]]);
    paid += units;
    swept.push(customer);
    await chain.readClock();
    const place = { chain: "base", nodeUrl: chain.url(), genesisHash: "", databaseUrl: database.url } as const;
    const said = program.run({ ...place, nowMs: chain.clockMs(), killAt });
    // The next process goes on. Sometimes the relay comes before it, which sends what was stored and not sent.
    if (killAt % 2 === 0) await chain.relay();
    await chain.sweep();
    if (said === null) continue;
    expect(said).toBe("done");
    expect(killAt).toBeGreaterThan(12);
    break;
  }
  await chain.finish();
  const sweeps = await sweepsOf(...swept.map(({ address }) => address));
  expect(sweeps.map(({ state, attempt }) => [state, attempt])).toEqual(swept.map(() => ["done", 1]));
  expect(await chain.treasuryBalance()).toBe(treasury + paid);
  for (const { address } of swept) expect(await chain.carriedOut(address)).toBe(1);
  expect(await checkLedger()).toEqual([]);
});
