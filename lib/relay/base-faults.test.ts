// Faults on the way into Base, provoked on a real chain: transactions are forgotten, stuck, reorganised, lied about.

import { type Hex, toHex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createNodes } from "@/lib/chains/evm/nodes";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { broadcast, isKnown } from "@/lib/chains/evm/transactions";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { storeCall } from "./calls";
import { readMinedNonces } from "./nonces";
import { findRelayed, getRelayed } from "./relayed";
import { sendStored } from "./send";
import { hashesOf, noncesOf, type RelayedChain, startRelayedChain, TO_FINAL } from "./testing/relayed-chain";
import { waitForRelayed } from "./wait";

await openTestDatabase();
let chain: RelayedChain;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startRelayedChain();
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  await chain.client.setAutomine(true);
  await chain.round();
  await chain.mine(TO_FINAL);
  for (let round = 0; round < 4; round++) await chain.round();
  // After every fault, each of our nonces is one transaction on the chain, and nothing is under way.
  const nonces = await noncesOf(chain);
  expect(nonces).toEqual(nonces.map((_, index) => index));
  expect((await readMinedNonces(chain.relayer.address, chain.nodes)).agreed).toBe(nonces.length);
  const { rows } = await pool().query("SELECT id, state, finalized, problem FROM relayed WHERE NOT finalized");
  expect(rows).toEqual([]);
});
afterAll(() => chain?.stop());

const nodes = () => ({ evm: chain.nodes });
const statesOf = async (ids: readonly string[]) => {
  const found = new Map((await findRelayed(ids)).map(({ id, state }) => [id, state]));
  return ids.map((id) => found.get(id));
};

/** Stores and sends calls that stay in the pool, since no block is made. */
async function leaveWaiting(name: string, count: number): Promise<string[]> {
  await chain.client.setAutomine(false);
  const ids = Array.from({ length: count }, (_, index) => `${name} ${index}`);
  for (const id of ids) await chain.store(id);
  await sendStored(ids, nodes());
  return ids;
}

const hashOf = async (id: string) => (await getRelayed(id)).hash as Hex;

/** A node in front of the real one, with the faults that `decide` returns. */
async function startLiar(decide: (method: string, params: readonly unknown[]) => Fault | null) {
  const node = await startFaultyNode(chain.url(), ({ method, params }) => decide(method, params));
  toClose.push(node.close);
  return node;
}

test("a transaction that a node forgot is sent again with the same bytes, and those waiting behind it follow", async () => {
  const ids = await leaveWaiting("forgotten", 4);
  const hashes = await Promise.all(ids.map(hashOf));
  await chain.client.dropTransaction({ hash: await hashOf("forgotten 1") });
  expect(await isKnown(await hashOf("forgotten 1"), chain.nodes)).toBe(false);
  await chain.round();
  await chain.mine(1);
  await chain.round();
  expect(await statesOf(ids)).toEqual(ids.map(() => "succeeded"));
  expect(await Promise.all(ids.map(hashOf))).toEqual(hashes);
});

test("a node that lost its whole pool gets everything again", async () => {
  const ids = await leaveWaiting("lost pool", 5);
  await chain.client.request({ method: "anvil_dropAllTransactions" as never });
  expect((await readMinedNonces(chain.relayer.address, chain.nodes)).pending).toBe((await noncesOf(chain)).length - 5);
  await chain.round();
  await chain.mine(1);
  await chain.round();
  expect(await statesOf(ids)).toEqual(ids.map(() => "succeeded"));
});

test("while the base fee is above their fees, all stuck transactions are raised in one round, and stored before being sent", async () => {
  const ids = await leaveWaiting("fees", 4);
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 50_000_000_000n });
  await chain.mine(1);
  await chain.round();
  expect(await statesOf(ids)).toEqual(ids.map(() => "sent"));
  await chain.round({ stuckAfterMs: 0 });
  for (const id of ids) expect(await hashesOf(id)).toHaveLength(2);
  await chain.mine(1);
  await chain.round();
  expect(await statesOf(ids)).toEqual(ids.map(() => "succeeded"));
  for (const id of ids) expect(await hashOf(id)).toBe((await hashesOf(id))[1]);
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 100_000_000n });
  await chain.mine(1);
});

test("of stuck transactions whose fees suffice, only the first is raised, and never far above the market", async () => {
  const ids = await leaveWaiting("line", 3);
  for (let round = 0; round < 40; round++) await chain.round({ stuckAfterMs: 0 });
  expect(await hashesOf("line 1")).toHaveLength(1);
  const raised = (await hashesOf("line 0")).length;
  expect(raised).toBeGreaterThan(5);
  expect(raised).toBeLessThan(40);
  const { rows } = await pool().query<{ times: number }>(
    "SELECT (max(max_fee) / min(max_fee))::float8 AS times FROM relay_broadcast WHERE relayed_id = 'line 0'",
  );
  expect(rows[0]?.times).toBeLessThanOrEqual(10);
  await chain.mine(1);
  await chain.round();
  expect(await statesOf(ids)).toEqual(ids.map(() => "succeeded"));
});

