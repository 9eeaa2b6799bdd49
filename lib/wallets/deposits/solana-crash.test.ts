// The watcher of Solana killed at each of its statements, and two concurrent watchers: every deposit is credited once.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import type { Death, LastWords } from "@/lib/db/testing/death";
import { dieAtEach, type Moment, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { creditDeposits } from "./credit";
import { LeaseLost, takeLease, underLease } from "./lease";
import { type FoundDeposit, recordDeposits } from "./record-deposits";
import { readSolanaAddresses } from "./solana-cursor";
import { recordSteps, type Step } from "./solana-record";
import type { SolanaWatcherOrder } from "./testing/solana-watcher-child";
import {
  depositsOf,
  expectAllAccountedFor,
  ONE_USDC,
  openCustomer,
  postedOf,
  type SolanaCustomer,
  startWatchedSolana,
  statesOf,
  type WatchedSolana,
} from "./testing/watched-solana";

const database = await openTestDatabase();
let program: string;
let chain: WatchedSolana;
let swept = 0n;
beforeAll(async () => {
  program = bundleProgram("lib/wallets/deposits/testing/solana-watcher-child.ts");
  chain = await startWatchedSolana(50);
});
afterAll(() => chain?.remove());
afterEach(async () => {
  await letLeaseLapse();
  await chain.finalize();
  await dueAll();
  for (let round = 0; round < 3; round++)
    expect(await chain.watcher().tick()).toMatchObject({ outcome: round === 0 ? "read" : "elsewhere" });
  await letLeaseLapse();
  await expectAllAccountedFor(chain, swept);
});

const letLeaseLapse = () => pool().query("UPDATE watch_lease SET until = clock_timestamp()");
const dueAll = () => pool().query("UPDATE solana_cursor SET check_at = 'epoch'");

async function runChild(death: Death): Promise<LastWords | null> {
  const { url: nodeUrl, genesisHash } = chain;
  const words = await runProgram(program, { databaseUrl: database.url, nodeUrl, genesisHash, ...death } satisfies SolanaWatcherOrder);
  if (words) expect(words.outcome).toBe("read");
  return words;
}

test.each<Moment>(["before", "unseen"])(
  "a watcher killed at its statements (%s) leaves nothing uncredited and nothing credited twice",
  async (moment) => {
    const [customer, small, mover] = [await openCustomer(), await openCustomer(), await openCustomer()];
    await chain.faucet(mover.owner, 900n * ONE_USDC);
    const live = async (death: Death) => {
      await chain.faucet(customer.owner, 2n * ONE_USDC);
      await chain.faucet(small.owner, 300_000n);
      await chain.sweep(mover, ONE_USDC);
      swept += ONE_USDC;
      await chain.finalize();
      await dueAll();
      const words = await runChild(death);
      await letLeaseLapse();
      return words;
    };
    const rounds = await dieAtEach({ name: `watcher of Solana ${moment}`, moments: [moment], least: 16, live });
    expect(await chain.watcher().tick()).toMatchObject({ outcome: "read" });
    expect(await statesOf(customer)).toEqual(Array.from({ length: rounds }, () => "credited"));
    expect(await postedOf(customer)).toBe(BigInt(rounds) * 2_000_000_000n);
    const kept = (await statesOf(small)).filter((state) => state === "below_minimum").length;
    expect(await postedOf(small)).toBe(BigInt(rounds - kept) * 300_000_000n);
    expect(kept).toBeLessThan(4);
    expect(await postedOf(mover)).toBe(900_000_000_000n);
  },
  240_000,
);

test("of two concurrent watchers one works; when it dies or stops, the other takes over, and each deposit is credited once", async () => {
  const [one, other] = [chain.watcher(), chain.watcher()];
  const customers: SolanaCustomer[] = [];
  for (let round = 0; round < 6; round++) {
    const customer = await openCustomer();
    customers.push(customer);
    await chain.faucet(customer.owner, ONE_USDC);
    const reports = await Promise.all([one.tick(), other.tick(), one.tick(), other.tick()]);
    expect(reports.some(({ outcome }) => outcome === "read")).toBe(true);
    if (round % 2 === 1) await letLeaseLapse();
    if (round === 2) await Promise.all([one.release(), other.release()]);
  }
  await chain.finalize();
  await Promise.all([one.tick(), other.tick()]);
  for (const customer of customers) expect([await statesOf(customer), await postedOf(customer)]).toEqual([["credited"], 1_000_000_000n]);
  await Promise.all([one.release(), other.release()]);
});

test("a watcher whose lease is taken during a tick writes nothing more, and the next one does the rest", async () => {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  const nodes = chain.nodesAt([chain.url]);
  const call = nodes.callFirst.bind(nodes);
  nodes.callFirst = async (what, act) => {
    if (what === "getTransaction") {
      await letLeaseLapse();
      expect(await takeLease({ chain: "solana", holder: "thief", seconds: 60 })).not.toBeNull();
    }
    return call(what, act);
  };
  expect(await chain.watcher({ nodes }).tick()).toEqual({ outcome: "elsewhere" });
  expect(await statesOf(customer)).toEqual([]);
  await letLeaseLapse();
  expect(await chain.watcher().tick()).toMatchObject({ outcome: "read", found: 1, credited: 1 });
  expect(await postedOf(customer)).toBe(3_000_000_000n);
});

/** A step of the customer's account with one deposit of 2 USDC that was never on the chain. */
async function imagineSteps({ account, owner, tokenAccount }: SolanaCustomer) {
  const lease = await takeLease({ chain: "solana", holder: "slow", seconds: 60 });
  const address = (await readSolanaAddresses()).get(tokenAccount);
  if (!lease || !address) throw new Error("nobody else has the lease, and the address is watched");
  swept += 2n * ONE_USDC;
  const stepTo = (to: string, after: string | null = null): Step & { reading: { found: FoundDeposit[] } } => {
    const deposit = { id: `solana_${to}`, accountId: account, address: owner, amount: 2_000_000_000n };
    const found = [{ ...deposit, block: 1, blockHash: "1", transaction: to, index: 0 }];
    const from = { ...address, read: { ...address.read, signature: after } };
    const reading = { address: from, end: address.read, passed: [], found, seen: [], isOpen: false, hasGap: false };
    return { reading, read: { signature: to, slot: 1, units: 2n }, checked: address.checked, checkAt: new Date() };
  };
  const forget = () => pool().query("DELETE FROM custodial_wallet WHERE account_id = $1", [account]);
  return { lease, stepTo, forget };
}

test("a step from a cursor position that is outdated is not written, not even by the lease's holder", async () => {
  const customer = await openCustomer();
  const { lease, stepTo, forget } = await imagineSteps(customer);
  expect(await recordSteps(lease, [stepTo("a")])).toBe(1);
  await expect(recordSteps(lease, [stepTo("b")])).rejects.toThrow(LeaseLost);
  expect(await statesOf(customer)).toEqual(["credited"]);
  await forget();
});

test("a credit whose cursor did not move is final immediately, and reading it again credits nothing twice", async () => {
  const customer = await openCustomer();
  const { lease, stepTo, forget } = await imagineSteps(customer);
  const step = stepTo("c");
  const { found } = step.reading;
  await underLease(lease, (transaction) => recordDeposits("solana", found, transaction));
  expect(await creditDeposits(lease, ["solana_c"])).toBe(1);
  const credited = { state: "credited", isFinal: true };
  expect(await depositsOf(customer)).toMatchObject([credited]);
  // It stays final even when a node now reports another slot.
  await underLease(lease, (transaction) =>
    recordDeposits(
      "solana",
      found.map((deposit) => ({ ...deposit, block: 2, blockHash: "2" })),
      transaction,
    ),
  );
  expect(await depositsOf(customer)).toMatchObject([credited]);
  expect(await recordSteps(lease, [step])).toBe(0);
  expect(await postedOf(customer)).toBe(2_000_000_000n);
  await expect(recordSteps(lease, [step])).rejects.toThrow(LeaseLost);
  await forget();
});
