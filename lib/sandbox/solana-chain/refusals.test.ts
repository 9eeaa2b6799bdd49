// The chain's refusals, as the stock clients see them.

import { freezeAccount, getAccount, thawAccount, transfer } from "@solana/spl-token";
import { type Connection, Keypair, PublicKey, SystemProgram, sendAndConfirmTransaction, Transaction } from "@solana/web3.js";
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

test("insufficient funds are refused before sending, and recorded as failed when sent anyway", async () => {
  const { wallet, account } = await newHolder(chain, 1n);
  const { account: to } = await newHolder(chain, 1n);
  await expect(transfer(connection, wallet, account, to, wallet, 2n)).rejects.toThrow(
    "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1",
  );
  const before = await connection.getBalance(wallet.publicKey);
  await expect(transfer(connection, wallet, account, to, wallet, 2n, [], { skipPreflight: true })).rejects.toThrow();
  const newestError = async () => (await connection.getSignaturesForAddress(account, {}, "confirmed"))[0]?.err;
  await expect.poll(newestError).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(await connection.getBalance(wallet.publicKey)).toBe(before - 5_000);
  const poor = Keypair.generate();
  const transaction = new Transaction().add(SystemProgram.transfer({ fromPubkey: poor.publicKey, toPubkey: to, lamports: 1 }));
  await expect(sendAndConfirmTransaction(connection, transaction, [poor])).rejects.toThrow(
    "Attempt to debit an account but found no record of a prior credit.",
  );
});

test("a frozen account neither sends nor receives, until it is thawed", async () => {
  const { wallet, account } = await newHolder(chain, 5n);
  const { account: to } = await newHolder(chain, 5n);
  const faucet = Keypair.fromSecretKey(chain.faucetSecretKey);
  await freezeAccount(connection, wallet, account, mint, faucet);
  expect((await getAccount(connection, account)).isFrozen).toBe(true);
  await expect(transfer(connection, wallet, account, to, wallet, 1n)).rejects.toThrow("custom program error: 0x11");
  await thawAccount(connection, wallet, account, mint, faucet);
  await transfer(connection, wallet, account, to, wallet, 1n);
  expect((await getAccount(connection, to)).amount).toBe(6n);
});

test("a resent transaction is recognized, and runs once", async () => {
  const [from, to] = [(await newHolder(chain, 1n)).wallet, Keypair.generate().publicKey];
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: from.publicKey, recentBlockhash: blockhash } as Transaction);
  transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: SOL })).sign(from);
  const bytes = transaction.serialize();
  const signature = await connection.sendRawTransaction(bytes);
  await expect(connection.sendRawTransaction(bytes)).rejects.toThrow("This transaction has already been processed");
  expect(await connection.sendRawTransaction(bytes, { skipPreflight: true })).toBe(signature);
  expect(await connection.getBalance(to, "processed")).toBe(SOL);
});

test("a wrong or missing signature is refused", async () => {
  const [from, to] = [(await newHolder(chain, 1n)).wallet, Keypair.generate().publicKey];
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: from.publicKey, recentBlockhash: blockhash } as Transaction);
  transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: SOL })).sign(from);
  const bytes = transaction.serialize();
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  await expect(connection.sendRawTransaction(bytes)).rejects.toThrow("Transaction signature verification failure");
  await connection.sendRawTransaction(bytes, { skipPreflight: true });
  expect(await connection.getBalance(to, "processed")).toBe(0);
});
