// Reading and sending on a chain in its own process, through nodes with realistic failures.

import { base58 } from "@scure/base";
import {
  createAssociatedTokenAccountIdempotent,
  createCloseAccountInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  transfer,
} from "@solana/spl-token";
import { type Connection, Keypair, PublicKey, SystemProgram, sendAndConfirmTransaction, Transaction } from "@solana/web3.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { SolanaRefusal } from "./node-failure";
import { SolanaNodes } from "./nodes";
import { findStatus, isLost, readBlockhash, readFinalizedSlot, sendTransaction } from "./transactions";
import { listSignatures, readTokenBalances, readTokenChange, USDC_MINT } from "./usdc";

const mint = new PublicKey(USDC_MINT);

let chain: TestSolanaChain;
let connection: Connection;
let nodes: SolanaNodes;
beforeAll(async () => {
  chain = await startTestSolanaChain({ slotMs: 25 });
  // It would keep a blockhash for thirty seconds; at 25 ms a slot one lives for less than four.
  connection = Object.assign(chain.connect(), { _disableBlockhashCaching: true });
  nodes = new SolanaNodes({ urls: [chain.url], genesisHash: chain.genesisHash });
});
afterAll(async () => await chain?.remove());

async function finalize(signature: string): Promise<void> {
  const isFinal = async () => (await findStatus(nodes, signature))?.commitment === "finalized";
  await vi.waitUntil(isFinal, { timeout: 30_000, interval: 25 });
}

/** A key with SOL and `units` USDC, all final. */
async function newHolder(units: bigint) {
  const wallet = Keypair.generate();
  await chain.airdrop(wallet.publicKey.toBase58(), 1_000_000_000n);
  const signature = await chain.faucet(wallet.publicKey.toBase58(), units);
  await finalize(signature);
  return { wallet, account: getAssociatedTokenAddressSync(mint, wallet.publicKey), signature };
}

/** The account's change by each signature after `cursor`, oldest first. */
async function changesOf(account: PublicKey, cursor: string | null = null): Promise<(readonly [bigint, bigint] | null)[]> {
  const tokenAccount = account.toBase58();
  const signatures = await listSignatures(nodes, tokenAccount, { cursor, most: 100 });
  const changes = await Promise.all(
    signatures.map(({ signature }) => readTokenChange(nodes, signature, { tokenAccount, mint: USDC_MINT })),
  );
  return changes.map((change) => change && [change.before, change.after]);
}

test("deposits are read oldest first: transfers in one transaction are summed, failed ones are null", async () => {
  const { wallet: payer, account: from } = await newHolder(1_000n);
  const { account: to } = await newHolder(5n);
  await transfer(connection, payer, from, to, payer, 10n);
  const twice = new Transaction();
  for (const units of [20n, 30n]) twice.add(createTransferInstruction(from, to, payer.publicKey, units));
  await sendAndConfirmTransaction(connection, twice, [payer]);
  await expect(transfer(connection, payer, from, to, payer, 9_999n, [], { skipPreflight: true })).rejects.toThrow();
  await finalize(
    await sendAndConfirmTransaction(connection, new Transaction().add(createTransferInstruction(from, to, payer.publicKey, 1n)), [payer]),
  );
  expect(await changesOf(to)).toEqual([[0n, 5n], [5n, 15n], [15n, 65n], null, [65n, 66n]]);
  const signatures = await listSignatures(nodes, to.toBase58(), { cursor: null, most: 100 });
  expect(signatures.map(({ isFailed }) => isFailed)).toEqual([false, false, false, true, false]);
  const balances = await readTokenBalances(nodes, [to.toBase58(), Keypair.generate().publicKey.toBase58()]);
  expect([...balances.values()].map(({ value }) => value)).toEqual([66n, null]);
});

test("an account that is closed and created again is read correctly: its earlier balance has left it", async () => {
  const { wallet, account } = await newHolder(7n);
  const { account: other } = await newHolder(1n);
  const close = new Transaction().add(
    createTransferInstruction(account, other, wallet.publicKey, 7n),
    createCloseAccountInstruction(account, wallet.publicKey, wallet.publicKey),
  );
  await sendAndConfirmTransaction(connection, close, [wallet]);
  await createAssociatedTokenAccountIdempotent(connection, wallet, mint, wallet.publicKey);
  await finalize(await chain.faucet(wallet.publicKey.toBase58(), 9n));
  expect(await changesOf(account)).toEqual([
    [0n, 7n],
    [7n, 0n],
    [0n, 0n],
    [0n, 9n],
  ]);
});

