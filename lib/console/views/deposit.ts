// An account's deposit page at one moment. Amounts are nano-USD.

import type { ChainId } from "@/lib/base/chains";
import type { DepositState } from "@/lib/wallets/deposits/deposit";

export interface DepositAddress {
  chain: ChainId;
  address: string;
  /**
   * A payment link for wallets (EIP-681, Solana Pay). Null where a chain is simulated, so that no link and no QR code ever
   * sends real money to a sandbox address.
   */
  paymentUri: string | null;
}

export interface DepositRow {
  id: string;
  chain: ChainId;
  amount: bigint;
  state: DepositState;
  confirmations: number;
  /** Confirmations needed until its block is safe, as estimated now. */
  neededConfirmations: number;
  transaction: string;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  /** Its block is final, so the money can be withdrawn. */
  isFinal: boolean;
  seenAt: Date;
  creditedAt: Date | null;
}

export interface DepositView {
  available: bigint;
  /** Newest first, one page. */
  deposits: DepositRow[];
  /** The page's cursor to earlier deposits; null when there are none. */
  older: string | null;
  /** Money below the minimum that waits at each address. */
  uncredited: Record<ChainId, bigint>;
}
