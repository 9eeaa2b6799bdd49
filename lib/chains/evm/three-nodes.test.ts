// With three nodes of which two must agree, one that lies or lags stops nothing: the other two decide, and what the third says otherwise is
// an alarm.

import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { haveNodesAgreed } from "../quorum";
import { readAgreed } from "./agreement";
import { readLatestBlock } from "./blocks";
import type { EvmNode } from "./node";
import { areAlike, createNodes, type EvmNodes } from "./nodes";
import { type Fault, startFaultyNode } from "./testing/faulty-node";
import { startUsdcChain, type UsdcChain } from "./testing/usdc-chain";
import { wei } from "./wire";

let chain: UsdcChain;
let nowMs = 0;
const restoreClock = setClock(() => nowMs);

beforeAll(async () => {
  replaceSingleton("log", { info: () => undefined, warn: () => undefined, error: () => undefined });
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  await chain.mine(5);
  nowMs = (await readLatestBlock(chain.nodes)).timestampS * 1_000 + 10_000;
});
afterEach(() => forgetSingleton("disagreement of nodes"));
afterAll(async () => {
  restoreClock();
  forgetSingleton("log");
  await chain?.stop();
});

type Decide = (call: { method: string; params: readonly unknown[] }) => Fault | null;

/** The chain's own node, twice, and before it one that answers as `decide` says; or it and one more. */
async function withLiar(decide: Decide, count: 2 | 3): Promise<EvmNodes> {
  const liar = await startFaultyNode(chain.url(), decide);
  onTestFinished(liar.close);
  return createNodes({ urls: [liar.url, chain.url(), chain.url()].slice(0, count), chainId: chain.chainId, quorum: 2 });
}

interface WireHead {
  number: Hex;
  hash: Hex;
  timestamp: Hex;
}

const naming =
  (change: (head: WireHead) => Partial<WireHead>): Decide =>
  ({ method, params }) => {
    if (method !== "eth_getBlockByNumber") return null;
    if (params[0] !== "latest") return { status: 503 };
    return { rewrite: (head) => ({ ...(head as WireHead), ...change(head as WireHead) }) };
  };

const plus = (quantity: Hex, more: number): Hex => `0x${(Number(quantity) + more).toString(16)}`;

const readBalance = (nodes: EvmNodes) =>
  readAgreed((node, at) => node.call("eth_getBalance", [chain.minter.address, at], wei), { what: "a balance" }, nodes);

test.each<[string, Decide, boolean]>([
  ["in a far future", naming(({ timestamp }) => ({ timestamp: plus(timestamp, 3_600) })), false],
  // By its word the others are 65 seconds behind.
  ["in a near future", naming(({ timestamp }) => ({ timestamp: plus(timestamp, 65) })), true],
  ["one that no other node has", naming(() => ({ hash: `0x${"f0".repeat(32)}` })), true],
  ["beyond a height that it cannot show", naming(({ number }) => ({ number: plus(number, 9), hash: `0x${"f0".repeat(32)}` })), true],
  ["long past", naming(({ timestamp }) => ({ timestamp: plus(timestamp, -3_600) })), true],
])("a node whose newest block is %s is passed over; it is an alarm only in a far future", async (_, lie, isAgreed) => {
  const nodes = await withLiar(lie, 3);
  expect(await readBalance(nodes)).toBe(await chain.client.getBalance({ address: chain.minter.address }));
  expect(haveNodesAgreed()).toBe(isAgreed);
});

test("of two nodes one whose newest block is in a far future is an alarm, and nothing is decided", async () => {
  const nodes = await withLiar(
    naming(({ timestamp }) => ({ timestamp: plus(timestamp, 3_600) })),
    2,
  );
  await expect(readBalance(nodes)).rejects.toMatchObject({ kind: "behind" });
  expect(haveNodesAgreed()).toBe(false);
});

/** Nodes that show these blocks, in order. */
const showing = (...blocks: (string | null)[]) => {
  const nodes = createNodes({ urls: blocks.map(() => chain.url()), chainId: chain.chainId, quorum: 2 });
  const shownBy = ({ name }: EvmNode) => blocks[Number(/\d+/.exec(name)) - 1] ?? null;
  return areAlike(nodes, { what: "a payment" }, async (node) => shownBy(node));
};

test.each<[string, boolean, (string | null)[]]>([
  ["two of three", true, ["a", "b", "b"]],
  ["the first and the last of three", true, ["b", "a", "b"]],
  ["two of three, while the third shows nothing", true, [null, "b", "b"]],
  ["one of three", false, [null, "b", null]],
  ["each of three another", false, ["a", "b", "c"]],
  ["one of two", false, ["a", "b"]],
  ["none", false, [null, null]],
])("a payment that %s show in one block counts: %s", async (_, counts, blocks) => {
  expect(await showing(...blocks)).toBe(counts);
});

test.each([
  [true, ["a", "b", "b"]],
  [false, ["a", "b"]],
])("blocks that differ are an alarm once a reorganisation would be over, whether others decide (%s) or not", async (isEnough, blocks) => {
  const look = () => showing(...blocks);
  for (const passMs of [0, 500, 29_000]) {
    nowMs += passMs;
    expect(await look()).toBe(isEnough);
    expect(haveNodesAgreed()).toBe(true);
  }
  expect(await showing("b", "b", null)).toBe(true);
  nowMs += 1_000;
  expect(await look()).toBe(isEnough);
  expect(haveNodesAgreed()).toBe(false);
});

test("two reorganisations that are hours apart are no alarm", async () => {
  for (let times = 0; times < 3; times++) {
    expect(await showing("a", "b", "b")).toBe(true);
    nowMs += 2 * 3_600_000;
  }
  expect(haveNodesAgreed()).toBe(true);
});
