// Reads token accounts: owner, mint and balance, many per call.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { AtSlot, SolanaNodes } from "./nodes";
import type { SettledCommitment } from "./usdc";

/** The RPC's limit per call. */
export const MAX_ACCOUNTS_A_CALL = 100;

const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";

const HOLDER_BYTES = 64;
/** In both token programs the account starts with mint, owner and amount; the state follows the delegate. */
const STATE_AT = 108;
const SLICE = { offset: 0, length: STATE_AT + 1 };
const FROZEN = 2;

export interface TokenAccount {
  units: bigint;
  /** The token's issuer blocks all transfers from and to it. */
  isFrozen: boolean;
  /** The keys of mint and owner: see `isHeldBy`. */
  holder: Uint8Array;
}

const dataForm = z.tuple([z.string(), z.literal("base64")]);
const accountForm = z.object({ owner: z.string(), data: dataForm }).nullable();

/**
 * Up to a hundred accounts, all at one slot, in the order of `addresses`; null for a missing account or one of another program.
 * @throws SolanaUnavailable
 */
export async function readTokenAccounts(
  nodes: SolanaNodes,
  addresses: readonly string[],
  commitment: SettledCommitment,
): Promise<AtSlot<(TokenAccount | null)[]>> {
  const options = { commitment, encoding: "base64", dataSlice: SLICE, minContextSlot: nodes.leastSlot };
  const form = z.array(accountForm).length(addresses.length);
  const { slot, value } = await nodes.callAtSlot("getMultipleAccounts", [addresses, options], form);
  return { slot, value: value.map((account) => (account?.owner === TOKEN_PROGRAM ? tokenAccountIn(account.data[0]) : null)) };
}

function tokenAccountIn(base64: string): TokenAccount | null {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== SLICE.length) return null;
  return { holder: bytes.subarray(0, HOLDER_BYTES), units: bytes.readBigUInt64LE(HOLDER_BYTES), isFrozen: bytes[STATE_AT] === FROZEN };
}

/** True when the account holds `mint` and belongs to `owner`. */
export function isHeldBy({ holder }: TokenAccount, { mint, owner }: { mint: string; owner: string }): boolean {
  return Buffer.concat([base58.decode(mint), base58.decode(owner)]).equals(holder);
}

export interface HeldToken {
  tokenAccount: string;
  mint: string;
  units: bigint;
}

const heldForm = z.array(z.object({ pubkey: z.string(), account: z.object({ data: dataForm }) }));

/**
 * All tokens that `owner` holds, of both token programs; empty accounts are left out.
 * @throws SolanaUnavailable
 */
export async function readHeldTokens(nodes: SolanaNodes, owner: string): Promise<HeldToken[]> {
  const options = { commitment: "finalized", encoding: "base64", dataSlice: SLICE, minContextSlot: nodes.leastSlot };
  const held: HeldToken[] = [];
  for (const programId of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    const { value } = await nodes.callAtSlot("getTokenAccountsByOwner", [owner, { programId }, options], heldForm);
    for (const { pubkey, account } of value) {
      const token = tokenAccountIn(account.data[0]);
      if (token === null || token.units === 0n) continue;
      held.push({ tokenAccount: pubkey, mint: base58.encode(token.holder.subarray(0, HOLDER_BYTES / 2)), units: token.units });
    }
  }
  return held;
}
