// Attacks by whoever runs one of two Solana nodes: a payment's message counts as paid only when both show it, under the same signature, as
// successful, in the same slot.

import { base58 } from "@scure/base";
import { createTransferInstruction } from "@solana/spl-token";
import { Transaction } from "@solana/web3.js";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { newHolder, startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { type Fault, startFaultyNode } from "../evm/testing/faulty-node";
import { haveNodesAgreed } from "../quorum";
import { SolanaNodes } from "./nodes";
import { isMessageShown, type ShownMessage } from "./sent-message";
import { findStatus, readBlockhash, sendTransaction } from "./transactions";

let chain: TestSolanaChain;
let honest: SolanaNodes;
/** A transaction that ran, and another one that did. */
let paid: ShownMessage;
let other: ShownMessage;
type Holder = Awaited<ReturnType<typeof newHolder>>;
let ends: { payer: Holder; receiver: Holder };
const toClose: (() => Promise<void>)[] = [];

beforeAll(async () => {
  chain = await startTestSolanaChain({ slotMs: 25 });
  honest = through(1, chain.url);
  const receiver = await newHolder(chain, 1n);
  const payer = await newHolder(chain, 1_000_000n);
  ends = { payer, receiver };
  // The account exists once its transaction is confirmed.
  const isThere = async () => (await chain.connect().getAccountInfo(receiver.account, "confirmed")) !== null;
  await vi.waitUntil(isThere, { timeout: 30_000, interval: 25 });
  paid = await send(5n);
  other = await send(7n);
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});
afterAll(() => chain?.remove());

/** A transaction that nobody has sent yet. */
async function signTransfer(units: bigint) {
  const { payer, receiver } = ends;
  const { blockhash, lastValidBlockHeight } = await chain.connect().getLatestBlockhash("confirmed");
  const transaction = new Transaction({ feePayer: payer.wallet.publicKey, blockhash, lastValidBlockHeight });
  transaction.add(createTransferInstruction(payer.account, receiver.account, payer.wallet.publicKey, units));
  transaction.sign(payer.wallet);
  return { signature: base58.encode(transaction.signature ?? new Uint8Array()), bytes: transaction.serialize(), transaction };
}

async function untilConfirmed(signature: string): Promise<void> {
  const isConfirmed = async () => ((await findStatus(honest, signature))?.commitment ?? "processed") !== "processed";
  await vi.waitUntil(isConfirmed, { timeout: 30_000, interval: 25 });
}

async function send(units: bigint): Promise<ShownMessage> {
  const { signature, bytes, transaction } = await signTransfer(units);
  await chain.connect().sendRawTransaction(bytes);
  await untilConfirmed(signature);
  const { slot } = (await findStatus(honest, signature)) ?? { slot: 0 };
  return { signature, slot, message: transaction.serializeMessage() };
}

const through = (quorum: number, ...urls: string[]) => new SolanaNodes({ urls, genesisHash: chain.genesisHash, quorum });

/** Both orders of the chain's own node and one that lies about transactions. */
async function withLiar(fault: (params: readonly unknown[]) => Fault | null): Promise<SolanaNodes[]> {
  const { url, close } = await startFaultyNode(chain.url, ({ method, params }) => (method === "getTransaction" ? fault(params) : null));
  toClose.push(close);
  return [through(2, url, chain.url), through(2, chain.url, url)];
}

test("a message that two nodes show counts; another one, another slot and another signature do not", async () => {
  const both = through(2, chain.url, chain.url);
  expect(await isMessageShown(both, paid)).toBe(true);
  expect(await isMessageShown(both, { ...paid, message: other.message })).toBe(false);
  expect(await isMessageShown(both, { ...paid, slot: paid.slot + 1 })).toBe(false);
  expect(await isMessageShown(both, { ...paid, signature: other.signature })).toBe(false);
});

test("one node alone cannot pass another transaction off as the payment, make one up, or call a failed one successful", async () => {
  const unknown = { ...paid, signature: base58.encode(new Uint8Array(64).fill(7)) };
  const shown = await chain.connect().getTransaction(paid.signature, { commitment: "confirmed", maxSupportedTransactionVersion: 0 });
  expect(shown?.slot).toBe(paid.slot);
  const answer = await honest.call(
    "getTransaction",
    [paid.signature, { commitment: "confirmed", encoding: "base64", maxSupportedTransactionVersion: 0 }],
    z.unknown(),
  );
  for (const nodes of await withLiar(() => ({ rewrite: () => answer }))) {
    expect(await isMessageShown(nodes, { ...paid, signature: other.signature })).toBe(false);
    expect(await isMessageShown(nodes, unknown)).toBe(false);
    expect(await isMessageShown(nodes, paid)).toBe(true);
  }
});

test.each<[string, Fault]>([
  ["does not know it", { rewrite: () => null }],
  ["is down", { drop: true }],
  ["says that it failed", { rewrite: (answer) => ({ ...(answer as object), meta: { err: { InstructionError: [0, "Custom"] } } }) }],
  ["has it in another slot", { rewrite: (answer) => ({ ...(answer as object), slot: 1 }) }],
])("while one of two nodes %s, a payment does not count", async (_, fault) => {
  for (const nodes of await withLiar(() => fault)) expect(await isMessageShown(nodes, paid)).toBe(false);
});

test("one node alone cannot name an end of a transaction before which it is given up", async () => {
  const lie = (result: unknown) => {
    const { context, value } = result as { context: object; value: { blockhash: string } };
    return { context, value: { ...value, lastValidBlockHeight: 1 } };
  };
  const { url, close } = await startFaultyNode(chain.url, ({ method }) => (method === "getLatestBlockhash" ? { rewrite: lie } : null));
  toClose.push(close);
  const [height, nodes] = [await chain.connect().getBlockHeight("confirmed"), through(2, url, chain.url)];
  const { lastValidBlockHeight } = await readBlockhash(nodes);
  expect(lastValidBlockHeight).toBeGreaterThanOrEqual(height + 150);
  expect(lastValidBlockHeight).toBeLessThan(height + 1_000);
});

test.each<[what: string, fault: (signature: string) => Fault]>([
  ["says that it sent a transaction", (signature) => ({ claim: () => signature })],
  ["refuses it", () => ({ error: { code: -32602, message: "too large" } })],
  ["never answers", () => ({ until: new Promise(() => undefined) })],
])("a first node that %s, and drops it, keeps nothing from the chain", async (_what, fault) => {
  const { signature, bytes } = await signTransfer(1n);
  const { url, close } = await startFaultyNode(chain.url, ({ method }) => (method === "sendTransaction" ? fault(signature) : null));
  toClose.push(close);
  const sending = sendTransaction(through(1, url, chain.url), bytes, signature).catch(() => undefined);
  await untilConfirmed(signature);
  await sending;
});

test.each<[what: string, lies: Readonly<Record<string, number>>]>([
  ["names a height that never comes", { getBlockHeight: 2 ** 52 }],
  ["names the first slot of all", { getSlot: 0 }],
])("a node that %s makes no transaction that can neither run nor be given up", async (_what, lies) => {
  onTestFinished(() => forgetSingleton("disagreement of nodes"));
  const { url, close } = await startFaultyNode(chain.url, ({ method }) => {
    const lie = lies[method];
    return lie === undefined ? null : { claim: () => lie };
  });
  toClose.push(close);
  const [height, slot] = [await chain.connect().getBlockHeight("confirmed"), await chain.connect().getSlot("finalized")];
  const shared = await readBlockhash(through(2, url, chain.url, chain.url));
  expect(shared.lastValidBlockHeight).toBeLessThan(height + 1_000);
  expect(shared.slot).toBeGreaterThanOrEqual(slot);
  await expect(readBlockhash(through(2, url, chain.url))).rejects.toThrow("near each other");
  expect(haveNodesAgreed()).toBe(false);
});
