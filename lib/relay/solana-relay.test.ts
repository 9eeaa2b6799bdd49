// A transaction's way into Solana and its faults, on a chain that runs as its own process, through nodes that fail.

import { base58 } from "@scure/base";
import { createTransferInstruction } from "@solana/spl-token";
import { Connection, type Keypair, type PublicKey, Transaction } from "@solana/web3.js";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { haveNodesAgreed } from "@/lib/chains/quorum";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { readBlockhash } from "@/lib/chains/solana/transactions";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import type { Death } from "@/lib/db/testing/death";
import { dieAtEach, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { newHolder, startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { getRelayed } from "./relayed";
import { runRelay } from "./run";
import { sendStored } from "./send";
import { type SignedTransaction, storeSigned } from "./signed";
import type { SolanaOrder } from "./testing/solana-child";
import { waitForRelayed } from "./wait";

/** Statements from the first until well into the first round; how many rounds follow depends on the chain. */
const LEAST = 19;

const database = await openTestDatabase();
let chain: TestSolanaChain;
let nodes: SolanaNodes;
let payer: { wallet: Keypair; account: PublicKey };
let receiver: PublicKey;
beforeAll(async () => {
  chain = await startTestSolanaChain({ slotMs: 25 });
  nodes = through(chain.url);
  payer = await newHolder(chain, 1_000_000n);
  receiver = (await newHolder(chain, 1n)).account;
  await vi.waitUntil(async () => (await received()) > 0n, { timeout: 30_000, interval: 25 });
});
afterAll(() => chain?.remove());

const through = (...urls: string[]) => new SolanaNodes({ urls, genesisHash: chain.genesisHash });

async function sign(id: string, units: bigint): Promise<SignedTransaction> {
  const { blockhash, lastValidBlockHeight, slot } = await readBlockhash(nodes);
  const transaction = new Transaction({ feePayer: payer.wallet.publicKey, blockhash, lastValidBlockHeight });
  transaction.add(createTransferInstruction(payer.account, receiver, payer.wallet.publicKey, units));
  transaction.sign(payer.wallet);
  const signature = base58.encode(transaction.signature ?? new Uint8Array());
  return { id, bytes: transaction.serialize(), signature, feePayer: payer.wallet.publicKey.toBase58(), lastValidBlockHeight, slot };
}

async function store(id: string, units: bigint): Promise<SignedTransaction> {
  const signed = await sign(id, units);
  expect(await inTransaction((transaction) => storeSigned(signed, transaction))).toBe(signed.signature);
  return signed;
}

const round = (solana = nodes) => runRelay({ solana, resendAfterMs: 0 });
const received = async () => (await readTokenBalances(nodes, [receiver.toBase58()])).get(receiver.toBase58())?.value ?? 0n;

async function untilFinal(id: string, solana = nodes) {
  await expect.poll(() => round(solana).then(() => getRelayed(id)), { interval: 50 }).toMatchObject({ isFinal: true });
  return getRelayed(id);
}

/** A node in front of the real one, with the faults that `decide` returns. */
async function startLiar(decide: (method: string) => Fault | null): Promise<string> {
  const node = await startFaultyNode(chain.url, ({ method }) => decide(method));
  onTestFinished(node.close);
  return node.url;
}

/** A made-up status at the true slot: a node that names an old one would be left out. */
const claimStatus = (status: object): Fault => ({ rewrite: (truth) => ({ ...(truth as object), value: [status] }) });

test("a transaction is stored, sent, confirmed, and final with its actual cost", async () => {
  const before = await received();
  const { signature } = await store("one", 10n);
  expect(await getRelayed("one")).toMatchObject({ chain: "solana", state: "stored", hash: signature });
  await sendStored("one", { solana: nodes });
  expect(await waitForRelayed("one", 30_000, { solana: nodes })).toMatchObject({ state: "succeeded", isFinal: false, fee: null });
  expect(await untilFinal("one")).toMatchObject({ state: "succeeded", fee: 5_000n, hash: signature });
  expect(await received()).toBe(before + 10n);
});

test("while one of two nodes that must agree is silent a transaction does not become final", async () => {
  const { genesisHash } = chain;
  const alone = new SolanaNodes({ urls: [chain.url, "http://127.0.0.1:9"], genesisHash, quorum: 2 });
  await store("unseconded", 10n);
  await sendStored("unseconded", { solana: alone });
  const slot = (await waitForRelayed("unseconded", 30_000, { solana: alone })).block ?? 0;
  const connection = new Connection(chain.url, "confirmed");
  await expect.poll(() => connection.getSlot("finalized"), { interval: 50 }).toBeGreaterThan(slot + 2);
  for (let times = 0; times < 3; times++) await round(alone);
  expect(await getRelayed("unseconded")).toMatchObject({ state: "succeeded", isFinal: false });
  const both = new SolanaNodes({ urls: [chain.url, chain.url], genesisHash, quorum: 2 });
  expect(await untilFinal("unseconded", both)).toMatchObject({ state: "succeeded" });
});

test("a repeated id keeps the first transaction, and the round sends one that was not sent after its commit, once", async () => {
  const before = await received();
  const first = await store("twice", 20n);
  const second = await sign("twice", 999n);
  expect(await inTransaction((transaction) => storeSigned(second, transaction))).toBe(first.signature);
  for (let time = 0; time < 3; time++) await Promise.all([round(), round()]);
  expect(await untilFinal("twice")).toMatchObject({ state: "succeeded", hash: first.signature });
  expect(await received()).toBe(before + 20n);
});

test("killed with -9 at its statements, seen or unseen, one id is one transaction, although its caller signs another after the restart", async () => {
  const program = bundleProgram("lib/relay/testing/solana-child.ts");
  const before = await received();
  let [life, moved] = [0, 0n];
  const live = async (death: Death): ReturnType<typeof runProgram> => {
    life += 1;
    const id = `life ${life}`;
    const { bytes, ...signed } = await sign(id, 1n);
    const place = { databaseUrl: database.url, nodeUrl: chain.url, genesisHash: chain.genesisHash };
    const order: SolanaOrder = { ...place, signed: { ...signed, base64: Buffer.from(bytes).toString("base64") }, ...death };
    const words = await runProgram(program, order);
    const another = await sign(id, 1n);
    await inTransaction((transaction) => storeSigned(another, transaction));
    const { state } = await untilFinal(id);
    expect(["succeeded", "lost"]).toContain(state);
    if (state === "succeeded") moved += 1n;
    expect(await received()).toBe(before + moved);
    // On a busy machine its blockhash may expire meanwhile: then it is lost, nothing has moved, and the run is repeated.
    return state === "lost" ? live(death) : words;
  };
  await dieAtEach({ name: "relay on Solana", moments: ["before", "unseen"], least: LEAST, live });
}, 240_000);

test("a transaction that a node accepted and dropped is sent again with the same bytes", async () => {
  const before = await received();
  const { signature } = await store("dropped", 30n);
  let isDropping = true;
  const dropping = through(await startLiar((method) => (isDropping && method === "sendTransaction" ? { claim: () => signature } : null)));
  await sendStored("dropped", { solana: dropping });
  expect(await waitForRelayed("dropped", 300, { solana: nodes })).toMatchObject({ state: "sent" });
  isDropping = false;
  expect(await untilFinal("dropped", dropping)).toMatchObject({ state: "succeeded", hash: signature });
  expect(await received()).toBe(before + 30n);
});

test("a transaction is lost once its blockhash has expired, not before, and never runs", async () => {
  const before = await received();
  const { signature, lastValidBlockHeight } = await store("late", 40n);
  const dropping = through(await startLiar((method) => (method === "sendTransaction" ? { claim: () => signature } : null)));
  const height = () => new Connection(chain.url, "finalized").getBlockHeight();
  for (;;) {
    await round(dropping);
    const { state } = await getRelayed("late");
    if (state === "lost") break;
    expect(await height()).toBeLessThan(lastValidBlockHeight + 40);
  }
  expect(await height()).toBeGreaterThan(lastValidBlockHeight);
  await sendStored("late", { solana: nodes });
  expect(await getRelayed("late")).toMatchObject({ state: "lost", isFinal: true });
  expect(await received()).toBe(before);
});

test("a transaction that would fail is not sent and says why; one that fails in a block is failed, and costs its fee", async () => {
  await store("too much", 10n ** 15n);
  await sendStored("too much", { solana: nodes });
  expect(await getRelayed("too much")).toMatchObject({ state: "stored", problem: expect.stringContaining("0x1") });
  const { bytes } = await store("fails", 10n ** 15n + 1n);
  await new Connection(chain.url).sendRawTransaction(bytes, { skipPreflight: true });
  expect(await waitForRelayed("fails", 30_000, { solana: nodes })).toMatchObject({ state: "failed" });
  expect(await untilFinal("fails")).toMatchObject({ state: "failed", fee: 5_000n });
});

test("a transaction that one node calls final and another does not know is not final, and is sent when the lie ends", async () => {
  let isLying = true;
  const lie = claimStatus({ slot: 5_200, confirmations: null, err: null, confirmationStatus: "finalized", status: { Ok: null } });
  const liar = await startLiar((method) => (isLying && method === "getSignatureStatuses" ? lie : null));
  const both = through(liar, chain.url);
  const before = await received();
  await store("lied about", 50n);
  for (let time = 0; time < 4; time++) await round(both);
  expect(await getRelayed("lied about")).toMatchObject({ state: "succeeded", isFinal: false });
  expect(await received()).toBe(before);
  isLying = false;
  expect(await untilFinal("lied about", both)).toMatchObject({ state: "succeeded" });
  expect(await received()).toBe(before + 50n);
});

test.each([
  ["another slot and failed, as the first", 0, { ahead: 1_000_000, err: "AccountInUse", confirmationStatus: "finalized" }],
  ["another slot, as the last", 2, { ahead: 1_000_000, err: null, confirmationStatus: "finalized" }],
  ["never final, as the first", 0, { ahead: 1, err: null, confirmationStatus: "confirmed" }],
])("of three nodes, one that calls a transaction %s, keeps it from nothing", async (what, place, { ahead, ...lie }) => {
  const slot = await nodes.call("getSlot", [], z.int());
  const status = { ...lie, slot: slot + ahead, confirmations: null, status: { Ok: null } };
  const liar = await startLiar((method) => {
    if (method === "getBlockHeight") return { claim: () => 0 };
    return method === "getSignatureStatuses" ? claimStatus(status) : null;
  });
  const urls = [chain.url, chain.url].toSpliced(place, 0, liar);
  const three = new SolanaNodes({ urls, genesisHash: chain.genesisHash, quorum: 2 });
  await store(what, 60n);
  await sendStored(what, { solana: three });
  onTestFinished(() => forgetSingleton("disagreement of nodes"));
  onTestFinished(setClock(() => Date.now() + 180_000));
  const { block } = await untilFinal(what, three);
  expect(await getRelayed(what)).toMatchObject({ state: "succeeded", fee: 5_000n });
  expect(block).toBeLessThan(slot + 500);
  expect(haveNodesAgreed()).toBe(lie.confirmationStatus !== "finalized");
});

test("with no node a round does nothing and does not fail", async () => {
  await store("alone", 1n);
  await sendStored("alone", { solana: through("http://127.0.0.1:9") });
  await round(through("http://127.0.0.1:9"));
  expect(await getRelayed("alone")).toMatchObject({ state: "stored", problem: null });
  await untilFinal("alone");
});

test("signed bytes are never changed or deleted", async () => {
  await expect(pool().query("UPDATE relay_broadcast SET raw = '\\x00'")).rejects.toThrow("is never changed");
  await expect(pool().query("DELETE FROM relay_broadcast")).rejects.toThrow("is never changed");
});
