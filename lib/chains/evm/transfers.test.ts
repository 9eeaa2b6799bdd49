import { type Hex, pad, toHex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readBalances } from "./balances";
import { findBlock } from "./blocks";
import { createNodes } from "./nodes";
import { type Fault, startFaultyNode } from "./testing/faulty-node";
import { newAddress, startUsdcChain, type UsdcChain } from "./testing/usdc-chain";
import { readTransfers } from "./transfers";
import { encodeTransfer } from "./usdc";

/** A token that moves nothing but emits a Transfer of 5 between addresses that its caller names: PUSH the words, LOG3. */
const STRANGE_TOKEN: Hex = "0x60056000526020356000357fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300";

let chain: UsdcChain;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  // No blocks are mined in the background during these tests.
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});
afterAll(() => chain?.stop());

async function faulty(decide: (method: string, call: number) => Fault | null) {
  let call = 0;
  const node = await startFaultyNode(chain.url(), ({ method }) => decide(method, call++));
  toClose.push(node.close);
  return {
    nodes: createNodes({ urls: [node.url], chainId: chain.chainId }),
    both: createNodes({ urls: [node.url, chain.url()], chainId: chain.chainId }),
  };
}

const query = (receivers: Hex[], fromBlock: number, toBlock: number) => ({ token: chain.usdc, receivers, fromBlock, toBlock });

test("transfers are found with amount, sender, log index and block hash, and an empty range gives none", async () => {
  const owner = await chain.newAccount(9_000_000n);
  const [one, two] = [newAddress(), newAddress()];
  const before = await chain.blockNumber();
  const hashes: Hex[] = [];
  for (const [to, units] of [
    [one, 1n],
    [two, 2_000_000n],
    [one, 0n],
  ] as const) {
    hashes.push(await chain.client.sendTransaction({ account: owner, to: chain.usdc, data: encodeTransfer(to, units) }));
    await chain.client.waitForTransactionReceipt({ hash: hashes.at(-1) ?? "0x" });
  }
  const last = await chain.blockNumber();
  const { transfers, end } = await readTransfers(query([one, two], before + 1, last), chain.nodes);
  const from = owner.address.toLowerCase();
  const found = transfers.map((transfer) => [transfer.txHash, transfer.from, transfer.to, transfer.units]);
  expect(found).toEqual([
    [hashes[0], from, one, 1n],
    [hashes[1], from, two, 2_000_000n],
    [hashes[2], from, one, 0n],
  ]);
  for (const transfer of transfers) expect((await findBlock(transfer.blockNumber, chain.nodes))?.hash).toBe(transfer.blockHash);
  expect(end).toEqual(await findBlock("latest", chain.nodes));
  expect((await readTransfers(query([newAddress()], 0, last), chain.nodes)).transfers).toEqual([]);
  expect((await readTransfers(query([], 0, last), chain.nodes)).transfers).toEqual([]);
});

test("300 transfers to 5,000 addresses are read in chunks, and their balances too", async () => {
  const receivers = Array.from({ length: 5_000 }, () => newAddress());
  const first = (await chain.blockNumber()) + 1;
  const paid = receivers.filter((_, index) => index % 16 === 3).slice(0, 300);
  const owner = await chain.newAccount(1_000_000_000n);
  await chain.client.setAutomine(false);
  for (const [nonce, to] of paid.entries()) {
    const data = encodeTransfer(to, BigInt(nonce + 1));
    await chain.client.sendTransaction({ account: owner, to: chain.usdc, data, gas: 100_000n, nonce });
  }
  await chain.client.setAutomine(true);
  await chain.mine(200);
  const last = await chain.blockNumber();
  const { transfers } = await readTransfers(query(receivers, first, last), chain.nodes);
  expect(transfers.map(({ to, units }) => [to, units])).toEqual(paid.map((to, index) => [to, BigInt(index + 1)]));
  const block = await findBlock("latest", chain.nodes);
  const balances = await readBalances({ token: chain.usdc, accounts: receivers, blockHash: block?.hash ?? "0x" }, chain.nodes);
  expect(balances.filter((units) => units > 0n)).toEqual(paid.map((_, index) => BigInt(index + 1)));
  const past = await findBlock(first - 1, chain.nodes);
  const before = await readBalances({ token: chain.usdc, accounts: receivers, blockHash: past?.hash ?? "0x" }, chain.nodes);
  expect(before.every((units) => units === 0n)).toBe(true);
});

