// Payments as payers write them, for tests: the same as the stock client's, but built with Solana's own library so that tests can change
// any part.

import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  TransactionInstruction as WrittenInstruction,
} from "@solana/web3.js";
import type { PaymentTerms } from "../payment-transaction";

const MEMO_PROGRAM = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

export interface WrittenPayment {
  terms: PaymentTerms;
  payer: Keypair;
  blockhash: string;
  units: bigint;
  memo: string;
}

export const writtenMemo = (text: string): TransactionInstruction =>
  new WrittenInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(text) });

/** Limit, price, transfer and memo, as in the stock client. */
export function paymentInstructions({ terms, payer, units, memo }: Omit<WrittenPayment, "blockhash">): TransactionInstruction[] {
  const [mint, payTo] = [new PublicKey(terms.mint), new PublicKey(terms.payTo)];
  const [from, to] = [payer.publicKey, payTo].map((owner) => getAssociatedTokenAddressSync(mint, owner, true)) as [PublicKey, PublicKey];
  return [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
    createTransferCheckedInstruction(from, mint, to, payer.publicKey, units, 6),
    writtenMemo(memo),
  ];
}

/** Signed by the given signers and the payer; the fee payer's signature is left empty. */
export function signPaymentBytes(
  payment: WrittenPayment,
  instructions: TransactionInstruction[] = paymentInstructions(payment),
  {
    version = 0,
    others = [] as Keypair[],
    feePayer = payment.terms.feePayer,
  }: { version?: 0 | "legacy"; others?: Keypair[]; feePayer?: string } = {},
): Buffer {
  const message = new TransactionMessage({ payerKey: new PublicKey(feePayer), recentBlockhash: payment.blockhash, instructions });
  const transaction = new VersionedTransaction(version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage());
  const signers = [payment.payer, ...others].filter(({ publicKey }) =>
    transaction.message.staticAccountKeys.slice(0, transaction.message.header.numRequiredSignatures).some((key) => key.equals(publicKey)),
  );
  transaction.sign(signers);
  return Buffer.from(transaction.serialize());
}

export const newAddressOnSolana = (): string => Keypair.generate().publicKey.toBase58();
