// Deposit addresses of an absorbed account stay watched and swept, and what lies there counts as held.

import { afterAll, beforeAll, expect, test } from "vitest";
import { absorbAccount } from "@/lib/access/absorption";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { USD } from "../withdrawals/testing/world";
import { expectCleanBooks, ONE_USDC, postedOf, type ReservesWorld, startReservesWorld } from "./testing/reserves-world";

await openTestDatabase();
let world: ReservesWorld;
beforeAll(async () => {
  world = await startReservesWorld();
});
afterAll(async () => {
  await expectCleanBooks();
  await world?.stop();
});

test("USDC that comes in at an absorbed account's addresses is its absorber's, counts as held at once, and is swept", async () => {
  const [mine, absorbed] = await world.openOwners(2);
  if (!mine || !absorbed) throw new Error("two owners were opened");
  await world.watch(); // the watchers know both accounts' addresses from before
  await inTransaction((transaction) => absorbAccount(absorbed.accountId, mine.accountId, transaction));

  await world.evm.mint(mine.address, 2n * ONE_USDC);
  await world.evm.mint(absorbed.address, 20n * ONE_USDC);
  await world.solana.faucet(absorbed.owner, 7n * ONE_USDC);
  const reports: string[] = [];
  const swept = await world.until(({ state, owed, holdings: [base, solana] }) => {
    reports.push(state);
    return owed === 29n * USD && base?.treasury === 20n * USD && solana?.treasury === 7n * USD;
  });
  expect(new Set(reports)).toEqual(new Set(["covered"]));
  expect(swept).toMatchObject({ held: 29n * USD, customers: 29n * USD });
  expect([await postedOf(mine.accountId), await postedOf(absorbed.accountId)]).toEqual([29n * USD, 0n]);
});
