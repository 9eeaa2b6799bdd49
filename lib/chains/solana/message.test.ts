// Solana's own library reads what we write and sign, and the other way round.

import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from "@solana/spl-token";
import { ComputeBudgetProgram, Keypair, PublicKey, Transaction, type TransactionInstruction } from "@solana/web3.js";
import { expect, test } from "vitest";
import { createTokenAccount, payForComputing, transferUsdc } from "./instructions";
import { type Instruction, MAX_TRANSACTION_BYTES, signTransaction, signWith } from "./message";

const [payer, ...owners] = Array.from({ length: 9 }, () => Keypair.generate()) as [Keypair, ...Keypair[]];
const newKey = () => Keypair.generate().publicKey.toBase58();
const blockhash = newKey();
const mint = newKey();
const treasuryAccount = newKey();

const signFor = (address: string, message: Uint8Array) => {
  const keypair = [payer, ...owners].find(({ publicKey }) => publicKey.toBase58() === address);
  if (!keypair) throw new Error(`nobody has the key of ${address}`);
  return signWith(keypair.secretKey.subarray(0, 32), message);
};

/** Transfers by `count` owners. */
const transfers = (count: number) =>
  owners.slice(0, count).map((owner) => {
    const transfer = { mint, owner: owner.publicKey.toBase58(), from: newKey(), to: treasuryAccount, units: 2n ** 60n };
    return { ours: transferUsdc(transfer), transfer };
  });

const feePayer = payer.publicKey.toBase58();
const plain = ({ programId, keys, data }: TransactionInstruction) => ({
  program: programId.toBase58(),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({ key: pubkey.toBase58(), isSigner, isWritable })),
  data: Buffer.from(data).toString("hex"),
});
const whole = ({ program, accounts, data }: Instruction) => ({
  program,
  accounts: accounts.map(({ key, isSigner = false, isWritable = false }) => ({ key, isSigner, isWritable })),
  data: Buffer.from(data).toString("hex"),
});

test("instructions equal those of the programs' own libraries", () => {
  const [first] = transfers(1);
  if (!first) throw new Error("one transfer was asked for");
  const { from, to, owner, units } = first.transfer;
  const keys = [from, mint, to, owner].map((key) => new PublicKey(key)) as [PublicKey, PublicKey, PublicKey, PublicKey];
  expect(whole(first.ours)).toEqual(plain(createTransferCheckedInstruction(...keys, units, 6)));

  const account = { payer: feePayer, tokenAccount: treasuryAccount, owner, mint };
  const accountKeys = [feePayer, treasuryAccount, owner, mint].map((key) => new PublicKey(key)) as [
    PublicKey,
    PublicKey,
    PublicKey,
    PublicKey,
  ];
  expect(whole(createTokenAccount(account))).toEqual(plain(createAssociatedTokenAccountIdempotentInstruction(...accountKeys)));

  expect(payForComputing({ units: 70_000, microLamports: 50_000 }).map(whole)).toEqual([
    plain(ComputeBudgetProgram.setComputeUnitLimit({ units: 70_000 })),
    plain(ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 50_000 })),
  ]);
});

test("web3.js reads a transaction of several signers as intended, and verifies every signature", () => {
  const sent = transfers(5).map(({ ours }) => ours);
  const instructions = [...payForComputing({ units: 70_000, microLamports: 50_000 }), ...sent];
  const { bytes, signature } = signTransaction({ feePayer, blockhash, instructions }, signFor);
  const read = Transaction.from(bytes);
  expect(read.verifySignatures()).toBe(true);
  expect(read.signatures).toHaveLength(6);
  expect(read.feePayer?.toBase58()).toBe(feePayer);
  expect(read.recentBlockhash).toBe(blockhash);
  // A key's privileges are those of its highest use in the whole transaction.
  const programs = (list: readonly { program: string; data: string }[]) => list.map(({ program, data }) => ({ program, data }));
  const keys = (list: readonly { accounts: readonly { key: string }[] }[]) => list.map(({ accounts }) => accounts.map(({ key }) => key));
  const [theirs, ours] = [read.instructions.map(plain), instructions.map(whole)];
  expect(programs(theirs)).toEqual(programs(ours));
  expect(keys(theirs)).toEqual(keys(ours));
  expect(Buffer.from(read.signature ?? []).equals(bytes.subarray(1, 65))).toBe(true);
  expect(signature.length).toBeGreaterThan(80);
});

test("a transaction larger than a packet is refused", () => {
  const instructions = transfers(8).map(({ ours }) => ours);
  expect(() => signTransaction({ feePayer, blockhash, instructions }, signFor)).toThrow("fits into one packet");
  const { bytes } = signTransaction({ feePayer, blockhash, instructions: instructions.slice(0, 6) }, signFor);
  expect(bytes.length).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
});
