// Nodes that drop, delay, refuse, repeat, lie about the head or omit logs: each deposit is still credited once.

import { type Hex, toHex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readHead } from "@/lib/chains/evm/head";
import { createNodes } from "@/lib/chains/evm/nodes";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import {
  type Customer,
  expectAllAccountedFor,
  ONE_USDC,
  openCustomer,
  openCustomers,
  postedOf,
  startWatchedChain,
  statesOf,
  TO_SAFE,
  type WatchedChain,
} from "./testing/watched-chain";
import type { WatchReport } from "./watcher";

await openTestDatabase();
let chain: WatchedChain;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startWatchedChain();
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  await expectAllAccountedFor(chain);
});
afterAll(() => chain?.stop());

/** A watcher behind a node that fails as `decide` says; with `both` it can also use the chain's own node. */
async function watchThrough(
  decide: (method: string, params: readonly unknown[], call: number) => Fault | null,
  { both = false, timeoutMs = 400 } = {},
) {
  let call = 0;
  const node = await startFaultyNode(chain.url(), ({ method, params }) => decide(method, params, call++));
  toClose.push(node.close);
  const urls = both ? [node.url, chain.url()] : [node.url];
  const watcher = chain.watcher({ nodes: createNodes({ urls, chainId: chain.chainId, timeoutMs }) });
  toClose.push(watcher.release);
  return { ...watcher, node };
}

/** Two deposits in two blocks, both safe. */
async function depositTwice(): Promise<Customer> {
  const customer = await openCustomer();
  await chain.mint(customer.address, 2n * ONE_USDC);
  await chain.mint(customer.address, 3n * ONE_USDC);
  await chain.mine(TO_SAFE);
  return customer;
}

async function expectCredited(customer: Customer): Promise<void> {
  expect(await statesOf(customer)).toEqual(["credited", "credited"]);
  expect(await postedOf(customer)).toBe(5_000_000_000n);
}

async function tickUntilRead(watcher: { tick(): Promise<WatchReport> }, most: number): Promise<WatchReport[]> {
  const reports: WatchReport[] = [];
  while (reports.at(-1)?.outcome !== "read" && reports.length < most) reports.push(await watcher.tick());
  expect(reports.at(-1)).toMatchObject({ outcome: "read", headLag: 0 });
  return reports;
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
    const watcher = await watchThrough(() => (inTick++ === failAt ? fault : null));
    const tick = () => {
      inTick = 0;
      failAt += 1;
      return watcher.tick();
    };
    const reports = await tickUntilRead({ tick }, 60);
    expect(reports.some(({ outcome }) => outcome === "failed")).toBe(true);
    await expectCredited(customer);
  },
  120_000,
);

test.each<[string, Fault]>([
  ["drops", { drop: true }],
  ["refuses", { status: 429 }],
])("with a second node, a node that always %s has no effect", async (_what, fault) => {
  const customer = await depositTwice();
  const watcher = await watchThrough(() => fault, { both: true });
  expect(await watcher.tick()).toMatchObject({ outcome: "read", headLag: 0, credited: 2 });
  await expectCredited(customer);
});

test("a node that repeats its logs credits nothing twice", async () => {
  const customer = await depositTwice();
  const twice: Fault = { rewrite: (result) => [...(result as object[]), ...(result as object[])] };
  const watcher = await watchThrough((method) => (method === "eth_getLogs" ? twice : null));
  await tickUntilRead(watcher, 10);
  await tickUntilRead(watcher, 10);
  await expectCredited(customer);
});

test("a range that is too large for a node is split, first by blocks and then by addresses", async () => {
  await openCustomers(60);
  await chain.mine(40);
  const customer = await depositTwice();
  const watcher = await watchThrough((method, params) => {
    if (method !== "eth_getLogs") return null;
    const [{ fromBlock, toBlock, topics }] = params as [{ fromBlock: string; toBlock: string; topics: [string, null, string[]] }];
    const isSmall = Number(toBlock) - Number(fromBlock) < 5 && topics[2].length <= 20;
    return isSmall ? null : { error: { code: -32_005, message: "query returned more than 10000 results" } };
  });
  await tickUntilRead(watcher, 10);
  await expectCredited(customer);
});

