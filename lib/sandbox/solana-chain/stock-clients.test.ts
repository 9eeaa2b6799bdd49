// The unmodified stock clients @solana/web3.js and @solana/spl-token on a chain in its own process.

import {
  createAssociatedTokenAccountIdempotent,
  createBurnInstruction,
  createMintToInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
  getOrCreateAssociatedTokenAccount,
  transfer,
  transferChecked,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { newHolder, startTestSolanaChain, type TestSolanaChain } from "./testing";

const SOL = 1_000_000_000;
const mint = new PublicKey(USDC_MINT);

let chain: TestSolanaChain;
let connection: Connection;
beforeAll(async () => {
  chain = await startTestSolanaChain();
  connection = chain.connect();
});
afterAll(async () => await chain?.remove());

test("SOL is sent, and confirmed over the WebSocket", async () => {
  const [from, to] = [(await newHolder(chain, 1n)).wallet, Keypair.generate().publicKey];
  const transaction = new Transaction().add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: SOL }));
  const signature = await sendAndConfirmTransaction(connection, transaction, [from]);
  expect(await connection.getBalance(to)).toBe(SOL);
  expect(await connection.getBalance(from.publicKey)).toBe(9 * SOL - 5_000);
  const { value } = await connection.getSignatureStatus(signature);
  // On a busy machine it is final by now, and counts no confirmations any more.
  expect(value?.err).toBeNull();
  expect(["confirmed", "finalized"]).toContain(value?.confirmationStatus);
  if (value?.confirmationStatus === "confirmed") expect(value.confirmations).toBeGreaterThanOrEqual(1);
});

/** The numbers of confirmations that were seen before a transaction was final, in their order. */
async function watchConfirmations(): Promise<number[]> {
  const to = Keypair.generate().publicKey;
  const signature = await connection.requestAirdrop(to, SOL);
  expect(await connection.getBalance(to, "processed")).toBe(SOL);
  const early = await connection.getBalance(to, "finalized");
  const seen = new Set<number>();
  for (;;) {
    const listed = await connection.getSignaturesForAddress(to, {}, "finalized");
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.confirmationStatus === "finalized") break;
    expect(listed).toEqual([]);
    seen.add(value?.confirmations ?? -1);
  }
  expect(await connection.getBalance(to, "finalized")).toBe(SOL);
  if (seen.size > 3) expect(early).toBe(0);
  return [...seen];
}

test("confirmations increase until a transaction is final, and only then the finalized balance changes", async () => {
  let seen = await watchConfirmations();
  // On a busy machine the chain may be done with a transaction after a few questions: then another is watched.
  while (seen.length <= 3) seen = await watchConfirmations();
  expect(seen).toEqual([...seen].sort((one, other) => one - other));
});

test("the mint is USDC's: six decimals, and the faucet may mint and freeze", async () => {
  const { decimals, mintAuthority, freezeAuthority } = await getMint(connection, mint);
  expect(decimals).toBe(6);
  expect([mintAuthority?.toBase58(), freezeAuthority?.toBase58()]).toEqual([chain.faucetAddress, chain.faucetAddress]);
  expect(Keypair.fromSecretKey(chain.faucetSecretKey).publicKey.toBase58()).toBe(chain.faucetAddress);
});

test("the faucet creates the token account and mints, even twice in one slot", async () => {
  const owner = Keypair.generate().publicKey;
  const signatures = await Promise.all([chain.faucet(owner.toBase58(), 5_000_000n), chain.faucet(owner.toBase58(), 5_000_000n)]);
  expect(new Set(signatures).size).toBe(2);
  const account = getAssociatedTokenAddressSync(mint, owner);
  const { value } = await connection.getTokenAccountBalance(account, "processed");
  expect(value).toEqual({ amount: "10000000", decimals: 6, uiAmount: 10, uiAmountString: "10" });
});

test("USDC is sent with transfer and transferChecked to an account created idempotently", async () => {
  const { wallet, account } = await newHolder(chain, 3_000_000n);
  const owner = Keypair.generate().publicKey;
  const to = await createAssociatedTokenAccountIdempotent(connection, wallet, mint, owner);
  expect(await createAssociatedTokenAccountIdempotent(connection, wallet, mint, owner)).toEqual(to);
  expect((await getOrCreateAssociatedTokenAccount(connection, wallet, mint, owner)).address).toEqual(to);
  await transfer(connection, wallet, account, to, wallet, 1_000_000n);
  await transferChecked(connection, wallet, account, mint, to, wallet, 500_001n, 6);
  expect((await getAccount(connection, to)).amount).toBe(1_500_001n);
  expect((await getAccount(connection, account)).amount).toBe(1_499_999n);
  const found = await connection.getParsedTokenAccountsByOwner(owner, { mint });
  expect(found.value.map(({ pubkey }) => pubkey)).toEqual([to]);
  expect(found.value[0]?.account.data.parsed.info.tokenAmount.uiAmountString).toBe("1.500001");
  await expect(transferChecked(connection, wallet, account, mint, to, wallet, 1n, 9)).rejects.toThrow("custom program error: 0x12");
});

