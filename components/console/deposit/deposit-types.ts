// What the deposit page shows; amounts are nano-USD.

export type DepositChain = "base" | "solana";

export const chains: readonly DepositChain[] = ["base", "solana"];
export const chainNames: Readonly<Record<DepositChain, string>> = { base: "Base", solana: "Solana" };

export interface DepositRow {
  id: string;
  chain: DepositChain;
  amount: bigint;
  state: "seen" | "confirming" | "credited" | "below_minimum" | "reversed";
  confirmations: number;
  neededConfirmations: number;
  transaction: string;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  /** Nothing can undo it: the money can leave again. */
  isFinal: boolean;
  seenAt: Date;
  creditedAt: Date | null;
}

/** All of it as it was at one moment. */
export interface DepositView {
  /** Unix milliseconds, by a clock that all of the service's processes share. */
  readAtMs: number;
  available: bigint;
  /** Newest first. */
  deposits: DepositRow[];
  /** What takes the address to the deposits before these; null when there are none. */
  older: string | null;
  /** What waits at each address for the minimum. */
  uncredited: Record<DepositChain, bigint>;
}
