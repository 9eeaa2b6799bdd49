// Paying per request, as its owner sees it: which payments there were, what is left of them, and where that is. Amounts are nano-USD.

import type { PaymentState, SettleFailure } from "@/lib/payments/claims/claim";
import type { Chain } from "./chain";
import type { SettlementTarget } from "./send-targets";
import type { NamedWallet } from "./wallet";

/** What one of the owner's wallets has paid too much, and may move to the balance. */
export interface OwnCredit extends NamedWallet {
  amount: bigint;
}

export interface PaymentView {
  id: string;
  chain: Chain;
  /** True for x402, false for a signed proof. */
  isX402: boolean;
  payer: string;
  amount: bigint;
  /** Of the request that it paid for; null while that is under way. */
  cost: bigint | null;
  /** What was paid beyond it; null where nothing was paid, or it is not known yet. */
  change: bigint | null;
  changeBelongsTo: "account" | "address";
  state: PaymentState;
  failure: SettleFailure | null;
  /** Nothing can undo it. */
  isFinal: boolean;
  transaction: string | null;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  requestId: string | null;
  claimedAt: Date;
}

export type PaymentsOffer =
  | { kind: "open"; target: SettlementTarget; minimumCents: number }
  /** Not on the chain yet, or no node tells. */
  | { kind: "coming" }
  /** Not from here: no seed was ever here, or wallets may be asked for nothing (see send-targets.ts). */
  | { kind: "none" };

export interface PaymentsPage {
  offer: PaymentsOffer;
  /** Of the owner's wallets that have any. */
  credits: OwnCredit[];
  /** Newest first. */
  payments: PaymentView[];
  /** What takes the page's address to the payments before these; null when there are none. */
  older: string | null;
}

/** The fields of a request's `payment`, without the signature, and the text that is to be signed. */
export interface DrawnPayment {
  from: string;
  requestId: string;
  /** USDC cents. */
  amount: number;
  /** Unix milliseconds. */
  timestamp: number;
  network: string;
  /** What the wallet shows and signs, to the letter. */
  text: string;
}
