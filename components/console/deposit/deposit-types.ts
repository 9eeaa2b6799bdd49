// What the deposit page shows; amounts are nano-USD.

export type DepositChain = "base" | "solana";

export const chainNames: Readonly<Record<DepositChain, string>> = { base: "Base", solana: "Solana" };

export interface DepositRow {
  id: string;
  chain: DepositChain;
  amount: bigint;
  state: "seen" | "confirming" | "credited" | "below_minimum" | "reversed";
  confirmations: number;
  confirmationsNeeded: number;
  transaction: string;
  /** Shows the transaction on its chain; null where the chain is simulated. */
  transactionUrl: string | null;
  seenAt: Date;
}
