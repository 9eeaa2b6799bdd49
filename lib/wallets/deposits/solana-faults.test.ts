// Nodes of Solana that drop, delay, refuse, repeat, lag or show half: each deposit is credited once all the same.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import type { Fault } from "@/lib/chains/evm/testing/faulty-node";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commitmentOf, type Decide, isListing, setDue, tickUntilRead, watchThrough } from "./testing/faulty-solana";
import {
  expectAllAccountedFor,
  ONE_USDC,
  openCustomer,
  openCustomers,
  postedOf,
  type SolanaCustomer,
  startWatchedSolana,
  statesOf,
  type WatchedSolana,
} from "./testing/watched-solana";

await openTestDatabase();
let chain: WatchedSolana;
let swept = 0n;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startWatchedSolana(25);
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  vi.restoreAllMocks();
  await expectAllAccountedFor(chain, swept);
});
afterAll(() => chain?.remove());

/** A watcher that sees the chain through a node which fails as `decide` says; `both` has the chain itself to turn to. */
async function through(decide: Decide, options?: { both: boolean }) {
  const watcher = await watchThrough(chain, decide, options);
  toClose.push(watcher.close);
  return watcher;
}

/** Two deposits, both final. */
async function depositTwice(): Promise<SolanaCustomer> {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.faucet(customer.owner, 3n * ONE_USDC);
  await chain.finalize();
  return customer;
}

async function expectCredited(customer: SolanaCustomer): Promise<void> {
  expect(await statesOf(customer)).toEqual(["credited", "credited"]);
  expect(await postedOf(customer)).toBe(5_000_000_000n);
}

test.each<[string, Fault]>([
  ["drops", { drop: true }],
  ["delays", { delayMs: 700 }],
  ["is asked too often: 429", { status: 429 }],
  ["breaks", { status: 502 }],
  ["answers with an error", { error: { code: -32_603, message: "internal error" } }],
])(
  "a node that %s at some calls delays a deposit, and no more",
  async (_what, fault) => {
    const customer = await depositTwice();
    // At each call of a tick in turn, until a tick goes through.
    let failAt = 0;
    let inTick = 0;
    const watcher = await through(() => (inTick++ === failAt ? fault : null));
    const tick = () => {
      inTick = 0;
      failAt += 1;
      return watcher.tick();
    };
    const reports = await tickUntilRead({ tick }, 60);
    expect(reports.some(({ outcome }) => outcome === "failed")).toBe(true);
    await tickUntilRead(watcher, 3);
    await expectCredited(customer);
  },
  120_000,
);

test.each<[string, Fault]>([
  ["drops", { drop: true }],
  ["refuses", { status: 429 }],
])("with another node to turn to, one that always %s costs nothing", async (_what, fault) => {
  const customer = await depositTwice();
  const watcher = await through(() => fault, { both: true });
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, credited: 2 });
  await expectCredited(customer);
});

test("a node that gives each page twice is not believed, and one that forgets where it was asked from credits nothing twice", async () => {
  const customer = await depositTwice();
  const twice: Fault = { rewrite: (result) => [...(result as object[]), ...(result as object[])] };
  const repeating = await through((method) => (isListing(method) ? twice : null));
  expect((await repeating.tick()).outcome).toBe("failed");
  await repeating.release();
  // The pages that were asked for from the beginning, whatever is asked for later.
  const first = new Map<string, unknown>();
  const forgetful = await through((method, [account, options]) => {
    const { before, until } = (options ?? {}) as { before?: string; until?: string };
    if (!isListing(method) || before !== undefined) return null;
    const rewrite = (result: unknown) => {
      if (until !== undefined) return [...(result as object[]), ...((first.get(`${account}`) ?? []) as object[])];
      first.set(`${account}`, result);
      return result;
    };
    return { rewrite };
  });
  await tickUntilRead(forgetful, 2);
  await expectCredited(customer);
  await chain.faucet(customer.owner, ONE_USDC);
  await chain.finalize();
  await setDue(customer);
  for (let round = 0; round < 3; round++) await tickUntilRead(forgetful, 1);
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
  expect(await postedOf(customer)).toBe(6_000_000_000n);
});

test.each([
  ["oldest", 0],
  ["middle", 1],
  ["newest", 2],
])("a node that leaves out the %s of three deposits moves no cursor past what it left out", async (_which, hiddenAt) => {
  const customer = await openCustomer();
  const sent: string[] = [];
  for (const units of [2n, 3n, 4n]) {
    sent.push(await chain.faucet(customer.owner, units * ONE_USDC));
    await chain.finalize();
  }
  let hides = true;
  const hide: Fault = { rewrite: (page) => (page as { signature: string }[]).filter(({ signature }) => signature !== sent[hiddenAt]) };
  const watcher = await through((method) => (isListing(method) && hides ? hide : null));
  for (let round = 0; round < 3; round++) expect((await watcher.tick()).outcome).toBe("read");
  expect(await postedOf(customer)).toBe([0n, 2_000_000_000n, 5_000_000_000n][hiddenAt]);
  hides = false;
  await tickUntilRead(watcher, 2);
  expect(await postedOf(customer)).toBe(9_000_000_000n);
});

test("a sweep and a deposit of as much that one node hides for ever are found by the rescan, from another node", async () => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  const hidden = [await chain.sweep(customer, ONE_USDC), await chain.faucet(customer.owner, ONE_USDC)];
  swept += ONE_USDC;
  await chain.faucet(customer.owner, 5n * ONE_USDC);
  await chain.finalize();
  const hide: Fault = { rewrite: (page) => (page as { signature: string }[]).filter(({ signature }) => !hidden.includes(signature)) };
  const watcher = await through((method) => (isListing(method) ? hide : null), { both: true });
  await tickUntilRead(watcher, 1);
  expect(await postedOf(customer)).toBe(7_000_000_000n);
  await setDue(customer);
  await tickUntilRead(watcher, 1);
  expect(await postedOf(customer)).toBe(8_000_000_000n);
  expect(error).toHaveBeenCalledTimes(1);
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
});

test.each([[false], [true]])("a node that answers from an old state only delays what came since (another node: %s)", async (both) => {
  const customer = await depositTwice();
  const old = new Map<string, unknown>();
  let isOld = false;
  const watcher = await through(
    (method, params) => {
      if (method === "getGenesisHash") return null;
      const key = JSON.stringify([method, params[0], commitmentOf(params)]);
      const rewrite = (result: unknown) => {
        if (isOld && old.has(key)) return old.get(key);
        old.set(key, result);
        return result;
      };
      return { rewrite };
    },
    { both },
  );
  await tickUntilRead(watcher, 1);
  await tickUntilRead(watcher, 1);
  await chain.faucet(customer.owner, 4n * ONE_USDC);
  await chain.finalize();
  isOld = true;
  // Too old, it is not asked at all.
  for (let round = 0; round < 3; round++) expect(["read", "failed"]).toContain((await watcher.tick()).outcome);
  if (!both) expect(await postedOf(customer)).toBe(5_000_000_000n);
  isOld = false;
  await tickUntilRead(watcher, 2);
  expect(await postedOf(customer)).toBe(9_000_000_000n);
});

test("a node that refuses whoever asks much is asked on from where it stopped", async () => {
  await openCustomers(900);
  const customer = await depositTwice();
  let left = 0;
  const watcher = await through((method) => (method === "getMultipleAccounts" && left-- <= 0 ? { status: 429 } : null));
  const tick = () => {
    left = 3;
    return watcher.tick();
  };
  for (let round = 0; round < 6; round++) expect((await tick()).outcome).toBe("failed");
  await expectCredited(customer);
});
