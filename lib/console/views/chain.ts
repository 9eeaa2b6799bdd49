// The chains for USDC deposits and withdrawals.

export type Chain = "base" | "solana";
