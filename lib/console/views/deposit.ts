// What the deposit page shows of an account, as it was at one moment. Amounts are nano-USD.

import type { DepositState } from "@/lib/wallets/deposits/deposit";
import type { Chain } from "./chain";

export interface DepositAddress {
  chain: Chain;
  address: string;
  /**
   * What a wallet opens to pay in (EIP-681, Solana Pay). Null where a chain is simulated, so that no link and no QR code ever
   * leads real money to an address of a sandbox.
   */
  paymentUri: string | null;
}

export interface DepositRow {
  id: string;
  chain: Chain;
  amount: bigint;
  state: DepositState;
  confirmations: number;
  /** How many it takes until its block is safe, as far as can be told now. */
  neededConfirmations: number;
  transaction: string;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  /** Nothing can undo it: the money can leave again. */
  isFinal: boolean;
  seenAt: Date;
  creditedAt: Date | null;
}

export interface DepositView {
  /** Unix milliseconds, by the clock that all processes share. */
  readAtMs: number;
  available: bigint;
  /** Newest first, one page of them. */
  deposits: DepositRow[];
  /** What takes the page's address to the deposits before these; null when there are none. */
  older: string | null;
  /** What waits at each address for the minimum. */
  uncredited: Record<Chain, bigint>;
}
