// An open request gets its transaction into a block without a round of the job.

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
  expect(await waitForRelayed(id, 100_000, { evm: chain.nodes })).toMatchObject({ state: "succeeded" });
}

test("calls one after the other are mined without any round of the job, each with its own nonce", async () => {
  for (let index = 0; index < 45; index++) await relay(`one ${index}`);
  expect(await noncesOf(chain)).toEqual(Array.from({ length: 45 }, (_, index) => index));
});

test("fifty calls at once are all mined, each with its own nonce", { timeout: 120_000 }, async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => relay(`at once ${index}`)));
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(Array.from({ length: 95 }, (_, index) => index));
});
