// Whoever has a request open gets its transaction into a block without a round of the job.

import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "@/lib/db/prisma";
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

async function relay(id: string): Promise<void> {
  const prepared = await chain.prepare();
  await inTransaction((transaction) => storeCall(id, prepared, transaction));
  await sendStored(id, { evm: chain.nodes });
  expect(await waitForRelayed(id, 30_000, { evm: chain.nodes })).toMatchObject({ state: "succeeded" });
}

test("one after the other, they are in blocks without any round of the job, with a nonce each", async () => {
  for (let index = 0; index < 45; index++) await relay(`one ${index}`);
  expect(await noncesOf(chain)).toEqual(Array.from({ length: 45 }, (_, index) => index));
});

test("fifty at once are all in blocks, with a nonce each", async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => relay(`at once ${index}`)));
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(Array.from({ length: 95 }, (_, index) => index));
});
