// A proof becomes money within its request: no job runs here.

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { creditPayment } from "../claims/claim-steps";
import { claim, type SettledChain, signProof, startSettledChain, UNITS_PER_CENT } from "../testing/settled-chain";
import { settleClaim } from "./settle";

await openTestDatabase();
let chain: SettledChain;
beforeAll(async () => {
  chain = await startSettledChain();
});
afterAll(() => chain?.stop());

test("payments one after the other need no round of the relay from the claim to the credit", async () => {
  const payer = await chain.newPayer(10_000n);
  for (let index = 0; index < 45; index++) {
    await chain.readClock();
    const terms = await signProof(chain, payer, { cents: 1n });
    const claimed = await claim(terms);
    const settled = await settleClaim(claimed, 30_000);
    if (settled.kind !== "paid") throw new Error(`${settled.kind}`);
    await creditPayment(claimed, settled);
  }
  expect(await chain.treasuryUnits()).toBe(45n * UNITS_PER_CENT);
});