test("a block that somebody filled with transfers until no node lists them is read transaction by transaction, and stops nobody", async () => {
  await chain.mine(3);
  const customer = await depositTwice();
  const crowded = (await chain.blockNumber()) - TO_SAFE; // that of the second deposit
  let refusals = 0;
  const watcher = await watchThrough((method, params) => {
    if (method === "eth_getTransactionReceipt") {
      // Refused at times, as thousands of calls are.
      return refusals++ % 3 === 0 ? { status: 429 } : null;
    }
    if (method !== "eth_getLogs") return null;
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
    const isCrowded = Number(fromBlock) <= crowded && Number(toBlock) >= crowded;
    return isCrowded ? { error: { code: -32_005, message: "query returned more than 10000 results" } } : null;
  });
  await tickUntilRead(watcher, 10);
  await expectCredited(customer);
  // Later blocks are read many at once again.
  await chain.mine(40);
  const before = watcher.node.calls.length;
  await tickUntilRead(watcher, 10);
  expect(watcher.node.calls.slice(before).filter(({ method }) => method === "eth_getLogs").length).toBeLessThan(30);
});

test("a head that lies far ahead or went back stops the watcher until it is right again", async () => {
  const customer = await depositTwice();
  let lie = 0;
  const watcher = await watchThrough(
    (method, [which]) => {
      if (method !== "eth_getBlockByNumber" || lie === 0 || !["latest", "safe", "finalized"].includes(`${which}`)) return null;
      const shifted = (result: { number: string }) => ({ ...result, number: toHex(Math.max(0, Number(result.number) + lie)) });
      return { rewrite: (result) => shifted(result as { number: string }) };
    },
    // On a busy machine a true answer may take longer than the short limit, and then nothing is learnt from it.
    { timeoutMs: 10_000 },
  );
  lie = 1_000;
  expect((await watcher.tick()).outcome).toBe("failed");
  expect(await statesOf(customer)).toEqual([]);
  lie = 0;
  // The false head keeps the true one in doubt in this process, until the chain gets there or the process restarts.
  expect((await watcher.tick()).outcome).toBe("doubtful");
  await watcher.release();
  const next = chain.watcher({ nodes: createNodes({ urls: [chain.url()], chainId: chain.chainId }) });
  await tickUntilRead(next, 1);
  await next.release();
  await expectCredited(customer);
});

test.each([[false], [true]])(
  "a node that omits half of a range's logs only delays those until they are final (another node: %s)",
  async (both) => {
    const customer = await depositTwice();
    let hides = true;
    const half: Fault = { rewrite: (result) => (result as object[]).slice(0, Math.floor((result as object[]).length / 2)) };
    const watcher = await watchThrough((method) => (method === "eth_getLogs" && hides ? half : null), { both });
    await tickUntilRead(watcher, 10);
    expect(await statesOf(customer)).toEqual(["credited"]);
    hides = both; // permanent omission is discovered only through another node
    await chain.mine(TO_SAFE);
    await tickUntilRead(watcher, 10);
    await tickUntilRead(watcher, 10);
    await expectCredited(customer);
  },
);

test("while one of two nodes that must agree is silent nothing is credited, and then each deposit once", async () => {
  let isSilent = true;
  const node = await startFaultyNode(chain.url(), () => (isSilent ? { drop: true } : null));
  toClose.push(node.close);
  const customer = await depositTwice();
  for (const urls of [
    [node.url, chain.url()],
    [chain.url(), node.url],
  ]) {
    const watcher = chain.watcher({ nodes: createNodes({ urls, chainId: chain.chainId, quorum: 2 }) });
    expect(await watcher.tick()).toEqual({ outcome: "doubtful", doubt: "unconfirmed" });
    await watcher.release();
    expect(await statesOf(customer)).toEqual([]);
  }
  isSilent = false;
  const watcher = chain.watcher({ nodes: createNodes({ urls: [node.url, chain.url()], chainId: chain.chainId, quorum: 2 }) });
  toClose.push(watcher.release);
  await tickUntilRead(watcher, 10);
  await expectCredited(customer);
});