test("a raised transaction may be mined under its first hash, and then that hash counts", async () => {
  await leaveWaiting("either", 1);
  await chain.round({ stuckAfterMs: 0 });
  const [first = "0x", second = "0x"] = await hashesOf("either 0");
  const { rows } = await pool().query<{ raw: Buffer }>("SELECT raw FROM relay_broadcast WHERE hash = $1", [first]);
  await chain.client.dropTransaction({ hash: second });
  expect(await broadcast(`0x${rows[0]?.raw.toString("hex")}`, chain.nodes)).toEqual({ kind: "sent" });
  await chain.mine(1);
  await chain.round();
  expect(await getRelayed("either 0")).toMatchObject({ state: "succeeded", hash: first });
});

test("a transaction that is not old enough is left alone, however often the relay looks", async () => {
  await leaveWaiting("young", 1);
  for (let round = 0; round < 3; round++) await chain.round({ stuckAfterMs: 60_000, resendAfterMs: 60_000 });
  expect(await hashesOf("young 0")).toHaveLength(1);
});

test("a mined transaction whose block leaves the chain waits again, is sent again, and is mined again", async () => {
  for (const depth of [1, 3]) {
    const ids = [1, 2, 3].map((index) => `reorg ${depth} ${index}`);
    for (const id of ids) {
      await chain.store(id);
      await sendStored(id, nodes());
      expect(await waitForRelayed(id, 30_000, nodes())).toMatchObject({ state: "succeeded" });
    }
    const before = await findRelayed(ids);
    await chain.client.setAutomine(false);
    await chain.reorg(depth);
    await chain.client.request({ method: "anvil_dropAllTransactions" as never });
    await chain.round();
    expect(await statesOf(ids.slice(-depth))).toEqual(Array(depth).fill("sent"));
    expect(await statesOf(ids.slice(0, 3 - depth))).toEqual(Array(3 - depth).fill("succeeded"));
    await chain.mine(1);
    await chain.client.setAutomine(true);
    await chain.round();
    const after = await findRelayed(ids);
    expect(after.map(({ id, hash, state }) => ({ id, hash, state }))).toEqual(
      expect.arrayContaining(before.map(({ id, hash, state }) => ({ id, hash, state }))),
    );
  }
});

test("a transaction that a reorganisation moves to another block is followed there", async () => {
  await chain.store("moved");
  await sendStored("moved", nodes());
  await chain.mine(2);
  await chain.round();
  const before = await getRelayed("moved");
  const raw = (await pool().query<{ raw: Buffer }>("SELECT raw FROM relay_broadcast WHERE hash = $1", [before.hash])).rows[0]?.raw;
  await chain.client.setAutomine(false);
  await chain.reorg(3);
  await broadcast(`0x${raw?.toString("hex")}`, chain.nodes);
  await chain.mine(1);
  await chain.round();
  const after = await getRelayed("moved");
  expect(after).toMatchObject({ state: "succeeded", hash: before.hash, isFinal: false });
  expect(after.blockHash).not.toBe(before.blockHash);
});

test("without gas money a transaction waits, reports it, and continues once there is some", async () => {
  const { address } = chain.relayer;
  const balance = await chain.client.getBalance({ address });
  await chain.store("poor");
  await chain.client.setBalance({ address, value: 1n });
  await sendStored("poor", nodes());
  await chain.round();
  expect(await getRelayed("poor")).toMatchObject({ state: "stored", problem: "no_gas_money" });
  await chain.client.setBalance({ address, value: balance });
  await chain.round();
  await chain.round();
  expect(await getRelayed("poor")).toMatchObject({ state: "succeeded", problem: null });
});

test("a node that dies after it received the bytes loses nothing and duplicates nothing", async () => {
  const liar = await startLiar((method) => (method === "eth_sendRawTransaction" ? { rewrite: () => null } : null));
  const alone = { evm: createNodes({ urls: [liar.url], chainId: chain.chainId }) };
  await chain.store("unheard");
  await sendStored("unheard", alone);
  expect((await getRelayed("unheard")).state).toBe("stored");
  await chain.round(alone);
  expect((await getRelayed("unheard")).state).toBe("succeeded");
});

test("with no node at all a round does nothing and does not fail; the next round does the work", async () => {
  const nowhere = createNodes({ urls: ["http://127.0.0.1:9"], chainId: chain.chainId });
  await chain.store("alone");
  await sendStored("alone", { evm: nowhere });
  await chain.round({ evm: nowhere });
  expect(await getRelayed("alone")).toMatchObject({ state: "stored", problem: null });
});