test("only final signatures after the cursor are listed, oldest first", async () => {
  const { wallet, account, signature } = await newHolder(1n);
  const owner = wallet.publicKey.toBase58();
  const cursor = { cursor: signature, most: 100 };
  const early = await chain.faucet(owner, 2n);
  expect(await listSignatures(nodes, account.toBase58(), cursor)).toEqual([]);
  const later = [];
  for (let units = 3n; units < 8n; units++) later.push(await chain.faucet(owner, units));
  await finalize(later.at(-1) ?? "");
  const listed = await listSignatures(nodes, account.toBase58(), cursor);
  expect(listed.map((entry) => entry.signature)).toEqual([early, ...later]);
  const first = await listSignatures(nodes, account.toBase58(), { ...cursor, most: 2 });
  expect(first.map((entry) => entry.signature)).toEqual([early, later[0]]);
  expect(await changesOf(account, later[3])).toEqual([[21n, 28n]]);
});

test("1,100 deposits to one account are listed across several pages, each once", { timeout: 120_000 }, async () => {
  const { wallet, account } = await newHolder(1n);
  let last = "";
  for (let batch = 0; batch < 11; batch++) {
    const gifts = await Promise.all(Array.from({ length: 100 }, () => chain.faucet(wallet.publicKey.toBase58(), 1n)));
    last = gifts.at(-1) ?? "";
  }
  await finalize(last);
  const listed = await listSignatures(nodes, account.toBase58(), { cursor: null, most: 5_000 });
  expect(new Set(listed.map(({ signature }) => signature)).size).toBe(1_101);
  expect(listed.map(({ slot }) => slot)).toEqual(listed.map(({ slot }) => slot).sort((one, other) => one - other));
  const balances = await readTokenBalances(nodes, [account.toBase58()]);
  expect(balances.get(account.toBase58())?.value).toBe(1_101n);
});

/** A signed transfer of lamports, ready to be sent. */
async function newTransfer(lamports: number) {
  const { wallet } = await newHolder(1n);
  const { blockhash, ...used } = await readBlockhash(nodes);
  const to = Keypair.generate().publicKey;
  const transaction = new Transaction().add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: to, lamports }));
  transaction.feePayer = wallet.publicKey;
  transaction.recentBlockhash = blockhash;
  transaction.sign(wallet);
  return { bytes: transaction.serialize(), signature: base58.encode(transaction.signature ?? Buffer.alloc(0)), used, to };
}

test("a transaction can be sent any number of times and runs once; its status advances to final", async () => {
  const { bytes, signature, to, used } = await newTransfer(1_000_000);
  expect(await findStatus(nodes, signature)).toBeNull();
  for (let time = 0; time < 3; time++) await sendTransaction(nodes, bytes, signature);
  expect(await findStatus(nodes, signature)).toMatchObject({ isFailed: false });
  await finalize(signature);
  expect(await findStatus(nodes, signature)).toMatchObject({ commitment: "finalized" });
  expect(await connection.getBalance(to)).toBe(1_000_000);
  expect(await isLost(nodes, signature, used)).toBe(false);
  expect(await isLost(nodes, signature, { ...used, lastValidBlockHeight: 0 })).toBe(false);
});

test("a transaction that would fail is refused with its logs, and an unsent one is lost only after its last valid block", async () => {
  const { bytes, signature } = await newTransfer(5_000_000_000);
  const refusal = await sendTransaction(nodes, bytes, signature).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SolanaRefusal);
  expect(refusal).toMatchObject({ code: -32002, simulation: { err: { InstructionError: [0, { Custom: 1 }] } } });
  const kept = await newTransfer(1_000_000);
  expect(await isLost(nodes, kept.signature, kept.used)).toBe(false);
  await vi.waitUntil(() => isLost(nodes, kept.signature, kept.used), { timeout: 30_000, interval: 25 });
  await expect(sendTransaction(nodes, kept.bytes, kept.signature)).rejects.toThrow("Blockhash not found");
  expect(await findStatus(nodes, kept.signature)).toBeNull();
  // A node that does not answer may be the one that knows it.
  const withSilent = new SolanaNodes({ urls: [chain.url, "http://127.0.0.1:9"], genesisHash: chain.genesisHash });
  await expect(isLost(withSilent, kept.signature, kept.used)).rejects.toThrow("node 2");
  // A node that has pruned that period proves nothing.
  await expect(isLost(nodes, kept.signature, { ...kept.used, slot: 1 })).rejects.toThrow("the blocks of that time are forgotten");
});

test("the finalized slot is behind the newest one", async () => {
  const finalized = await readFinalizedSlot(nodes);
  expect(await connection.getSlot("processed")).toBeGreaterThan(finalized);
});
