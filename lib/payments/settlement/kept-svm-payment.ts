// Reads the payment on Solana that a claim stores. It was checked when it was claimed; since it comes from the database, it is checked
// again.

import { fromUsdcUnits } from "@/lib/base/money";
import { type PaymentTerms, type PaymentTransaction, readPaymentTransaction } from "@/lib/chains/solana/payment-transaction";
import type { PaymentClaim } from "../claims/claim";
import { readSvmSettlement } from "../x402/svm-payload";
import { findSvmTerms } from "../x402/svm-terms";

export interface KeptPayment {
  /** As the payer signed it. */
  bytes: Buffer;
  transaction: PaymentTransaction;
  /** `feePayer` is the stored transaction's own. */
  terms: PaymentTerms;
  /** True when our key pays the fee; otherwise an outside facilitator pays it. */
  isOurs: boolean;
}

/** @throws Error when it does not match the claim */
export async function readKept({ id, settlement, amount, payer, nonce }: PaymentClaim): Promise<KeptPayment> {
  const { bytes, feePayer } = readSvmSettlement(settlement);
  const own = await findSvmTerms();
  const terms = own && { ...own, feePayer };
  const read = terms && readPaymentTransaction(bytes, terms);
  if (!terms || read?.kind !== "read") throw new Error(`The transaction stored with payment ${id} is not one of ours.`);
  const { transaction } = read;
  const isSame = transaction.payer === payer && transaction.messageHash === nonce && fromUsdcUnits(transaction.units) === amount;
  if (!isSame) throw new Error(`The transaction stored with payment ${id} is not the one that was claimed.`);
  return { bytes, transaction, terms, isOurs: feePayer === own.feePayer };
}
