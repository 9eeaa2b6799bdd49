// The Solana watcher as the service's jobs run it: on the configured cluster, once there is one.

import { afterAll, beforeAll, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { takeLease } from "./lease";
import { expectAllAccountedFor, ONE_USDC, openCustomer, postedOf, startWatchedSolana, type WatchedSolana } from "./testing/watched-solana";
import { watchSolana } from "./watch";

const database = await openTestDatabase();
let chain: WatchedSolana;
beforeAll(async () => {
  chain = await startWatchedSolana();
});
afterAll(async () => {
  forgetSingleton("sandbox Solana nodes");
  await chain?.remove();
});

const { signal } = new AbortController();

test("it does nothing without a known node, credits deposits once there is one, and releases the lease at the end", async () => {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  await watchSolana.run(signal);
  expect((await database.pool.query("SELECT FROM watch_lease")).rowCount).toBe(0);
  setSandboxSolanaNodes([chain.url], chain.genesisHash);
  await watchSolana.run(signal);
  expect(await postedOf(customer)).toBe(2_000_000_000n);
  const other = { chain: "solana", holder: "another", seconds: 30 };
  expect(await takeLease(other)).toBeNull();
  await watchSolana.end();
  expect(await takeLease(other)).not.toBeNull();
  await expectAllAccountedFor(chain);
});
