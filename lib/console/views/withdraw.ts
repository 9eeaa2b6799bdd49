// Taking money out, as its owner sees and does it. Amounts are nano-USD.

import type { WaitsFor, WithdrawalState } from "@/lib/wallets/withdrawals/withdrawal";
import type { Chain } from "./chain";
import type { NamedWallet } from "./wallet";

/** A linked wallet that money may go to, now or later. */
export interface Destination {
  chain: Chain;
  /** As wallets write it. */
  address: string;
  linkedAt: Date;
  /** From when on; null: now. */
  payableFrom: Date | null;
  /** Null while the chain cannot tell whether the wallet has an account for USDC. */
  fee: bigint | null;
}

/** How much can leave. */
export interface AllowanceView {
  /** Fee included: what is available, less what came in and is not final yet. */
  withdrawable: bigint;
  /** What came in and is not final yet. */
  unfinal: bigint;
  /** What is left of the account's limit of 24 hours, and of the service's. */
  leftOfDay: bigint;
  leftOfService: bigint;
  /** What can leave on each chain, fee not included; null where that is not known. */
  leftOnChain: Readonly<Record<Chain, bigint | null>>;
  /** An amount above this waits for the operator. */
  leftWithoutApproval: bigint;
  /** How many more may be open at once. */
  leftOpen: number;
}

export interface WithdrawalView {
  id: string;
  chain: Chain;
  destination: string;
  amount: bigint;
  fee: bigint;
  state: WithdrawalState;
  /** Why it is not on its way yet. */
  waitsFor: WaitsFor | null;
  transaction: string | null;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  reason: string | null;
  requestedAt: Date;
  endedAt: Date | null;
}

export interface WithdrawPage {
  allowance: AllowanceView;
  /** The least that may arrive, and the highest fee of each chain. */
  least: bigint;
  highestFee: Readonly<Record<Chain, bigint>>;
  destinations: Destination[];
  /** The account's wallets: any of them signs. */
  signers: NamedWallet[];
  /** Newest first. */
  withdrawals: WithdrawalView[];
  /** What takes the page's address to the withdrawals before these; null when there are none. */
  older: string | null;
}

/** What a wallet signs to take money out: the text, and the order that it says. */
export interface DrawnOrder {
  chain: Chain;
  destination: string;
  amount: bigint;
  fee: bigint;
  /** Solana: the destination has no account for USDC yet, and the fee is for one too. */
  opensAccount: boolean;
  nonce: string;
  issuedAt: Date;
  text: string;
  /** It will wait for whoever runs this service to approve it. */
  needsApproval: boolean;
}
