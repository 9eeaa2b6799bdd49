import { type Hex, keccak256, parseSignature } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { hasCode, readGasBalance } from "./balances";
import { findBlock } from "./blocks";
import { createNodes } from "./nodes";
import { type Fault, startFaultyNode } from "./testing/faulty-node";
import { newAddress, startUsdcChain, type UsdcChain } from "./testing/usdc-chain";
import {
  broadcast,
  estimateGas,
  findReceipt,
  isKnown,
  raiseFees,
  readFees,
  serializeSigned,
  type Transaction,
  transactionSigningHash,
} from "./transactions";
import { encodeTransfer } from "./usdc";

let chain: UsdcChain;
let sender: PrivateKeyAccount;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  sender = await chain.newAccount(1_000_000_000n);
});
afterEach(async () => {
  await chain.client.setAutomine(true);
  for (const close of toClose.splice(0)) await close();
});
afterAll(() => chain?.stop());

const countOf = (blockTag: "latest" | "pending") => chain.client.getTransactionCount({ address: sender.address, blockTag });

async function createTransaction(data: Hex, more: Partial<Transaction> = {}): Promise<Transaction> {
  const [fees, nonce] = await Promise.all([readFees(chain.nodes), countOf("pending")]);
  return { ...fees, chainId: chain.chainId, nonce, to: chain.usdc, data, gas: 100_000n, ...more };
}

/** Like a signer that receives 32 bytes and nothing else. */
async function sign(transaction: Transaction, by = sender) {
  return serializeSigned(transaction, parseSignature(await by.sign({ hash: transactionSigningHash(transaction) })));
}

const send = (raw: Hex) => broadcast(raw, chain.nodes);

test("a transaction is created, signed by its hash, sent, and found in a block with its cost", async () => {
  const to = newAddress();
  const data = encodeTransfer(to, 5n);
  const estimate = await estimateGas({ from: sender.address, to: chain.usdc, data }, chain.nodes);
  expect(estimate).toEqual({ kind: "fits", gas: expect.any(BigInt) });
  const before = await readGasBalance(sender.address, chain.nodes);
  const { raw, hash } = await sign(await createTransaction(data));
  expect(await findReceipt(hash, chain.nodes)).toBeNull();
  expect(await isKnown(hash, chain.nodes)).toBe(false);
  expect(await send(raw)).toEqual({ kind: "sent" });
  await chain.client.waitForTransactionReceipt({ hash });
  const receipt = await findReceipt(hash, chain.nodes);
  expect(receipt).toMatchObject({ txHash: hash, status: "succeeded", from: sender.address.toLowerCase() });
  expect((await findBlock(receipt?.blockNumber ?? 0, chain.nodes))?.hash).toBe(receipt?.blockHash);
  expect(before - (await readGasBalance(sender.address, chain.nodes))).toBe(receipt?.feeWei);
  expect(estimate.kind === "fits" && estimate.gas < 100_000n).toBe(true);
});

test("the same bytes sent twice, before or after they are in a block, make one transaction", async () => {
  const to = newAddress();
  await chain.client.setAutomine(false);
  const { raw, hash } = await sign(await createTransaction(encodeTransfer(to, 5n)));
  expect(await send(raw)).toEqual({ kind: "sent" });
  expect(await send(raw)).toEqual({ kind: "sent" });
  expect(await isKnown(hash, chain.nodes)).toBe(true);
  expect((await countOf("pending")) - (await countOf("latest"))).toBe(1);
  await chain.mine(1);
  expect(await send(raw)).toEqual({ kind: "nonce_used" });
  expect((await findReceipt(hash, chain.nodes))?.status).toBe("succeeded");
});

test("a stuck transaction is replaced by one with raised fees, but not by a cheaper one", async () => {
  await chain.client.setAutomine(false);
  const first = await createTransaction(encodeTransfer(newAddress(), 5n));
  const stuck = await sign(first);
  expect(await send(stuck.raw)).toEqual({ kind: "sent" });
  const other = { ...first, data: encodeTransfer(newAddress(), 6n) };
  expect(await send((await sign(other)).raw)).toEqual({ kind: "underpriced" });
  const raised = await sign(raiseFees(first, await readFees(chain.nodes)));
  expect(await send(raised.raw)).toEqual({ kind: "sent" });
  await chain.mine(1);
  expect((await findReceipt(raised.hash, chain.nodes))?.status).toBe("succeeded");
  expect(await findReceipt(stuck.hash, chain.nodes)).toBeNull();
});

