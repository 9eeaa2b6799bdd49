// Withdrawing, as its owner sees and does it. Amounts are nano-USD.

import type { WaitsFor, WithdrawalState } from "@/lib/wallets/withdrawals/withdrawal";
import type { Chain } from "./chain";
import type { NamedWallet } from "./wallet";

/** A linked wallet that can receive money, now or later. */
export interface Destination {
  chain: Chain;
  /** In display format. */
  address: string;
  linkedAt: Date;
  /** When it can receive money; null: now. */
  payableFrom: Date | null;
  /** Null while the chain cannot be asked whether the wallet has a USDC account. */
  fee: bigint | null;
}

/** How much can be withdrawn. */
export interface AllowanceView {
  /** Fee included: the available balance, less deposits that are not final yet. */
  withdrawable: bigint;
  /** Deposits that are not final yet. */
  unfinal: bigint;
  /** What is left of the account's 24-hour limit. */
  leftOfDay: bigint;
  /** What the service pays out without a wait; a larger amount waits for its turn. */
  leftOfService: bigint;
  /** The most that the service pays out in 24 hours. */
  mostOfService: bigint;
  /** What can leave on each chain, without the fee; null where that is unknown. */
  leftOnChain: Readonly<Record<Chain, bigint | null>>;
  /** A larger amount needs the operator's approval. */
  leftWithoutApproval: bigint;
  /** How many more withdrawals may be open at once. */
  leftOpen: number;
}

export interface WithdrawalView {
  id: string;
  chain: Chain;
  destination: string;
  amount: bigint;
  fee: bigint;
  state: WithdrawalState;
  /** Why it is not under way yet. */
  waitsFor: WaitsFor | null;
  /** What is paid before it, while it waits for the service's limit. */
  ahead: { count: number; amount: bigint } | null;
  transaction: string | null;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  reason: string | null;
  requestedAt: Date;
  endedAt: Date | null;
}

export interface WithdrawPage {
  allowance: AllowanceView;
  /** The minimum amount to arrive, and the highest fee of each chain. */
  least: bigint;
  highestFee: Readonly<Record<Chain, bigint>>;
  destinations: Destination[];
  /** The account's wallets; any of them can sign. */
  signers: NamedWallet[];
  /** Newest first. */
  withdrawals: WithdrawalView[];
  /** The page's cursor to earlier withdrawals; null when there are none. */
  older: string | null;
}

/** What a wallet signs to withdraw: the text, and the order that it states. */
export interface DrawnOrder {
  chain: Chain;
  destination: string;
  amount: bigint;
  fee: bigint;
  /** Solana: the destination has no USDC account yet, and the fee includes creating one. */
  opensAccount: boolean;
  nonce: string;
  issuedAt: Date;
  text: string;
  /** The operator must approve it. */
  needsApproval: boolean;
  /** The service has reached its limit for now: it is paid when its turn comes. */
  waitsItsTurn: boolean;
}
