// Lies of one node about the relayer's nonces, told while the other node is silent: they cost time, and no nonce.

import { type Hex, keccak256, toHex } from "viem";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createNodes, type EvmNodes } from "@/lib/chains/evm/nodes";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { prepareCall, RelayStopped, storeCall } from "./calls";
import { getRelayed } from "./relayed";
import { sendStored } from "./send";
import { noncesOf, type RelayedChain, startRelayedChain, TO_FINAL } from "./testing/relayed-chain";
import { waitForRelayed } from "./wait";

await openTestDatabase();
let chain: RelayedChain;
let two: EvmNodes;
let three: EvmNodes;
/** How far ahead of the chain the liar, which is listed first, counts. */
let ahead: number;
/** Whether the honest node answers only what is asked of blocks. */
let isSilent: boolean;
const toClose: (() => Promise<void>)[] = [];

beforeEach(async () => {
  [ahead, isSilent] = [0, false];
  chain = await startRelayedChain();
  const liar = await startNode((method) => {
    if (ahead === 0) return null;
    if (method === "eth_getTransactionCount") return { rewrite: (count) => toHex(BigInt(count as Hex) + BigInt(ahead)) };
    if (method === "eth_sendRawTransaction") return { claim: ([raw]) => keccak256(raw as Hex) };
    return method === "eth_getTransactionReceipt" ? { claim: () => null } : null;
  });
  const honest = await startNode((method) => (isSilent && !/chainId|getBlockBy/.test(method) ? { drop: true } : null));
  const setup = { chainId: chain.chainId, quorum: 2 };
  two = createNodes({ ...setup, urls: [liar, honest] });
  three = createNodes({ ...setup, urls: [liar, honest, chain.url()] });
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  await chain?.stop();
  await pool().query("TRUNCATE relay_sender, relayed, relay_broadcast");
});

async function startNode(decide: (method: string) => Fault | null): Promise<string> {
  const node = await startFaultyNode(chain.url(), ({ method }) => decide(method));
  toClose.push(node.close);
  return node.url;
}

async function store(id: string, nodes: EvmNodes) {
  const prepared = await prepareCall(chain.newTransfer(), nodes);
  if (prepared.kind === "reverts") throw new Error(prepared.reason);
  return inTransaction((transaction) => storeCall(id, prepared, transaction));
}

async function relayWhole(id: string, nodes: EvmNodes): Promise<void> {
  await store(id, nodes);
  await sendStored(id, { evm: nodes });
  expect(await waitForRelayed(id, 30_000, { evm: chain.nodes })).toMatchObject({ state: "succeeded" });
}

async function finish(evm: EvmNodes): Promise<void> {
  await chain.mine(TO_FINAL);
  for (let round = 0; round < 3; round++) await chain.round({ evm });
}

/** A call that is stored after a final one, and rounds in which one node counts `more` transactions while the other is silent. */
async function storeBesideLies(id: string, more: number): Promise<void> {
  await relayWhole("before", two);
  await finish(two);
  await store(id, two);
  [ahead, isSilent] = [more, true];
  for (let round = 0; round < 3; round++) await chain.round({ evm: two });
}

test("a node that calls a nonce used, in a final block too, has no call given up that the silent one would know", async () => {
  await storeBesideLies("given up", 1);
  expect(await getRelayed("given up")).toMatchObject({ isFinal: false });
  isSilent = false;
  for (let round = 0; round < 2; round++) await chain.round({ evm: two });
  expect(await getRelayed("given up")).toMatchObject({ state: "succeeded" });
  await relayWhole("after", two);
  expect(await noncesOf(chain)).toEqual([0, 1, 2]);
});

test("a node that shows transactions of somebody else moves the relayer past no nonce that the silent one would know to be free", async () => {
  await storeBesideLies("open", 5);
  isSilent = false;
  for (let round = 0; round < 2; round++) await chain.round({ evm: two });
  await relayWhole("after", two);
  expect(await noncesOf(chain)).toEqual([0, 1, 2]);
});

test("a new relayer's first nonce is what two nodes say", async () => {
  ahead = 7;
  await expect(store("first", two)).rejects.toThrow(RelayStopped);
  isSilent = true;
  await expect(store("first", two)).rejects.toThrow();
  expect(await noncesOf(chain)).toEqual([]);
  isSilent = false;
  await relayWhole("first", three);
  expect(await noncesOf(chain)).toEqual([0]);
});

test.each([[5], [-1]])("a first node whose count is off by %s stops no call", async (off) => {
  await relayWhole("before", three);
  await relayWhole("more", three);
  await finish(three);
  ahead = off;
  await relayWhole("after", three);
  await finish(three);
  expect(await getRelayed("after")).toMatchObject({ state: "succeeded", isFinal: true });
});