test("a sender without gas money, a wrong chain and garbage are each refused with their own kind", async () => {
  const poor = await chain.newAccount();
  await chain.client.setBalance({ address: poor.address, value: 1n });
  const transaction = await createTransaction(encodeTransfer(newAddress(), 5n), { nonce: 0 });
  expect(await send((await sign(transaction, poor)).raw)).toEqual({ kind: "no_gas_money" });
  const next = await createTransaction(encodeTransfer(newAddress(), 5n), { chainId: 8_453 });
  expect(await send((await sign(next)).raw)).toMatchObject({ kind: "refused" });
  expect(await send("0x02")).toMatchObject({ kind: "refused" });
});

test("a transaction that fails on the chain has a failed receipt, and its estimate gave the reason", async () => {
  const data = encodeTransfer(newAddress(), 10n ** 15n);
  const reason = "ERC20: transfer amount exceeds balance";
  expect(await estimateGas({ from: sender.address, to: chain.usdc, data }, chain.nodes)).toEqual({ kind: "reverts", reason });
  const { raw, hash } = await sign(await createTransaction(data));
  expect(await send(raw)).toEqual({ kind: "sent" });
  await chain.client.waitForTransactionReceipt({ hash });
  expect((await findReceipt(hash, chain.nodes))?.status).toBe("reverted");
});

test("when a node dies after accepting the bytes, the next node already has them: sent once", async () => {
  const lost: Fault = { rewrite: () => null };
  const node = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_sendRawTransaction" ? lost : null));
  toClose.push(node.close);
  await chain.client.setAutomine(false);
  const { raw, hash } = await sign(await createTransaction(encodeTransfer(newAddress(), 5n)));
  const alone = createNodes({ urls: [node.url], chainId: chain.chainId });
  await expect(broadcast(raw, alone)).rejects.toMatchObject({ kind: "malformed" });
  expect(await isKnown(hash, chain.nodes)).toBe(true);
  const both = createNodes({ urls: [node.url, chain.url()], chainId: chain.chainId });
  expect(await broadcast(raw, both)).toEqual({ kind: "sent" });
  await chain.mine(1);
  expect((await findReceipt(hash, chain.nodes))?.status).toBe("succeeded");
});

test.each<[what: string, fault: Fault]>([
  ["says that it sent the bytes", { claim: ([raw]) => keccak256(raw as Hex) }],
  ["refuses them", { error: { code: -32000, message: "transaction type not supported" } }],
  ["never answers", { until: new Promise(() => undefined) }],
])("a first node that %s, and drops them, keeps nothing from the chain", async (_what, fault) => {
  const node = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_sendRawTransaction" ? fault : null));
  toClose.push(node.close);
  const { raw, hash } = await sign(await createTransaction(encodeTransfer(newAddress(), 5n)));
  const sending = broadcast(raw, createNodes({ urls: [node.url, chain.url()], chainId: chain.chainId }));
  await expect.poll(() => findReceipt(hash, chain.nodes)).toMatchObject({ status: "succeeded" });
  await sending;
});

test("code at an address is seen", async () => {
  expect(await hasCode(chain.usdc, chain.nodes)).toBe(true);
  expect(await hasCode(newAddress(), chain.nodes)).toBe(false);
});

test("an excessive tip suggested by a node is capped", async () => {
  const dear: Fault = { rewrite: () => "0xe8d4a51000" }; // 1,000 gwei
  const node = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_maxPriorityFeePerGas" ? dear : null));
  toClose.push(node.close);
  const [capped, usual] = [await readFees(createNodes({ urls: [node.url], chainId: chain.chainId })), await readFees(chain.nodes)];
  expect(capped.maxPriorityFeePerGas).toBe(10_000_000_000n);
  expect(capped.maxFeePerGas - capped.maxPriorityFeePerGas).toBe(usual.maxFeePerGas - usual.maxPriorityFeePerGas);
  expect(usual.maxPriorityFeePerGas).toBeLessThan(10_000_000_000n);
});
