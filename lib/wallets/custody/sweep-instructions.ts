// A sweep on Solana: several owners pay the treasury in one transaction, whose fee the treasury pays.

import { createTokenAccount, payForComputing, transferUsdc } from "@/lib/chains/solana/instructions";
import type { Instruction } from "@/lib/chains/solana/message";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";

/** Owners that fit into one packet, each with its signature and its token account. */
export const MAX_OWNERS = 6;

/** Compute units for creating the treasury's token account and for each transfer: twice the actual usage. */
const UNITS_OF_ACCOUNT = 60_000;
const UNITS_OF_TRANSFER = 15_000;
/** 3,750 to 7,500 lamports in all, about the cost of one signature: enough to be included at most times. */
const MICRO_LAMPORTS = 50_000;

interface Sweeps {
  treasury: string;
  mint: string;
  owners: readonly { address: string; units: bigint }[];
}

export function sweepInstructions({ treasury, mint, owners }: Sweeps): Instruction[] {
  const to = deriveTokenAccount(treasury, mint);
  return [
    ...payForComputing({ units: UNITS_OF_ACCOUNT + owners.length * UNITS_OF_TRANSFER, microLamports: MICRO_LAMPORTS }),
    createTokenAccount({ payer: treasury, tokenAccount: to, owner: treasury, mint }),
    ...owners.map(({ address, units }) => transferUsdc({ mint, owner: address, from: deriveTokenAccount(address, mint), to, units })),
  ];
}
