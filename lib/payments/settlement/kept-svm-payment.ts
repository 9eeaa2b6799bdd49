// What a claim keeps of a payment on Solana, read again. It was checked when it was claimed; it comes from the database, and is checked
// once more.

import { fromUsdcUnits } from "@/lib/base/money";
import { type PaymentTerms, type PaymentTransaction, readPaymentTransaction } from "@/lib/chains/solana/payment-transaction";
import type { PaymentClaim } from "../claims/claim";
import { readSvmSettlement } from "../x402/svm-payload";
import { findSvmTerms } from "../x402/svm-terms";

export interface KeptPayment {
  /** As the payer signed it. */
  bytes: Buffer;
  transaction: PaymentTransaction;
  /** The fee payer's is the transaction's own. */
  terms: PaymentTerms;
  /** Our key pays the fee; else an outside facilitator does. */
  isOurs: boolean;
}

/** @throws Error when it is another payment than the claim's */
export async function readKept({ id, settlement, amount, payer, nonce }: PaymentClaim): Promise<KeptPayment> {
  const { bytes, feePayer } = readSvmSettlement(settlement);
  const own = await findSvmTerms();
  const terms = own && { ...own, feePayer };
  const read = terms && readPaymentTransaction(bytes, terms);
  if (!terms || read?.kind !== "read") throw new Error(`The payment ${id} keeps a transaction that is none of ours.`);
  const { transaction } = read;
  const isSame = transaction.payer === payer && transaction.messageHash === nonce && fromUsdcUnits(transaction.units) === amount;
  if (!isSame) throw new Error(`The payment ${id} keeps another transaction than it was claimed for.`);
  return { bytes, transaction, terms, isOurs: feePayer === own.feePayer };
}
