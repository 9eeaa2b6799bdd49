// A payout on Solana: from the treasury's USDC to the destination's token account, which is created when the order's fee covers that. The
// memo is the order's nonce, so that the chain itself records which orders were paid.

import { createTokenAccount, payForComputing, transferUsdc, writeMemo } from "@/lib/chains/solana/instructions";
import type { Instruction } from "@/lib/chains/solana/message";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";

/** Twice the actual usage. */
const UNITS_OF_TRANSFER = 20_000;
const UNITS_OF_MEMO = 30_000;
const UNITS_OF_ACCOUNT = 60_000;
/** At most 5,500 lamports in all, about the cost of one signature. */
const MICRO_LAMPORTS = 50_000;

interface Payout {
  treasury: string;
  mint: string;
  destination: string;
  /** USDC base units. */
  units: bigint;
  opensAccount: boolean;
  /** The order's. */
  nonce: string;
}

export function payoutInstructions({ treasury, mint, destination, units, opensAccount, nonce }: Payout): Instruction[] {
  const to = deriveTokenAccount(destination, mint);
  return [
    ...payForComputing({ units: UNITS_OF_TRANSFER + UNITS_OF_MEMO + (opensAccount ? UNITS_OF_ACCOUNT : 0), microLamports: MICRO_LAMPORTS }),
    ...(opensAccount ? [createTokenAccount({ payer: treasury, tokenAccount: to, owner: destination, mint })] : []),
    transferUsdc({ mint, owner: treasury, from: deriveTokenAccount(treasury, mint), to, units }),
    writeMemo(nonce),
  ];
}

/** The treasury's own USDC account, at its expense: 3,000 lamports. @param mint the account's token */
export function treasuryAccountInstructions(treasury: string, mint: string): Instruction[] {
  const tokenAccount = deriveTokenAccount(treasury, mint);
  return [
    ...payForComputing({ units: UNITS_OF_ACCOUNT, microLamports: MICRO_LAMPORTS }),
    createTokenAccount({ payer: treasury, tokenAccount, owner: treasury, mint }),
  ];
}
