// How fast a proof becomes money on a chain that makes a block for each: whoever has a request open does not wait for a job.

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { creditPayment } from "./claim";
import { settleClaim } from "./settle";
import { claim, type SettledChain, signProof, startSettledChain } from "./testing/settled-chain";

await openTestDatabase();
let chain: SettledChain;
beforeAll(async () => {
  chain = await startSettledChain();
}, 60_000);
afterAll(() => chain?.stop());

test("from a claim to the credit it takes a fraction of the second that a round of the relay comes in", async () => {
  const payer = await chain.newPayer(10_000n);
  const took: number[] = [];
  for (let index = 0; index < 45; index++) {
    await chain.readClock();
    const terms = await signProof(chain, payer, { cents: 1n });
    const startedMs = performance.now();
    const claimed = await claim(terms);
    const settled = await settleClaim(claimed, 10_000);
    if (settled.kind !== "paid") throw new Error(`${settled.kind}`);
    await creditPayment(claimed, settled);
    if (index >= 5) took.push(performance.now() - startedMs);
  }
  took.sort((one, other) => one - other);
  expect(took[20]).toBeLessThan(250);
});
