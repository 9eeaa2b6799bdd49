// Withdrawing, as its owner sees and does it. Amounts are nano-USD.

import type { ChainId } from "@/lib/base/chains";
import type { WaitsFor, WithdrawalState } from "@/lib/wallets/withdrawals/withdrawal";
import type { NamedWallet } from "./wallet";

/** A linked wallet that can receive money, now or later. */
export interface Destination {
  chain: ChainId;
  /** In display format. */
  address: string;
  linkedAt: Date;
  /** When it can receive money; null: now. */
  payableFrom: Date | null;
  /** False: the owner's own rules leave it out. */
  isAllowed: boolean;
  /** Null while the chain cannot be asked whether the wallet has a USDC account. */
  fee: bigint | null;
}

/** On Solana tokens lie in accounts of their own, and opening one costs rent. */
export interface SolanaFees {
  usual: bigint;
  withAccount: bigint;
}

/** How much can be withdrawn. */
export interface AllowanceView {
  /** Fee included: the available balance, less deposits that are not final yet. */
  withdrawable: bigint;
  /** Deposits that are not final yet. */
  unfinal: bigint;
  /** The rest of the account's 24-hour limit. */
  leftOfDay: bigint;
  /** The rest of the owner's own limit; null: there is none. */
  leftOfOwn: bigint | null;
  /** How long a withdrawal waits by the owner's own rules, in seconds. */
  waitSeconds: number;
  /** The amount that the service pays out without a wait; a larger one waits for its turn. */
  leftOfService: bigint;
  /** The most that the service pays out in 24 hours. */
  mostOfService: bigint;
  /** The amount that can leave on each chain, without the fee; null where that is unknown. */
  leftOnChain: Readonly<Record<ChainId, bigint | null>>;
  /** A larger amount needs the operator's approval. */
  leftWithoutApproval: bigint;
  /** How many more withdrawals may be open at once. */
  leftOpen: number;
}

export interface WithdrawalView {
  id: string;
  chain: ChainId;
  destination: string;
  amount: bigint;
  fee: bigint;
  state: WithdrawalState;
  /** Why it is not under way yet. */
  waitsFor: WaitsFor | null;
  /** The withdrawals paid before it, while it waits for the service's limit. */
  ahead: { count: number; amount: bigint } | null;
  transaction: string | null;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  reason: string | null;
  requestedAt: Date;
  /** When the owner's own waiting time is over; null: there is none. */
  payFrom: Date | null;
  endedAt: Date | null;
}

/** The rules that an owner set for their own withdrawals. */
export interface OwnRulesView {
  /** Nano-USD in 24 hours; null: no limit of their own. */
  dailyLimit: bigint | null;
  waitSeconds: number;
  /** Empty: every linked wallet. */
  destinations: NamedWallet[];
  /** Stricter rules that still apply; null: these alone apply. */
  inForce: RulesInForce | null;
  /** The waiting times to choose from, in seconds. */
  waits: readonly number[];
}

/** The rules that apply until the looser ones do. */
export interface RulesInForce {
  /** When the newest rules alone apply. */
  until: Date;
  dailyLimit: bigint | null;
  waitSeconds: number;
  /** Null: every linked wallet; empty: none, since the earlier rules and the newest share no wallet. */
  destinations: NamedWallet[] | null;
}

/** The form of an owner's rules. */
export interface OwnRulesDraft {
  /** Empty: no limit. */
  dailyLimit: string;
  waitSeconds: number;
  /** Empty: every linked wallet. */
  destinations: NamedWallet[];
}

export interface WithdrawPage {
  rules: OwnRulesView;
  allowance: AllowanceView;
  /** The minimum amount to arrive, and the highest fee of each chain. */
  least: bigint;
  highestFee: Readonly<Record<ChainId, bigint>>;
  /** On Solana: to a wallet with a USDC account, and to one without. */
  solanaFees: SolanaFees;
  destinations: Destination[];
  /** The account's wallets; any of them can sign. */
  signers: NamedWallet[];
  /** Newest first. */
  withdrawals: WithdrawalView[];
  /** The page's cursor to earlier withdrawals; null when there are none. */
  older: string | null;
}

/** A withdrawal for a wallet to sign: the text, and the order that it states. */
export interface DrawnOrder {
  chain: ChainId;
  destination: string;
  amount: bigint;
  fee: bigint;
  /** Solana: the destination has no USDC account yet, and the fee includes creating one. */
  opensAccount: boolean;
  nonce: string;
  issuedAt: Date;
  text: string;
  waits: OrderWaits;
}

/** The waits of an order once it is signed. */
export interface OrderWaits {
  /** By the owner's own rules, before it is paid. */
  ownSeconds: number;
  /** The operator must approve it. */
  needsApproval: boolean;
  /** The service has reached its limit for now: it is paid when its turn comes. */
  waitsItsTurn: boolean;
}
