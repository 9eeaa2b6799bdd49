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

async function confirm(signature: string): Promise<void> {
  const latest = await connection.getLatestBlockhash();
  const { value } = await connection.confirmTransaction({ signature, ...latest });
  expect(value.err).toBeNull();
}

test("SOL is sent, and confirmed over the WebSocket", async () => {
  const [from, to] = [(await newHolder(chain, 1n)).wallet, Keypair.generate().publicKey];
  const transaction = new Transaction().add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: SOL }));
  const signature = await sendAndConfirmTransaction(connection, transaction, [from]);
  expect(await connection.getBalance(to)).toBe(SOL);
  expect(await connection.getBalance(from.publicKey)).toBe(9 * SOL - 5_000);
  const { value } = await connection.getSignatureStatus(signature);
  expect(value).toMatchObject({ err: null, confirmationStatus: "confirmed" });
  expect(value?.confirmations).toBeGreaterThanOrEqual(1);
});

test("confirmations increase until a transaction is final, and only then the finalized balance changes", async () => {
  const to = Keypair.generate().publicKey;
  const signature = await connection.requestAirdrop(to, SOL);
  expect(await connection.getBalance(to, "processed")).toBe(SOL);
  expect(await connection.getBalance(to, "finalized")).toBe(0);
  const seen = new Set<number>();
  for (;;) {
    const listed = await connection.getSignaturesForAddress(to, {}, "finalized");
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.confirmationStatus === "finalized") break;
    expect(listed).toEqual([]);
    seen.add(value?.confirmations ?? -1);
  }
  expect(seen.size).toBeGreaterThan(3);
  expect([...seen]).toEqual([...seen].sort((one, other) => one - other));
  expect(await connection.getBalance(to, "finalized")).toBe(SOL);
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

test("a parsed transaction shows its transfers, with token balances before and after", async () => {
  const { wallet, account } = await newHolder(chain, 2_000_000n);
  const { account: to } = await newHolder(chain, 7n);
  const signature = await transferChecked(connection, wallet, account, mint, to, wallet, 2_000_000n, 6);
  const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(parsed?.transaction.message.instructions[0]).toMatchObject({
    program: "spl-token",
    parsed: {
      type: "transferChecked",
      info: {
        source: account.toBase58(),
        destination: to.toBase58(),
        mint: USDC_MINT,
        authority: wallet.publicKey.toBase58(),
        tokenAmount: { amount: "2000000", decimals: 6 },
      },
    },
  });
  const of = (balances: typeof pre, amountOf: PublicKey) =>
    balances?.find(({ accountIndex }) => parsed?.transaction.message.accountKeys[accountIndex]?.pubkey.equals(amountOf))?.uiTokenAmount
      .amount;
  const [pre, post] = [parsed?.meta?.preTokenBalances, parsed?.meta?.postTokenBalances];
  expect([of(pre, account), of(post, account), of(pre, to), of(post, to)]).toEqual(["2000000", "0", "7", "2000007"]);
  expect(parsed?.meta).toMatchObject({ err: null, fee: 5_000 });
  expect(parsed?.meta?.logMessages?.at(-1)).toMatch(/success$/);
});

test("a transaction's own and inner instructions are returned in every encoding", async () => {
  const owner = Keypair.generate().publicKey.toBase58();
  const signature = await chain.faucet(owner, 1n);
  await confirm(signature);
  const parsed = await connection.getParsedTransaction(signature);
  const called = parsed?.meta?.innerInstructions?.[0]?.instructions.map((one) => ("parsed" in one ? one.parsed.type : "unknown"));
  expect(called).toEqual(["getAccountDataSize", "createAccount", "initializeImmutableOwner", "initializeAccount3"]);
  const plain = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(plain?.version).toBe("legacy");
  expect(plain?.transaction.message.recentBlockhash).toBe(parsed?.transaction.message.recentBlockhash);
  expect(plain?.meta?.innerInstructions?.[0]?.instructions).toHaveLength(4);
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
  const { value } = await connection.simulateTransaction(new VersionedTransaction(message), {
    replaceRecentBlockhash: true,
    accounts: { encoding: "base64", addresses: [account.toBase58()] },
  });
  expect(value.err).toBeNull();
  expect(Buffer.from(value.accounts?.[0]?.data[0] ?? "", "base64").readBigUInt64LE(64)).toBe(3n);
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

/** A promise and its resolver. */
function newPromise<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test("subscribers are notified of accounts and logs", async () => {
  const owner = Keypair.generate().publicKey;
  const logs = newPromise<string>();
  const lamports = newPromise<number>();
  const slots = newPromise<number>();
  const onLogs = connection.onLogs(owner, ({ signature }) => logs.resolve(signature), "confirmed");
  const onAccount = connection.onAccountChange(owner, (account) => lamports.resolve(account.lamports));
  const onSlot = connection.onSlotChange(({ slot }) => slots.resolve(slot));
  expect(await slots.promise).toBeGreaterThan(0);
  const signature = await connection.requestAirdrop(owner, SOL);
  expect(await logs.promise).toBe(signature);
  expect(await lamports.promise).toBe(SOL);
  await Promise.all([
    connection.removeOnLogsListener(onLogs),
    connection.removeAccountChangeListener(onAccount),
    connection.removeSlotChangeListener(onSlot),
  ]);
});