test("a transaction shows the token balances before and after", async () => {
  const { wallet, account } = await newHolder(chain, 2_000_000n);
  const { account: to } = await newHolder(chain, 7n);
  const signature = await transferChecked(connection, wallet, account, mint, to, wallet, 2_000_000n, 6);
  const told = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(told?.version).toBe("legacy");
  const keys = told?.transaction.message.getAccountKeys();
  const of = (balances: typeof pre, amountOf: PublicKey) =>
    balances?.find(({ accountIndex }) => keys?.get(accountIndex)?.equals(amountOf))?.uiTokenAmount.amount;
  const [pre, post] = [told?.meta?.preTokenBalances, told?.meta?.postTokenBalances];
  expect([of(pre, account), of(post, account), of(pre, to), of(post, to)]).toEqual(["2000000", "0", "7", "2000007"]);
  expect(told?.meta).toMatchObject({ err: null, fee: 5_000 });
  expect(told?.meta?.logMessages?.at(-1)).toMatch(/success$/);
});

test("a versioned transaction pays its priority fee, and its memo is returned", async () => {
  const wallet = (await newHolder(chain, 1n)).wallet;
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash: blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }),
      new TransactionInstruction({
        programId: new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"),
        keys: [],
        data: Buffer.from("for you"),
      }),
    ],
  }).compileToV0Message();
  expect((await connection.getFeeForMessage(message)).value).toBe(5_000);
  const transaction = new VersionedTransaction(message);
  transaction.sign([wallet]);
  const signature = await connection.sendTransaction(transaction);
  await connection.confirmTransaction({ signature, blockhash, lastValidBlockHeight });
  const [newest] = await connection.getSignaturesForAddress(wallet.publicKey, {}, "confirmed");
  expect(newest).toMatchObject({ signature, memo: "[7] for you", err: null });
  await expect(connection.getTransaction(signature)).rejects.toThrow("Transaction version (0) is not supported");
  const told = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(told).toMatchObject({ version: 0, meta: { fee: 105_000 } });
});

test("a simulation returns the result without changes, even without a signature and with any blockhash", async () => {
  const { wallet, account } = await newHolder(chain, 5n);
  const message = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash: Keypair.generate().publicKey.toBase58(),
    instructions: [createBurnInstruction(account, mint, wallet.publicKey, 2n)],
  }).compileToV0Message();
  const { value } = await connection.simulateTransaction(new VersionedTransaction(message), { replaceRecentBlockhash: true });
  expect(value).toMatchObject({ err: null, logs: expect.arrayContaining([expect.stringMatching(/success$/)]) });
  expect((await getAccount(connection, account)).amount).toBe(5n);
  const refused = await connection.simulateTransaction(new VersionedTransaction(message));
  expect(refused.value.err).toBe("BlockhashNotFound");
});

test("several transfers in one transaction are one balance change; only the mint authority can mint", async () => {
  const { wallet, account } = await newHolder(chain, 100n);
  const { wallet: other, account: to } = await newHolder(chain, 1n);
  const faucet = Keypair.fromSecretKey(chain.faucetSecretKey);
  const transaction = new Transaction();
  for (const units of [3n, 4n]) transaction.add(createMintToInstruction(mint, to, faucet.publicKey, units));
  transaction.add(createBurnInstruction(to, mint, other.publicKey, 2n));
  const signature = await sendAndConfirmTransaction(connection, transaction, [wallet, other, faucet]);
  const told = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(told?.meta?.postTokenBalances?.find(({ owner }) => owner === other.publicKey.toBase58())?.uiTokenAmount.amount).toBe("6");
  const theft = new Transaction().add(createMintToInstruction(mint, account, wallet.publicKey, 1n));
  await expect(sendAndConfirmTransaction(connection, theft, [wallet])).rejects.toThrow("custom program error: 0x4");
});

test("subscribers are told of each slot", async () => {
  const seen: number[] = [];
  const id = connection.onSlotChange(({ slot }) => seen.push(slot));
  await expect.poll(() => seen.length).toBeGreaterThan(2);
  expect((seen[1] ?? 0) - (seen[0] ?? 0)).toBe(1);
  await connection.removeSlotChangeListener(id);
});
