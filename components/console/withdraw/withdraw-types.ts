// What the withdraw page shows and asks for; amounts are nano-USD.

import type { Answered } from "../use-action";

export type Chain = "base" | "solana";

export const chainNames: Readonly<Record<Chain, string>> = { base: "Base", solana: "Solana" };

export const otherChain = (chain: Chain): Chain => (chain === "base" ? "solana" : "base");

/** A linked wallet that money may go to, now or later. */
export interface DestinationView {
  chain: Chain;
  address: string;
  linkedAt: Date;
  /** From when on; null: now. */
  payableFrom: Date | null;
  /** Null while the chain cannot tell. */
  fee: bigint | null;
}

export interface AllowanceView {
  withdrawable: bigint;
  unfinal: bigint;
  leftOfDay: bigint;
  leftOfService: bigint;
  /** What can leave on each chain, fee not included; null where that is not known. */
  leftOnChain: Readonly<Record<Chain, bigint | null>>;
  leftWithoutApproval: bigint;
  leftOpen: number;
}

export interface OrderView {
  chain: Chain;
  destination: string;
  amount: bigint;
  fee: bigint;
  opensAccount: boolean;
  nonce: string;
  issuedAt: Date;
  /** What the wallet signs. */
  text: string;
  needsApproval: boolean;
}

export interface WithdrawalRow {
  id: string;
  chain: Chain;
  destination: string;
  amount: bigint;
  fee: bigint;
  state: "awaiting_approval" | "approved" | "signed" | "sent" | "confirmed" | "final" | "cancelled" | "refused" | "failed";
  /** Why it is not on its way yet. */
  waitsFor: "funds" | "chain" | "reserves" | "frozen" | "limit" | "signature" | null;
  transaction: string | null;
  transactionUrl: string | null;
  reason: string | null;
  requestedAt: Date;
  endedAt: Date | null;
}

export type StartWithdrawal = (wish: { chain: Chain; destination: string; amount: string }) => Promise<Answered<{ order: OrderView }>>;

export interface SignedOrder extends Omit<OrderView, "text" | "needsApproval"> {
  signer: { chain: "evm" | "solana"; address: string };
  signature: string;
}

export type TakeWithdrawal = (order: SignedOrder) => Promise<Answered<{ id: string }>>;
export type CancelWithdrawal = (withdrawal: { id: string }) => Promise<Answered>;
