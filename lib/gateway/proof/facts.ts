// What a request's answer, receipt and log may tell of the payment that came with it.

import type { NanoUsd } from "@/lib/base/money";
import type { PaymentId, PaymentScheme } from "@/lib/payments/claims/claim";

/** A payment whose money is on the books. */
export interface PaymentFacts {
  id: PaymentId;
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  /** Lower-case hex on an EVM chain, base58 on Solana. */
  payer: string;
  /** Unique among the payer's: `req_N` of a proof. */
  nonce: string;
  /** What it moved; nothing when the payer's credit covered the request. */
  amount: NanoUsd;
  /** Null when nothing was submitted, because the payer's credit covered the request. */
  transaction: string | null;
  /** Whose the change is: of the account that proved the payer as its wallet, or of the payer's address, as a credit. */
  changeBelongsTo: "account" | "address";
}
