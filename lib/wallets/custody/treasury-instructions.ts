// What makes the treasury's account for USDC on Solana, which the treasury pays for.

import { createTokenAccount, payForComputing } from "@/lib/chains/solana/instructions";
import type { Instruction } from "@/lib/chains/solana/message";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";

/** Twice what it takes. */
const UNITS = 60_000;
/** Some 3,000 lamports in all. */
const MICRO_LAMPORTS = 50_000;

/** @param mint the token that it is for */
export function treasuryAccountInstructions(treasury: string, mint: string): Instruction[] {
  const tokenAccount = deriveTokenAccount(treasury, mint);
  return [
    ...payForComputing({ units: UNITS, microLamports: MICRO_LAMPORTS }),
    createTokenAccount({ payer: treasury, tokenAccount, owner: treasury, mint }),
  ];
}
