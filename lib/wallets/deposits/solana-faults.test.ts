// Nodes of Solana that drop, delay, refuse, repeat, lag, lie or show half: each deposit is credited once all the same.

import { randomBytes } from "node:crypto";
import { base58 } from "@scure/base";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import {
  depositsOf,
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
import type { WatchReport } from "./watcher";

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

type Decide = (method: string, params: readonly unknown[], call: number) => Fault | null;

/** A watcher that sees the chain through a node which fails as `decide` says; `both` has the chain itself to turn to. */
async function watchThrough(decide: Decide, { both = false } = {}) {
  let call = 0;
  const node = await startFaultyNode(chain.url, ({ method, params }) => decide(method, params, call++));
  toClose.push(node.close);
  const watcher = chain.watcher({ nodes: chain.nodesAt(both ? [node.url, chain.url] : [node.url], 400) });
  toClose.push(watcher.release);
  return { ...watcher, node };
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

async function tickUntilRead(watcher: { tick(): Promise<WatchReport> }, most: number): Promise<WatchReport[]> {
  const reports: WatchReport[] = [];
  while (reports.at(-1)?.outcome !== "read" && reports.length < most) reports.push(await watcher.tick());
  expect(reports.at(-1)).toMatchObject({ outcome: "read", headLag: 0 });
  return reports;
}

/** Makes this account alone due for a second reading. */
const due = ({ tokenAccount }: SolanaCustomer) =>
  pool().query("UPDATE solana_cursor SET check_at = CASE token_account WHEN $1 THEN timestamptz 'epoch' ELSE 'infinity' END", [
    tokenAccount,
  ]);
const isListing = (method: string) => method === "getSignaturesForAddress";
const commitmentOf = (params: readonly unknown[]) => (params[1] as { commitment?: string } | undefined)?.commitment;

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
    const watcher = await watchThrough(() => (inTick++ === failAt ? fault : null));
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
  const watcher = await watchThrough(() => fault, { both: true });
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, credited: 2 });
  await expectCredited(customer);
});

