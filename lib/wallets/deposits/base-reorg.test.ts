// Reorganisations around deposits, on a real chain: each deposit ends credited once if the chain has it, and not at all otherwise.

import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { findBlock } from "@/lib/chains/evm/blocks";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { sample } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openFundingAccount, readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import { postTransfer } from "@/lib/ledger/transfers";
import { collectDebts } from "@/lib/wallets/deposits/collect-debts";
import { readBaseRange } from "./base-range";
import { checkDeposits } from "./check";
import { listDeposits } from "./deposit";
import {
  type Customer,
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
  await openFundingAccount("test_funding");
});
afterAll(() => chain?.stop());
afterEach(() => expectAllAccountedFor(chain));

const rawOf = async (hash: Hex): Promise<Hex> =>
  (await chain.client.request({ method: "eth_getRawTransactionByHash" as never, params: [hash] as never })) as Hex;

/** Mines enough blocks to make even a replaced block final, with a tick after each. */
async function goOn(blocks = 2 * TO_SAFE + 2): Promise<void> {
  for (let made = 0; made < blocks; made++) {
    await chain.mine(1);
    await watcher.tick();
  }
}

/** Mines a block that a reorganisation changes: an empty block would be recreated identically. */
const mineAnother = () => chain.mint(newAddress(), 1n);

/** Deposits 5 USDC and mines up to `depth` blocks including the deposit's; the watcher sees each. */
async function deposit(customer: Customer, depth: number): Promise<Hex> {
  const hash = await chain.mint(customer.address, 5n * ONE_USDC);
  await watcher.tick();
  for (let made = 1; made < depth; made++) {
    await mineAnother();
    await watcher.tick();
  }
  return hash;
}

/** Always the depths on both sides of safe, and a sample of the others. */
function depthsFor(what: string): number[] {
  const around = [TO_SAFE, TO_SAFE + 1];
  const others = Array.from({ length: 10 }, (_, index) => index + 1).filter((depth) => !around.includes(depth));
  return [...around, ...sample(`reorganisations ${what}`, others, 3)];
}

test.each(depthsFor("above"))("a reorganisation of depth %i just above a deposit leaves it credited once", async (depth) => {
  const customer = await openCustomer();
  await deposit(customer, depth + 1);
  await chain.reorg(depth);
  await goOn();
  expect(await statesOf(customer)).toEqual(["credited"]);
  expect(await postedOf(customer)).toBe(5_000_000_000n);
});

test.each(depthsFor("away"))(
  "a deposit removed by a reorganisation of depth %i is reversed, and credited once when it returns",
  async (depth) => {
    const customer = await openCustomer();
    const raw = await rawOf(await deposit(customer, depth));
    expect(await postedOf(customer)).toBe(depth > TO_SAFE ? 5_000_000_000n : 0n);
    await chain.reorg(depth);
    await goOn();
    expect(await statesOf(customer)).toEqual(["reversed"]);
    expect(await postedOf(customer)).toBe(0n);
    await expectAllAccountedFor(chain);
    await chain.client.sendRawTransaction({ serializedTransaction: raw });
    await goOn();
    expect(await statesOf(customer)).toEqual(["credited"]);
    expect(await postedOf(customer)).toBe(5_000_000_000n);
  },
);

test.each(depthsFor("moved"))(
  "a deposit moved to another block by a reorganisation of depth %i is credited once and never reversed",
  async (depth) => {
    const customer = await openCustomer();
    const raw = await rawOf(await deposit(customer, depth));
    const [before] = await listDeposits(customer.account, { limit: 1 });
    await chain.reorg(depth);
    await chain.client.sendRawTransaction({ serializedTransaction: raw });
    await goOn();
    const [after, ...more] = await listDeposits(customer.account, { limit: 9 });
    expect(more).toEqual([]);
    expect(after).toMatchObject({ id: before?.id, state: "credited", block: (before?.block ?? 0) + depth, isFinal: true });
    expect(await postedOf(customer)).toBe(5_000_000_000n);
    const { rows } = await database.pool.query("SELECT id FROM transfer WHERE id LIKE '%' || $1 || '%'", [before?.id]);
    expect(rows).toHaveLength(1);
  },
);