test("a receipt that one node makes up is dropped, and the true one becomes final", async () => {
  await leaveWaiting("made up", 1);
  const hash = await hashOf("made up 0");
  const lie = {
    ...{ transactionHash: hash, status: "0x1", blockNumber: "0x5", blockHash: `0x${"5".repeat(64)}`, from: chain.relayer.address },
    ...{ gasUsed: "0x5208", effectiveGasPrice: "0x1" },
  };
  const liar = await startLiar((method) => (method === "eth_getTransactionReceipt" ? { rewrite: () => lie } : null));
  const both = { evm: createNodes({ urls: [liar.url, chain.url()], chainId: chain.chainId }) };
  expect(await waitForRelayed("made up 0", 30_000, both)).toMatchObject({ state: "succeeded", block: 5, isFinal: false });
  for (let round = 0; round < 3; round++) await chain.round(both);
  expect(await getRelayed("made up 0")).toMatchObject({ state: "sent", isFinal: false });
  await chain.mine(1);
  await chain.round(both);
  expect(await getRelayed("made up 0")).toMatchObject({ state: "succeeded", hash, block: await chain.blockNumber() });
});

test.each([
  ["of another transaction", (receipt: object) => ({ ...receipt, transactionHash: `0x${"7".repeat(64)}` })],
  ["of another sender", (receipt: object) => ({ ...receipt, from: `0x${"7".repeat(40)}` })],
])("a receipt %s is ignored", async (_, change) => {
  const liar = await startLiar((method) =>
    method === "eth_getTransactionReceipt" ? { rewrite: (receipt) => receipt && change(receipt) } : null,
  );
  const id = `other's ${liar.url}`;
  await chain.store(id);
  await sendStored(id, nodes());
  const alone = { evm: createNodes({ urls: [liar.url], chainId: chain.chainId }) };
  await waitForRelayed(id, 50, alone);
  await chain.round(alone);
  expect((await getRelayed(id)).state).toBe("sent");
});

test("when one node calls a transaction in a final block reverted and another succeeded, it is not final until they agree", async () => {
  let isLying = true;
  const liar = await startLiar((method) =>
    isLying && method === "eth_getTransactionReceipt" ? { rewrite: (receipt) => receipt && { ...receipt, status: "0x0" } } : null,
  );
  const both = createNodes({ urls: [liar.url, chain.url()], chainId: chain.chainId });
  await chain.store("disputed");
  await sendStored("disputed", { evm: both });
  await chain.round({ evm: both });
  await chain.mine(TO_FINAL);
  for (let round = 0; round < 3; round++) await chain.round({ evm: both });
  expect(await getRelayed("disputed")).toMatchObject({ state: "failed", isFinal: false });
  isLying = false;
  for (let round = 0; round < 3; round++) await chain.round({ evm: both });
  expect(await getRelayed("disputed")).toMatchObject({ state: "succeeded", isFinal: true });
});

const inBlock = (number: number) => ({ blockNumber: toHex(number), blockHash: `0x${"5".repeat(64)}` });

test.each([
  ["reverted", "later", { status: "0x0" }],
  ["reverted", "from the start", { status: "0x0" }],
  ["included in a block of its own", "from the start", { ...inBlock(5), status: "0x0" }],
  ["included in a block far ahead", "from the start", inBlock(10_000_000)],
  ["included in a block that no database holds", "from the start", inBlock(0xffff_ffff)],
])("of three nodes, a first one that calls a transaction %s, %s, keeps it from nothing", async (what, when, lie) => {
  const { blockNumber: number, blockHash: hash } = { ...{ blockNumber: "none", blockHash: null }, ...lie };
  const liar = await startLiar((method, [which]) => {
    if (method === "eth_getTransactionReceipt") return { rewrite: (receipt) => receipt && { ...receipt, ...lie } };
    const isOwn = method === "eth_getBlockByNumber" && which === number;
    return isOwn ? { rewrite: () => ({ number, hash, parentHash: hash, timestamp: "0x1" }) } : null;
  });
  const three = { evm: createNodes({ urls: [liar.url, chain.url(), chain.url()], chainId: chain.chainId, quorum: 2 }) };
  const id = `${what} ${when}`;
  await chain.store(id);
  await sendStored(id, three);
  // Its own block: bytes that reach the chain by three nodes may make another, empty one.
  const block = Number((await chain.client.waitForTransactionReceipt({ hash: await hashOf(id) })).blockNumber);
  await chain.round(when === "later" ? nodes() : three);
  expect(await getRelayed(id)).toMatchObject({ state: /later|ahead|holds/.test(id) ? "succeeded" : "failed", isFinal: false });
  await chain.client.increaseTime({ seconds: 4_000 });
  await chain.mine(TO_FINAL);
  await chain.round(three);
  expect(await getRelayed(id)).toMatchObject({ state: "succeeded", isFinal: true, block });
});

test("a caller that stores while a round runs waits for nothing and loses nothing", async () => {
  const rounds = Array.from({ length: 6 }, () => chain.round());
  const prepared = await chain.prepare();
  const ids = Array.from({ length: 30 }, (_, index) => `busy ${index}`);
  const stores = ids.map(async (id) => {
    await inTransaction((transaction) => storeCall(id, prepared, transaction));
    await sendStored(id, nodes());
  });
  await Promise.all([...rounds, ...stores]);
  // A node on a busy machine takes some of them only after the next block.
  await expect.poll(() => chain.round().then(() => statesOf(ids))).toEqual(ids.map(() => "succeeded"));
});
