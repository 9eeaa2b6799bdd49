// Finding transactions by memo, on a real chain in its own process, through nodes that return short pages, prune or do not answer.

import { createTransferInstruction } from "@solana/spl-token";
import { type Keypair, PublicKey, Transaction, TransactionInstruction } from "@solana/web3.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { newHolder, startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { findByMemo } from "./memo-search";
import { SolanaNodes } from "./nodes";

let chain: TestSolanaChain;
let payer: { wallet: Keypair; account: PublicKey };
let receiver: PublicKey;
let since: Date;
beforeAll(async () => {
  chain = await startTestSolanaChain({ slotMs: 25 });
  since = new Date();
  payer = await newHolder(chain, 1_000n);
  receiver = (await newHolder(chain, 1n)).account;
});
afterAll(() => chain?.remove());

const through = (...urls: string[]) => new SolanaNodes({ urls, genesisHash: chain.genesisHash });
const find = (memo: string, nodes = through(chain.url)) => findByMemo(nodes, { account: payer.account.toBase58(), memo, since });

/** Pays with memos; resolves with the signature, once it is confirmed. */
async function pay(units: bigint, ...memos: string[]): Promise<string> {
  const connection = chain.connect();
  const programId = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
  const transaction = new Transaction({ feePayer: payer.wallet.publicKey, ...(await connection.getLatestBlockhash()) });
  transaction.add(createTransferInstruction(payer.account, receiver, payer.wallet.publicKey, units));
  for (const memo of memos) transaction.add(new TransactionInstruction({ keys: [], programId, data: Buffer.from(memo) }));
  transaction.sign(payer.wallet);
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  await expect.poll(async () => (await connection.getSignatureStatus(signature)).value?.confirmationStatus).toMatch(/confirmed|finalized/);
  return signature;
}

async function startNode(decide: (method: string) => Fault | null): Promise<string> {
  const { url, close } = await startFaultyNode(chain.url, ({ method }) => decide(method));
  onTestFinished(close);
  return url;
}

test("a transaction is found by one whole memo among several, and not when it failed", async () => {
  const [one, two] = [await pay(1n, "order one"), await pay(1n, "a memo", "order two")];
  await pay(1n, "order one, but another");
  await pay(10_000_000n, "order three");
  expect(await find("order one")).toEqual([one]);
  expect(await find("order two")).toEqual([two]);
  expect(await Promise.all(["order three", "order", "a memo; [9] order two", ""].map((memo) => find(memo)))).toEqual([[], [], [], []]);
});

test("the search reads every page, however short a node makes them", async () => {
  const signature = await pay(1n, "far back");
  for (let n = 0; n < 4; n++) await pay(1n);
  const stingy = await startNode((method) =>
    method === "getSignaturesForAddress" ? { rewrite: (page) => (page as unknown[]).slice(0, 1) } : null,
  );
  expect(await find("far back", through(stingy))).toEqual([signature]);
  expect(await find("nowhere", through(stingy))).toEqual([]);
});

test("the search fails while a node does not answer or has pruned that period; a result from any one node counts", async () => {
  const signature = await pay(1n, "known to one");
  const empty = await startNode((method) => (method === "getSignaturesForAddress" ? { rewrite: () => [] } : null));
  expect(await find("known to one", through(empty, chain.url))).toEqual([signature]);
  await expect(find("known to one", through(chain.url, "http://127.0.0.1:9"))).rejects.toThrow("node 2");
  const slot = await chain.connect().getSlot();
  const later = Math.ceil(Date.now() / 1_000) + 60;
  const forgetful = await startNode((method) => {
    if (method === "getFirstAvailableBlock") return { rewrite: () => slot };
    return method === "getBlockTime" ? { rewrite: () => later } : null;
  });
  await expect(find("known to one", through(forgetful))).rejects.toThrow("the blocks of that time are forgotten");
});

test("among the newest entries that are asked for, one that ran before the given moment is found", async () => {
  const signature = await pay(1n, "before the restore");
  for (let n = 0; n < 2; n++) await pay(1n);
  const stingy = await startNode((method) =>
    method === "getSignaturesForAddress" ? { rewrite: (page) => (page as unknown[]).slice(0, 1) } : null,
  );
  const query = { account: payer.account.toBase58(), memo: "before the restore", since: new Date(Date.now() + 3_600_000) };
  expect(await findByMemo(through(stingy), { ...query, minEntries: 3 })).toEqual([signature]);
  expect(await findByMemo(through(stingy), { ...query, minEntries: 2 })).toEqual([]);
  expect(await findByMemo(through(stingy), { ...query, minEntries: 1_000 })).toEqual([signature]);
});
