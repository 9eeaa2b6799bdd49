// The content of a Solana address: nothing yet, a wallet's SOL, a token account, or a program's own account.

import { z } from "zod";
import type { SolanaNodes } from "./nodes";

export interface SolanaAccount {
  /** The program that owns it; a wallet's is the system program. */
  owner: string;
  lamports: bigint;
  /** SPL Token owns it: a token account or a mint. */
  isToken: boolean;
}

const TOKEN_PROGRAMS: readonly string[] = ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"];

const accountForm = z.object({ owner: z.string(), lamports: z.number().min(0) }).nullable();

/**
 * The account at an address at a confirmed slot; null when there is none.
 * @throws SolanaUnavailable
 */
export async function findAccount(nodes: SolanaNodes, address: string): Promise<SolanaAccount | null> {
  const options = { commitment: "confirmed", encoding: "base64", dataSlice: { offset: 0, length: 0 }, minContextSlot: nodes.leastSlot };
  const { value } = await nodes.callAtSlot("getAccountInfo", [address, options], accountForm);
  return value && { owner: value.owner, lamports: BigInt(value.lamports), isToken: TOKEN_PROGRAMS.includes(value.owner) };
}
