// The watcher on a real chain and a real database: what it credits and when.

import { type Hex, pad } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { listDeposits, measureDeposits } from "./deposit";
import { readForeignTokens } from "./foreign-tokens";
import {
  expectAllAccountedFor,
  ONE_USDC,
  openCustomer,
  postedOf,
  startWatchedChain,
  statesOf,
  TO_SAFE,
  type WatchedChain,
} from "./testing/watched-chain";

const database = await openTestDatabase();
let chain: WatchedChain;
let watcher: ReturnType<WatchedChain["watcher"]>;
beforeAll(async () => {
  chain = await startWatchedChain();
  watcher = chain.watcher();
});
afterAll(() => chain?.stop());

const read = (more: object = {}) => ({ outcome: "read", headLag: 0, reorgDepth: 0, reversed: 0, ...more });

test("a deposit is seen, confirming, credited when its block is safe, and final when its block is", async () => {
  const customer = await openCustomer();
  await chain.mint(customer.address, 5n * ONE_USDC);
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 0 }));
  const look = async () => (await listDeposits(customer.account, { limit: 10 }))[0];
  expect(await look()).toMatchObject({ state: "seen", amount: 5_000_000_000n, confirmations: 1, neededConfirmations: TO_SAFE + 1 });
  expect(await postedOf(customer)).toBe(0n);
  for (const confirmations of [2, 3]) {
    await chain.mine(1);
    expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
    expect(await look()).toMatchObject({ state: "confirming", confirmations, isFinal: false, creditedAt: null });
  }
  await chain.mine(1);
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 1 }));
  expect(await look()).toMatchObject({ state: "credited", confirmations: TO_SAFE + 1, isFinal: false, creditedAt: expect.any(Date) });
  expect(await postedOf(customer)).toBe(5_000_000_000n);
  await chain.mine(TO_SAFE);
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  expect(await look()).toMatchObject({ state: "credited", isFinal: true });
  await expectAllAccountedFor(chain);
});

test("deposits below 1 USD are kept as a liability, and credited together once their address has 1 USD", async () => {
  const customer = await openCustomer();
  const other = await openCustomer();
  await chain.mint(customer.address, 1n);
  await chain.mint(other.address, 400_000n);
  await chain.mint(customer.address, 599_999n);
  await chain.mine(TO_SAFE);
  expect(await watcher.tick()).toEqual(read({ found: 3, credited: 3 }));
  expect([await statesOf(customer), await statesOf(other)]).toEqual([["below_minimum", "below_minimum"], ["below_minimum"]]);
  expect([await postedOf(customer), await postedOf(other)]).toEqual([0n, 0n]);
  await expectAllAccountedFor(chain);
  await chain.mint(customer.address, 400_000n);
  await chain.mine(TO_SAFE);
  expect(await watcher.tick()).toEqual(read({ found: 1, credited: 3 }));
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
  expect(await postedOf(customer)).toBe(1_000_000_000n);
  expect(await statesOf(other)).toEqual(["below_minimum"]);
  await expectAllAccountedFor(chain);
  await chain.mint(customer.address, 999_999n);
  await chain.mine(TO_SAFE);
  await watcher.tick();
  expect((await statesOf(customer)).sort()).toEqual(["below_minimum", "credited", "credited", "credited"]);
  await measureDeposits();
  const { values } = await metrics().deposits.get();
  const count = (state: string) => values.find(({ labels }) => labels.chain === "base" && labels.state === state)?.value;
  expect([count("credited"), count("below_minimum"), count("seen")]).toEqual([4, 2, 0]);
  await expectAllAccountedFor(chain);
});

test("zero transfers, our own transfers, and transfers to other addresses are not deposits", async () => {
  const customer = await openCustomer();
  const owner = await chain.newAccount(9n * ONE_USDC);
  await chain.mine(2 * TO_SAFE); // its earlier transfers are read twice while it is not ours
  await watcher.tick();
  // From now on it is an address of ours.
  const { account } = await openCustomer();
  await database.pool.query("UPDATE custodial_wallet SET base_address = $2 WHERE account_id = $1", [account, owner.address]);
  const send = async (to: Hex, units: bigint) =>
    chain.client.waitForTransactionReceipt({
      hash: await chain.client.sendTransaction({ account: owner, to: chain.usdc, data: encodeTransfer(to, units) }),
    });
  await send(customer.address, 0n);
  await send(customer.address, 2n * ONE_USDC);
  await send(newAddress(), 2n * ONE_USDC);
  await chain.mine(2 * TO_SAFE);
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  expect(await statesOf(customer)).toEqual([]);
  await database.pool.query("DELETE FROM custodial_wallet WHERE base_address = ANY ($1)", [[owner.address, customer.address]]);
  await expectAllAccountedFor(chain);
});

/** A token that moves nothing but emits a Transfer of 5 between addresses that its caller names: PUSH the words, LOG3. */
const STRANGE_TOKEN: Hex = "0x60056000526020356000357fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300";

test("another token is listed for the operator, once, and not credited", async () => {
  const customer = await openCustomer();
  const owner = await chain.newAccount();
  const token = newAddress();
  await chain.client.setCode({ address: token, bytecode: STRANGE_TOKEN });
  const data: Hex = `${pad(owner.address)}${pad(customer.address).slice(2)}`;
  const hash = await chain.client.sendTransaction({ account: owner, to: token, data });
  await chain.client.waitForTransactionReceipt({ hash });
  await chain.mine(TO_SAFE);
  for (let round = 0; round < 3; round++) expect(await watcher.tick()).toMatchObject({ outcome: "read", credited: 0 });
  expect(await readForeignTokens("base", 10)).toMatchObject([{ token, units: "5", accountId: customer.account, transaction: hash }]);
  expect(await statesOf(customer)).toEqual([]);
  await expectAllAccountedFor(chain);
});

test("an owner sees only their own deposits, newest first, in pages", async () => {
  const [one, other] = [await openCustomer(), await openCustomer()];
  for (const units of [1n, 2n, 3n]) {
    await chain.mint(one.address, units * ONE_USDC);
    await chain.mint(other.address, units * ONE_USDC);
    await watcher.tick();
  }
  const first = await listDeposits(one.account, { limit: 2 });
  expect(first.map(({ amount }) => amount)).toEqual([3_000_000_000n, 2_000_000_000n]);
  const rest = await listDeposits(one.account, { limit: 2, after: first[1] });
  expect(rest.map(({ amount, address }) => [amount, address])).toEqual([[1_000_000_000n, one.address]]);
  await chain.mine(TO_SAFE);
  await watcher.tick();
  await expectAllAccountedFor(chain);
});

test("a transfer that came in shortly before its address was shown is found all the same", async () => {
  const customer = await openCustomer();
  await database.pool.query("UPDATE custodial_wallet SET shown_at = NULL WHERE account_id = $1", [customer.account]);
  await chain.mint(customer.address, 5n * ONE_USDC);
  expect(await watcher.tick()).toEqual(read({ found: 0, credited: 0 }));
  await database.pool.query("UPDATE custodial_wallet SET shown_at = now() WHERE account_id = $1", [customer.account]);
  for (let block = 0; block < 4 * TO_SAFE; block++) {
    await chain.mine(1);
    await watcher.tick();
  }
  expect(await postedOf(customer)).toBe(5_000_000_000n);
  await expectAllAccountedFor(chain);
});