test.each(["first", "second"])(
  "the %s of two nodes alone cannot have a credited deposit taken back and its account frozen",
  async (place) => {
    const before = chain.watcher();
    await tickUntilRead(before, 2);
    const readTo = await chain.blockNumber();
    const customer = await depositTwice();
    await tickUntilRead(before, 2);
    await before.release();
    await expectCredited(customer);
    await chain.mine(2);
    const safe = (await readHead(chain.nodes)).safe.number;
    let isLying = true;
    // It has other blocks from the deposits on, and no logs; only where the other node is asked too does it tell the truth.
    const other = (block: unknown, [number]: readonly unknown[]) =>
      block && { ...block, hash: toHex(BigInt(number as Hex) + 1_000_000n, { size: 32 }) };
    const node = await startFaultyNode(chain.url(), ({ method, params }) => {
      if (!isLying) return null;
      if (method === "eth_getLogs") return { rewrite: () => [] };
      if (method === "eth_getTransactionReceipt") return { rewrite: () => null };
      const isNumber =
        method === "eth_getBlockByNumber" && /^0x/.test(`${params[0]}`) && Number(params[0]) > readTo && Number(params[0]) !== safe;
      return isNumber ? { rewrite: other } : null;
    });
    toClose.push(node.close);
    const urls = place === "first" ? [node.url, chain.url()] : [chain.url(), node.url];
    const watcher = chain.watcher({ nodes: createNodes({ urls, chainId: chain.chainId, quorum: 2 }) });
    const reports: WatchReport[] = [];
    for (let n = 0; n < 4; n++) reports.push(await watcher.tick());
    await watcher.release();
    // The lie is believed as far as the blocks are read again.
    if (place === "first") expect(reports).toContainEqual(expect.objectContaining({ outcome: "read", reorgDepth: expect.any(Number) }));
    await expectCredited(customer);
    isLying = false;
    const honest = chain.watcher();
    toClose.push(honest.release);
    await tickUntilRead(honest, 4);
    await expectCredited(customer);
  },
);

test("a deposit that one of two nodes invents or inflates is not credited; one that both show is", async () => {
  const [customer, liar] = [await openCustomer(), await openCustomer()];
  await chain.mint(customer.address, 2n * ONE_USDC);
  await chain.mint(liar.address, 2n * ONE_USDC);
  await chain.mine(2 * TO_SAFE);
  const its = (log: { topics: string[] }) => log.topics[2]?.endsWith(liar.address.slice(2).toLowerCase());
  const watcher = await watchThrough(
    (method) =>
      method === "eth_getLogs"
        ? {
            rewrite: (result) => {
              const logs = result as { topics: string[]; transactionHash: string }[];
              const larger = logs.map((log) => (its(log) ? { ...log, data: toHex(9_000n * ONE_USDC, { size: 32 }) } : log));
              const invented = larger.filter(its).map((log) => ({ ...log, transactionHash: toHex(7, { size: 32 }), logIndex: toHex(900) }));
              return [...larger, ...invented];
            },
          }
        : null,
    { both: true, timeoutMs: 10_000 },
  );
  for (let n = 0; n < 3; n++) await watcher.tick();
  expect(await statesOf(customer)).toEqual(["credited"]);
  // The rescan through the other node found the true one.
  expect(await postedOf(liar)).toBe(2_000_000_000n);
  expect(await statesOf(liar)).toEqual(expect.arrayContaining(["confirming", "confirming", "credited"]));
  await pool().query("DELETE FROM deposit WHERE account_id = $1 AND state <> 'credited'", [liar.account]);
});
