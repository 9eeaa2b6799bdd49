// Solana nodes that drop, delay, refuse, repeat, lag or omit transactions: each deposit is still credited once.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import type { Fault } from "@/lib/chains/evm/testing/faulty-node";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commitmentOf, type Decide, isListing, readRound, setDue, tickUntilRead, watchThrough } from "./testing/faulty-solana";
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

/** A watcher behind a node that fails as `decide` says; with `both` it can also use the chain's own node. */
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
  ["is rate limited (429)", { status: 429 }],
  ["breaks", { status: 502 }],
  ["answers with an error", { error: { code: -32_603, message: "internal error" } }],
])(
  "a node that %s at some calls only delays a deposit",
  async (_what, fault) => {
    const customer = await depositTwice();
    // Fails at each call of a tick in turn, until a tick succeeds.
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
    await tickUntilRead(watcher);
    await expectCredited(customer);
  },
  120_000,
);

test.each<[string, Fault]>([
  ["drops", { drop: true }],
  ["refuses", { status: 429 }],
])("with a second node, a node that always %s has no effect", async (_what, fault) => {
  const customer = await depositTwice();
  const watcher = await through(() => fault, { both: true });
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, credited: 2 });
  await expectCredited(customer);
});

test("a node that repeats each page is not believed, and one that ignores the cursor causes no double credit", async () => {
  const customer = await depositTwice();
  const twice: Fault = { rewrite: (result) => [...(result as object[]), ...(result as object[])] };
  const repeating = await through((method) => (isListing(method) ? twice : null));
  expect((await repeating.tick()).outcome).toBe("failed");
  await repeating.release();
  // The pages from the account's start, returned again for later requests.
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
  await tickUntilRead(forgetful);
  await expectCredited(customer);
  await chain.faucet(customer.owner, ONE_USDC);
  await chain.finalize();
  await setDue(customer);
  for (let round = 0; round < 3; round++) await tickUntilRead(forgetful);
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
  expect(await postedOf(customer)).toBe(6_000_000_000n);
});

test.each([
  ["oldest", 0],
  ["middle", 1],
  ["newest", 2],
])("when a node omits the %s of three deposits, no cursor moves past the gap", async (_which, hiddenAt) => {
  const customer = await openCustomer();
  const sent: string[] = [];
  for (const units of [2n, 3n, 4n]) {
    sent.push(await chain.faucet(customer.owner, units * ONE_USDC));
    await chain.finalize();
  }
  let hides = true;
  const hide: Fault = { rewrite: (page) => (page as { signature: string }[]).filter(({ signature }) => signature !== sent[hiddenAt]) };
  const watcher = await through((method) => (isListing(method) && hides ? hide : null));
  for (let round = 0; round < 3; round++) await readRound(watcher);
  expect(await postedOf(customer)).toBe([0n, 2_000_000_000n, 5_000_000_000n][hiddenAt]);
  hides = false;
  await tickUntilRead(watcher);
  expect(await postedOf(customer)).toBe(9_000_000_000n);
});

test("a sweep and an equal deposit that one node always omits are found by the rescan through another node", async () => {
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
  await tickUntilRead(watcher);
  expect(await postedOf(customer)).toBe(7_000_000_000n);
  await setDue(customer);
  await tickUntilRead(watcher);
  expect(await postedOf(customer)).toBe(8_000_000_000n);
  expect(error).toHaveBeenCalledTimes(1);
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
});

test.each([[false], [true]])("a node with an old state only delays newer deposits (another node: %s)", async (both) => {
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
  await tickUntilRead(watcher);
  await tickUntilRead(watcher);
  await chain.faucet(customer.owner, 4n * ONE_USDC);
  await chain.finalize();
  isOld = true;
  // A node that lags too far is skipped.
  for (let round = 0; round < 3; round++) expect(["read", "failed"]).toContain((await watcher.tick()).outcome);
  if (!both) expect(await postedOf(customer)).toBe(5_000_000_000n);
  isOld = false;
  await tickUntilRead(watcher);
  expect(await postedOf(customer)).toBe(9_000_000_000n);
});

test("with a rate-limited node the poll resumes where it was refused", async () => {
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
