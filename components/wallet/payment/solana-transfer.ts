// A USDC transfer on Solana for a wallet to sign: to a deposit address, whose token account is created when it has none yet.

import { type Connection, PublicKey, SystemProgram, Transaction, TransactionInstruction } from "@solana/web3.js";
import type { SolanaTarget } from "@/lib/console/views/send-targets";
import { PaymentProblem } from "./paying-wallet";

const tokenProgram = () => new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const associatedTokenProgram = () => new PublicKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
const USDC_DECIMALS = 6;
const CREATE_IDEMPOTENT = 1;
const TRANSFER_CHECKED = 12;
/** Offset of the amount in a token account's bytes. */
const AMOUNT_AT = 64;
/** Lamports for one signature, and for the rent of a new token account. */
const FEE = 5_000;
const RENT = 2_039_280;
const LOOKS_EVERY_MS = 1_500;

/** The account of `owner` for tokens of `mint`. */
const tokenAccountOf = (owner: PublicKey, mint: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([owner.toBytes(), tokenProgram().toBytes(), mint.toBytes()], associatedTokenProgram())[0];

export interface SolanaFunds {
  /** Millionths of a USDC. */
  units: bigint;
  lacksLamports: boolean;
  /** The deposit address has no token account yet. */
  needsAccount: boolean;
}

export async function readSolanaFunds(connection: Connection, target: SolanaTarget, payer: PublicKey): Promise<SolanaFunds> {
  const from = tokenAccountOf(payer, new PublicKey(target.mint));
  const [[source, receiver], lamports] = await Promise.all([
    connection.getMultipleAccountsInfo([from, new PublicKey(target.tokenAccount)], "confirmed"),
    connection.getBalance(payer, "confirmed"),
  ]);
  const units = source ? new DataView(source.data.buffer, source.data.byteOffset).getBigUint64(AMOUNT_AT, true) : 0n;
  const needsAccount = !receiver;
  return { units, lacksLamports: lamports < FEE + (needsAccount ? RENT : 0), needsAccount };
}

export interface WrittenTransfer {
  transaction: Transaction;
  /** Above this block height it can never run. */
  lastValidBlockHeight: number;
}

export async function writeSolanaTransfer(
  connection: Connection,
  target: SolanaTarget,
  { payer, units }: { payer: PublicKey; units: bigint },
): Promise<WrittenTransfer> {
  const [{ blockhash, lastValidBlockHeight }, { needsAccount }] = await Promise.all([
    connection.getLatestBlockhash("confirmed"),
    readSolanaFunds(connection, target, payer),
  ]);
  const transaction = new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight });
  if (needsAccount) transaction.add(createAccount(target, payer));
  return { transaction: transaction.add(transfer(target, payer, units)), lastValidBlockHeight };
}

const account = (key: PublicKey, { isSigner = false, isWritable = false } = {}) => ({ pubkey: key, isSigner, isWritable });

function createAccount({ mint, to, tokenAccount }: SolanaTarget, payer: PublicKey): TransactionInstruction {
  const keys = [
    account(payer, { isSigner: true, isWritable: true }),
    account(new PublicKey(tokenAccount), { isWritable: true }),
    account(new PublicKey(to)),
    account(new PublicKey(mint)),
    account(SystemProgram.programId),
    account(tokenProgram()),
  ];
  return new TransactionInstruction({ programId: associatedTokenProgram(), keys, data: bytesOf([CREATE_IDEMPOTENT]) });
}

function transfer({ mint, tokenAccount }: SolanaTarget, payer: PublicKey, units: bigint): TransactionInstruction {
  const token = new PublicKey(mint);
  const keys = [
    account(tokenAccountOf(payer, token), { isWritable: true }),
    account(token),
    account(new PublicKey(tokenAccount), { isWritable: true }),
    account(payer, { isSigner: true }),
  ];
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigUint64(0, units, true);
  return new TransactionInstruction({ programId: tokenProgram(), keys, data: bytesOf([TRANSFER_CHECKED, ...amount, USDC_DECIMALS]) });
}

/** web3.js declares Node's Buffer but accepts any bytes. */
const bytesOf = (bytes: readonly number[]) => Uint8Array.from(bytes) as Buffer;

/**
 * Sends the signed transaction repeatedly until the cluster has it.
 * @throws PaymentProblem when it failed there, or expired
 */
export async function sendSolanaTransfer(
  connection: Connection,
  { signed, lastValidBlockHeight }: { signed: Transaction; lastValidBlockHeight: number },
  onSent: (signature: string) => void,
): Promise<void> {
  const bytes = signed.serialize();
  const signature = await connection.sendRawTransaction(bytes, { preflightCommitment: "confirmed" });
  onSent(signature);
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOKS_EVERY_MS));
    const outcome = await look(connection, signature, lastValidBlockHeight).catch(() => "waiting" as const); // rate-limited, or no answer
    if (outcome === "confirmed") return;
    if (outcome === "failed")
      throw new PaymentProblem("The transfer failed. No USDC was moved. Check the wallet's balance, then try again.");
    if (outcome === "late") throw new PaymentProblem("The transfer expired before Solana included it. Nothing was sent. Try again.");
    // Nodes drop transactions that they could not place; the same bytes run at most once.
    await connection.sendRawTransaction(bytes, { skipPreflight: true }).catch(() => undefined);
  }
}

async function look(
  connection: Connection,
  signature: string,
  lastValidBlockHeight: number,
): Promise<"waiting" | "confirmed" | "failed" | "late"> {
  // The height is read first: a transaction that landed in time is then known when its status is read.
  const height = await connection.getBlockHeight("confirmed");
  const { value } = await connection.getSignatureStatus(signature, { searchTransactionHistory: true });
  if (value?.err) return "failed";
  if (value && value.confirmationStatus !== "processed") return "confirmed";
  return height > lastValidBlockHeight && !value ? "late" : "waiting";
}
