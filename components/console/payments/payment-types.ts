// What the page of payments shows; amounts are nano-USD.

import type { Answered } from "../use-action";

export interface CreditRow {
  chain: "evm" | "solana";
  address: string;
  amount: bigint;
}

export type ClaimCredit = (wallet: { chain: "evm" | "solana"; address: string }) => Promise<Answered<{ amount: bigint }>>;

export interface PaymentRow {
  id: string;
  chain: "base" | "solana";
  isX402: boolean;
  payer: string;
  amount: bigint;
  /** Null while its request is under way. */
  cost: bigint | null;
  /** Null where nothing was paid, or it is not known yet. */
  change: bigint | null;
  changeBelongsTo: "account" | "address";
  state: "claimed" | "paid" | "covered" | "failed" | "reversed";
  failure: string | null;
  /** Nothing can undo it. */
  isFinal: boolean;
  transaction: string | null;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  requestId: string | null;
  claimedAt: Date;
}

export const chainNames: Readonly<Record<"base" | "solana", string>> = { base: "Base", solana: "Solana" };
