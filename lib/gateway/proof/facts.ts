// The facts that a request's answer, receipt and log may contain about the payment that came with it.

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
  /** Unique per payer: `req_N` of a proof. */
  nonce: string;
  /** The amount that it moved; zero when the payer's credit covered the request. */
  amount: NanoUsd;
  /** Null when nothing was submitted, because the payer's credit covered the request. */
  transaction: string | null;
  /** Who owns the change: the account that proved the payer as its wallet, or the payer's address, as a credit. */
  changeBelongsTo: "account" | "address";
}
