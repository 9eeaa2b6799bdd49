// Paying per request, as its owner sees it: the payments, the credit left of them, and where it is. Amounts are nano-USD.

import type { ChainId } from "@/lib/base/chains";
import type { PaymentState } from "@/lib/payments/claims/claim";
import type { SettlementTarget } from "./send-targets";
import type { NamedWallet } from "./wallet";

/** The amount that one of the owner's wallets has overpaid; it can be moved to the balance. */
export interface OwnCredit extends NamedWallet {
  amount: bigint;
}

export interface PaymentView {
  id: string;
  chain: ChainId;
  /** True for x402, false for a signed proof. */
  isX402: boolean;
  payer: string;
  amount: bigint;
  /** The cost of the paid request; null while it is under way. */
  cost: bigint | null;
  /** The payment less the cost; null where nothing was paid, or it is not known yet. */
  change: bigint | null;
  changeBelongsTo: "account" | "address";
  state: PaymentState;
  /** Why it failed, in words: "it expired". */
  failure: string | null;
  /** Its block is final. */
  isFinal: boolean;
  transaction: string | null;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  requestId: string | null;
  claimedAt: Date;
}

export type PaymentsOffer =
  | { kind: "open"; target: SettlementTarget; minimumCents: number }
  /** Not deployed yet, or no node answers. */
  | { kind: "coming" }
  /** Not available: the database has no seed, or wallets must not be asked for transactions (see send-targets.ts). */
  | { kind: "none" };

export interface PaymentsPage {
  offer: PaymentsOffer;
  /** Of those wallets of the owner that have credit. */
  credits: OwnCredit[];
  /** Newest first. */
  payments: PaymentView[];
  /** The page's cursor to earlier payments; null when there are none. */
  older: string | null;
}

/** The fields of a request's `payment`, without the signature, and the text to sign. */
export interface DrawnPayment {
  from: string;
  requestId: string;
  /** USDC cents. */
  amount: number;
  /** Unix milliseconds. */
  timestamp: number;
  network: string;
  /** The exact text that the wallet shows and signs. */
  text: string;
}