test("the spent part of a vanished deposit is the operator's loss, and its account is frozen", async () => {
  const customer = await openCustomer();
  await deposit(customer, TO_SAFE + 2);
  const spent = nanoUsd(2_000_000_000n);
  const legs = [
    { account: customer.account, amount: nanoUsd(-spent) },
    { account: "test_funding", amount: spent },
  ];
  await postTransfer({ id: `spent by ${customer.account}`, kind: "reversal", legs }).then((posted) => expect(posted).toBe(true));
  await chain.reorg(TO_SAFE + 2);
  await goOn();
  expect(await statesOf(customer)).toEqual(["reversed"]);
  expect(await readBalance(customer.account)).toEqual({ posted: 0n, held: 0n, available: 0n });
  const { rows } = await database.pool.query(
    "SELECT (SELECT state FROM account WHERE id = $1) AS state, (SELECT posted FROM ledger_account WHERE id = 'deposit_losses') AS lost",
    [customer.account],
  );
  expect(rows).toEqual([{ state: "frozen", lost: -spent }]);
  const { values } = await metrics().operatorLossNanoUsd.get();
  expect(values.find(({ labels }) => labels.reason === "reversed_deposit")?.value).toBe(Number(spent));
});

test("the held part of a vanished deposit is taken back when its request ends: no loss, and its account is not frozen", async () => {
  const customer = await openCustomer();
  await deposit(customer, TO_SAFE + 2);
  const hold = await openHold(customer.account, 2_000_000_000n);
  const lostBefore = await readBalance("deposit_losses" as AccountId);
  await chain.reorg(TO_SAFE + 2);
  await goOn();
  expect(await statesOf(customer)).toEqual(["reversed"]);
  const stateOf = async () =>
    (
      await database.pool.query("SELECT a.state, l.posted, l.debt FROM account a JOIN ledger_account l USING (id) WHERE id = $1", [
        customer.account,
      ])
    ).rows[0];
  expect(await stateOf()).toEqual({ state: "open", posted: 2_000_000_000n, debt: 2_000_000_000n });
  expect([await checkLedger(), await checkDeposits()]).toEqual([[], []]);
  await endHold(hold, null);
  await collectDebts();
  expect(await stateOf()).toEqual({ state: "open", posted: 0n, debt: 0n });
  expect(await readBalance("deposit_losses" as AccountId)).toEqual(lostBefore);
  expect([await checkLedger(), await checkDeposits()]).toEqual([[], []]);
});

test("a vanished deposit below the minimum is removed from the uncredited liability", async () => {
  const customer = await openCustomer();
  await chain.mint(customer.address, 300_000n);
  for (let made = 0; made <= TO_SAFE; made++) await goOn(1);
  expect(await statesOf(customer)).toEqual(["below_minimum"]);
  await chain.reorg(TO_SAFE + 2);
  await goOn();
  expect(await statesOf(customer)).toEqual(["reversed"]);
});

test("a deposit in a block that the chain does not have is not credited, but read again", async () => {
  const customer = await openCustomer();
  await deposit(customer, TO_SAFE);
  await database.pool.query("UPDATE deposit SET block_hash = 'another' WHERE account_id = $1", [customer.account]);
  await chain.mine(1);
  expect(await watcher.tick()).toEqual({ outcome: "failed", kind: "moved" });
  expect(await postedOf(customer)).toBe(0n);
  expect(await watcher.tick()).toMatchObject({ outcome: "read", credited: 1 });
  expect(await postedOf(customer)).toBe(5_000_000_000n);
});

test("a range after a block that is no longer on the chain is rejected", async () => {
  const latest = await chain.blockNumber();
  const range = { toBlock: latest, addresses: new Map(), chunkSize: 10 };
  const before = await findBlock(latest - 1, chain.nodes);
  const hash = before?.hash ?? "";
  expect((await readBaseRange({ ...range, after: { block: latest - 1, hash } }, chain.nodes)).end.block).toBe(latest);
  const gone = readBaseRange({ ...range, after: { block: latest - 1, hash: "another" } }, chain.nodes);
  await expect(gone).rejects.toMatchObject({ kind: "moved" });
});

test("the depth of a reorganisation is reported, and a chain without any known block stops the watcher", async () => {
  await goOn(1);
  for (let made = 0; made < 3; made++) {
    await mineAnother();
    await watcher.tick();
  }
  await chain.reorg(2);
  expect(await watcher.tick()).toMatchObject({ outcome: "read", reorgDepth: 2 });
  await database.pool.query("UPDATE chain_scan_end SET block_hash = 'another'");
  await chain.mine(1);
  expect(await watcher.tick()).toEqual({ outcome: "lost", block: expect.any(Number) as number });
  expect(await watcher.tick()).toEqual({ outcome: "lost", block: expect.any(Number) as number });
});
