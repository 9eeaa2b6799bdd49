// The instructions that create the treasury's USDC account on Solana, at the treasury's expense.

import { createTokenAccount, payForComputing } from "@/lib/chains/solana/instructions";
import type { Instruction } from "@/lib/chains/solana/message";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";

/** Twice the actual usage. */
const UNITS = 60_000;
/** 3,000 lamports in all. */
const MICRO_LAMPORTS = 50_000;

/** @param mint the account's token */
export function treasuryAccountInstructions(treasury: string, mint: string): Instruction[] {
  const tokenAccount = deriveTokenAccount(treasury, mint);
  return [
    ...payForComputing({ units: UNITS, microLamports: MICRO_LAMPORTS }),
    createTokenAccount({ payer: treasury, tokenAccount, owner: treasury, mint }),
  ];
}
