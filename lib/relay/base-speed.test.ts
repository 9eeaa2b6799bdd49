// How fast a transaction gets through on a chain that makes a block for each: whoever has a request open does not wait for a job.

import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { storeCall } from "./calls";
import { sendStored } from "./send";
import { noncesOf, type RelayedChain, startRelayedChain } from "./testing/relayed-chain";
import { waitForRelayed } from "./wait";

await openTestDatabase();
let chain: RelayedChain;
beforeAll(async () => {
  chain = await startRelayedChain();
});
afterAll(() => chain?.stop());

async function relay(id: string): Promise<number> {
  const startedMs = performance.now();
  const prepared = await chain.prepare();
  await inTransaction((transaction) => storeCall(id, prepared, transaction));
  await sendStored(id, { evm: chain.nodes });
  expect(await waitForRelayed(id, 5_000, { evm: chain.nodes })).toMatchObject({ state: "succeeded" });
  return performance.now() - startedMs;
}

test("one after the other, they are in a block long before the next round would come", async () => {
  for (let index = 0; index < 5; index++) await relay(`warm ${index}`);
  const took: number[] = [];
  for (let index = 0; index < 40; index++) took.push(await relay(`one ${index}`));
  took.sort((one, other) => one - other);
  expect(took[20]).toBeLessThan(250);
});

test("fifty at once are all in blocks, with a nonce each", async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => relay(`at once ${index}`)));
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(Array.from({ length: 95 }, (_, index) => index));
});
