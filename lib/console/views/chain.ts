// The chains on which USDC comes in and goes out.

export type Chain = "base" | "solana";