test("a node that gives each page twice is not believed, and one that forgets where it was asked from credits nothing twice", async () => {
  const customer = await depositTwice();
  const twice: Fault = { rewrite: (result) => [...(result as object[]), ...(result as object[])] };
  const repeating = await watchThrough((method) => (isListing(method) ? twice : null));
  expect((await repeating.tick()).outcome).toBe("failed");
  await repeating.release();
  // The pages that were asked for from the beginning, whatever is asked for later.
  const first = new Map<string, unknown>();
  const forgetful = await watchThrough((method, [account, options]) => {
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
  await due(customer);
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
  const watcher = await watchThrough((method) => (isListing(method) && hides ? hide : null));
  for (let round = 0; round < 3; round++) expect((await watcher.tick()).outcome).toBe("read");
  expect(await postedOf(customer)).toBe([0n, 2_000_000_000n, 5_000_000_000n][hiddenAt]);
  hides = false;
  await tickUntilRead(watcher, 2);
  expect(await postedOf(customer)).toBe(9_000_000_000n);
});

test("a sweep and a deposit of as much that one node hides for ever are found by the second reading, from another node", async () => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const customer = await openCustomer();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  const hidden = [await chain.sweep(customer, ONE_USDC), await chain.faucet(customer.owner, ONE_USDC)];
  swept += ONE_USDC;
  await chain.faucet(customer.owner, 5n * ONE_USDC);
  await chain.finalize();
  const hide: Fault = { rewrite: (page) => (page as { signature: string }[]).filter(({ signature }) => !hidden.includes(signature)) };
  const watcher = await watchThrough((method) => (isListing(method) ? hide : null), { both: true });
  await tickUntilRead(watcher, 1);
  expect(await postedOf(customer)).toBe(7_000_000_000n);
  await due(customer);
  await tickUntilRead(watcher, 1);
  expect(await postedOf(customer)).toBe(8_000_000_000n);
  expect(error).toHaveBeenCalledTimes(1);
  expect(await statesOf(customer)).toEqual(["credited", "credited", "credited"]);
});

test.each([[false], [true]])("a node that answers from an old state only delays what came since (another node: %s)", async (both) => {
  const customer = await depositTwice();
  const old = new Map<string, unknown>();
  let isOld = false;
  const watcher = await watchThrough(
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

test.each([[1_000_000], [-100]])("a head that is off by %d slots credits nothing early and nothing twice", async (lie) => {
  const customer = await openCustomer();
  let lies = true;
  const watcher = await watchThrough((method) =>
    method === "getSlot" && lies ? { rewrite: (slot) => Math.max(0, (slot as number) + lie) } : null,
  );
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await watcher.tick();
  expect(await postedOf(customer)).toBe(0n);
  await chain.finalize();
  await watcher.tick();
  await watcher.tick();
  lies = false;
  await tickUntilRead(watcher, 3);
  expect(await statesOf(customer)).toEqual(["credited"]);
  expect(await postedOf(customer)).toBe(2_000_000_000n);
});

/** A customer who has 1 USDC, and a transaction that never was, which brings 5 more; told of at these commitments. */
async function invent(commitments: readonly string[]) {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, ONE_USDC);
  await chain.finalize();
  const watcher = chain.watcher();
  await tickUntilRead(watcher, 1);
  await watcher.release();
  await due(customer);
  const signature = base58.encode(randomBytes(64));
  const slot = await chain.connection.getSlot(commitments.includes("finalized") ? "finalized" : "confirmed");
  const balances = (amount: string) => [{ accountIndex: 0, mint: USDC_MINT, owner: customer.owner, uiTokenAmount: { amount } }];
  const meta = { err: null, preTokenBalances: balances("1000000"), postTokenBalances: balances("6000000"), loadedAddresses: null };
  const transaction = { slot, blockTime: 1, transaction: { message: { accountKeys: [customer.tokenAccount] } }, meta };
  const decide: Decide = (method, params) => {
    if (!commitments.includes(commitmentOf(params) ?? "")) return null;
    if (method === "getTransaction" && params[0] === signature) return { rewrite: () => transaction };
    const { before } = (params[1] ?? {}) as { before?: string };
    if (!isListing(method) || params[0] !== customer.tokenAccount || before) return null;
    return { rewrite: (page) => [{ signature, slot, err: null }, ...(page as object[])] };
  };
  return { customer, decide, slot };
}

test("a deposit that was confirmed and never becomes final ends as reversed, and no book knows it", async () => {
  const { customer, decide, slot } = await invent(["confirmed"]);
  let tells = true;
  const watcher = await watchThrough((...call) => (tells ? decide(...call) : null));
  await tickUntilRead(watcher, 1);
  const [shown] = await depositsOf(customer);
  expect(shown).toMatchObject({ amount: 5_000_000_000n, isFinal: false, block: slot });
  expect(["seen", "confirming"]).toContain(shown?.state);
  tells = false;
  while ((await chain.connection.getSlot("finalized")) < slot + 290) {
    expect(await statesOf(customer)).not.toContain("reversed");
    await tickUntilRead(watcher, 1);
  }
  while ((await chain.connection.getSlot("finalized")) < slot + 300);
  expect(await watcher.tick()).toMatchObject({ outcome: "read", reversed: 1 });
  const ended = { transaction: shown?.transaction, state: "reversed", creditedAt: null, reversedAt: expect.any(Date) };
  expect(await depositsOf(customer)).toMatchObject([ended, { state: "credited" }]);
  const { rowCount } = await pool().query("SELECT 1 FROM transfer WHERE id LIKE $1", [`%${shown?.transaction}%`]);
  expect([rowCount, await postedOf(customer)]).toEqual([0, 1_000_000_000n]);
}, 60_000);

test("what one node alone calls final is credited to nobody while another node does not know it", async () => {
  const { customer, decide } = await invent(["confirmed", "finalized"]);
  const watcher = await watchThrough(decide, { both: true });
  for (let round = 0; round < 4; round++) await watcher.tick();
  expect(watcher.node.calls.some(({ method }) => method === "getTransaction")).toBe(true);
  expect(await postedOf(customer)).toBe(1_000_000_000n);
  await watcher.release();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  const honest = chain.watcher();
  await tickUntilRead(honest, 1);
  await honest.release();
  expect(await postedOf(customer)).toBe(3_000_000_000n);
});

test("a node that refuses whoever asks much is asked on from where it stopped", async () => {
  await openCustomers(900);
  const customer = await depositTwice();
  let left = 0;
  const watcher = await watchThrough((method) => (method === "getMultipleAccounts" && left-- <= 0 ? { status: 429 } : null));
  const tick = () => {
    left = 3;
    return watcher.tick();
  };
  for (let round = 0; round < 6; round++) expect((await tick()).outcome).toBe("failed");
  await expectCredited(customer);
});
