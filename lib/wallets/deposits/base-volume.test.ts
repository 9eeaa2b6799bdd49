// Many addresses and many deposits: each is credited once, quickly.

import type { PrivateKeyAccount } from "viem";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { checkDeposits } from "./check";
import {
  type Customer,
  expectAllAccountedFor,
  ONE_USDC,
  openCustomers,
  startWatchedChain,
  TO_SAFE,
  type WatchedChain,
} from "./testing/watched-chain";

await openTestDatabase();
let chain: WatchedChain;
beforeEach(async () => {
  chain = await startWatchedChain();
  await pool().query("TRUNCATE chain_scan, chain_scan_end, watch_lease, custodial_wallet");
});
afterEach(() => chain?.stop());

/** Sends one unmined transfer to each. */
async function sendToEach(owner: PrivateKeyAccount, customers: readonly Customer[], firstNonce: number): Promise<void> {
  for (const [index, { address }] of customers.entries()) {
    const data = encodeTransfer(address, ONE_USDC + BigInt(index));
    await chain.client.sendTransaction({ account: owner, to: chain.usdc, data, gas: 100_000n, nonce: firstNonce + index });
  }
}

const creditsIn = async () => {
  const { rows } = await pool().query<{ transfers: bigint; owners: bigint }>(
    "SELECT count(DISTINCT transfer_id) AS transfers, count(DISTINCT account_id) AS owners FROM entry WHERE amount > 0 AND transfer_id LIKE 'base%'",
  );
  return rows[0];
};

/** A fifth of the deposits in a run of every day. */
const [ADDRESSES, PAID, AT_ONCE] = isLong ? [10_000, 300, 1_000] : [2_000, 45, 100];

test(`${ADDRESSES} addresses: ${PAID} deposits in ${(2 * PAID) / 3} blocks are read and credited in one round`, async () => {
  const customers = await openCustomers(ADDRESSES);
  const paid = customers.filter((_, index) => index % 33 === 7).slice(0, PAID);
  const owner = await chain.newAccount(1_000n * ONE_USDC);
  const watcher = chain.watcher();
  await watcher.tick();
  await chain.client.setAutomine(false);
  for (let block = 0; block < PAID / 3; block++) {
    await sendToEach(owner, paid.slice(3 * block, 3 * block + 3), 3 * block);
    await chain.mine(2);
  }
  await chain.mine(TO_SAFE);
  const before = await creditsIn();
  await chain.readClock();
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, found: PAID, credited: PAID });
  expect([before, await creditsIn()]).toEqual([
    { transfers: 0n, owners: 0n },
    { transfers: BigInt(PAID), owners: BigInt(PAID) },
  ]);
  await expectAllAccountedFor(chain);
}, 180_000);

test(`${AT_ONCE} deposits in one block are credited once each`, async () => {
  const customers = await openCustomers(AT_ONCE);
  const owner = await chain.newAccount(2_000n * ONE_USDC);
  const watcher = chain.watcher();
  await watcher.tick();
  await chain.client.setBlockGasLimit({ gasLimit: 1_000_000_000n });
  await chain.mine(1); // the new limit applies from the next block on
  await chain.client.setAutomine(false);
  await sendToEach(owner, customers, 0);
  await chain.mine(1);
  const { transactions } = await chain.client.getBlock();
  expect(transactions).toHaveLength(AT_ONCE);
  await chain.readClock();
  expect(await watcher.tick()).toMatchObject({ found: AT_ONCE, credited: 0 });
  await chain.mine(TO_SAFE);
  expect(await watcher.tick()).toMatchObject({ found: 0, credited: AT_ONCE });
  const { rows } = await pool().query<{ gained: bigint }>(
    "SELECT a.posted AS gained FROM ledger_account a WHERE a.id = ANY ($1) ORDER BY a.posted",
    [customers.map(({ account }) => account)],
  );
  expect(rows.map(({ gained }) => gained)).toEqual(customers.map((_, index) => (ONE_USDC + BigInt(index)) * 1_000n));
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
}, 180_000);