test("a query for every token finds another token's transfers and names it; a query for USDC does not", async () => {
  const strange = newAddress();
  const owner = await chain.newAccount();
  const receiver = newAddress();
  await chain.client.setCode({ address: strange, bytecode: STRANGE_TOKEN });
  const data: Hex = `${pad(owner.address)}${pad(receiver).slice(2)}`;
  const hash = await chain.client.sendTransaction({ account: owner, to: strange, data });
  const { blockNumber } = await chain.client.waitForTransactionReceipt({ hash });
  const at = Number(blockNumber);
  const all = await readTransfers({ ...query([receiver], at, at), token: null }, chain.nodes);
  expect(all.transfers).toMatchObject([{ token: strange, to: receiver, units: 5n }]);
  expect((await readTransfers(query([receiver], at, at), chain.nodes)).transfers).toEqual([]);
});

test.each([1, 3, 10])("a reorganisation of depth %i changes the hash of the range's end", async (depth) => {
  const receiver = newAddress();
  await chain.mine(12);
  await chain.mint(receiver, 1_000_000n);
  await chain.mine(depth - 1);
  const at = await chain.blockNumber();
  const read = await readTransfers(query([receiver], at - 10, at), chain.nodes);
  expect(read.transfers).toHaveLength(1);
  await chain.reorg(depth);
  expect(await chain.blockNumber()).toBeGreaterThanOrEqual(at);
  expect((await findBlock(at, chain.nodes))?.hash).not.toBe(read.end.hash);
  expect((await readTransfers(query([receiver], at - 10, at), chain.nodes)).transfers).toEqual([]);
});

test("an empty answer from a node that lacks the end of the range is not believed", async () => {
  const at = (await chain.blockNumber()) + 5;
  await expect(readTransfers(query([newAddress()], 0, at), chain.nodes)).rejects.toMatchObject({ kind: "behind" });
});

test("a chain that is reorganised between two responses is read again, never half of each", async () => {
  const receiver = newAddress();
  await chain.mint(receiver, 1_000_000n);
  const at = await chain.blockNumber();
  let blocks = 0;
  const other = { rewrite: (result: unknown) => ({ ...(result as object), hash: pad(toHex(7)) }) };
  const { nodes, both } = await faulty((method) => (method === "eth_getBlockByNumber" && blocks++ % 2 === 1 ? other : null));
  await expect(readTransfers(query([receiver], at, at), nodes)).rejects.toMatchObject({ kind: "moved" });
  expect((await readTransfers(query([receiver], at, at), both)).transfers).toHaveLength(1);
});

test("repeated logs count once, removed ones not at all, and logs that were not requested make the response malformed", async () => {
  const receiver = newAddress();
  await chain.mint(receiver, 1_000_000n);
  const at = await chain.blockNumber();
  const rewrite = (change: (logs: object[]) => object[]) =>
    faulty((method) => (method === "eth_getLogs" ? { rewrite: (result) => change(result as object[]) } : null));
  const read = async ({ nodes }: Awaited<ReturnType<typeof faulty>>) =>
    (await readTransfers(query([receiver], at, at), nodes)).transfers.length;
  expect(await read(await rewrite((logs) => [...logs, ...logs]))).toBe(1);
  expect(await read(await rewrite((logs) => logs.map((log) => ({ ...log, removed: true }))))).toBe(0);
  const lies: object[] = [
    { address: newAddress() },
    { blockNumber: toHex(at + 1) },
    { data: "0x" },
    { topics: [pad("0x1"), pad("0x2"), pad(receiver)] },
    { transactionHash: "0x12" },
    { logIndex: null },
  ];
  for (const lie of lies) {
    const liar = await rewrite((logs) => logs.map((log) => ({ ...log, ...lie })));
    await expect(read(liar), JSON.stringify(lie)).rejects.toMatchObject({ kind: "malformed" });
    expect((await readTransfers(query([receiver], at, at), liar.both)).transfers).toHaveLength(1);
  }
  const moved = await rewrite((logs) => logs.map((log) => ({ ...log, blockHash: pad("0x9") })));
  await expect(read(moved)).rejects.toMatchObject({ kind: "moved" });
});

test.each([
  [-32_005, "query returned more than 10000 results"],
  [-32_602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"],
  [-32_000, "block range is too large, max is 1k blocks"],
  [-32_000, "query timeout exceeded"],
])("a range that is too large is reported at once (%i: %s)", async (code, message) => {
  const { both } = await faulty((method) => (method === "eth_getLogs" ? { error: { code, message } } : null));
  await expect(readTransfers(query([newAddress()], 0, 1), both)).rejects.toMatchObject({ kind: "too_large" });
});
