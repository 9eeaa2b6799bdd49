// The memo of a payment on Solana: it binds the payer's signature to one request, and makes it differ from every other payment. The stock
// client writes the memo that it gets, and has compute units for 32 characters on chains with the old memo program.

import { createHmac, randomBytes } from "node:crypto";
import { pepper, peppers } from "@/lib/base/pepper";

/** 132 bits that only we can compute from the request and the memo's 60 random bits. */
const TAG_CHARACTERS = 22;
const CHANCE_CHARACTERS = 10;

/**
 * Keyed, since memos are public for ever: anybody could try prompts against a plain hash, and learn which wallet asked what. With the random
 * bits in it, two payments for the same request have nothing in common.
 */
const tagOf = (bodyHash: string, chance: string, under: string = pepper()): string =>
  createHmac("sha256", under).update(`x402 memo\n${bodyHash}\n${chance}`).digest("base64url").slice(0, TAG_CHARACTERS);

/** @param bodyHash SHA-256 in hex */
export function newMemo(bodyHash: string): string {
  const chance = randomBytes(CHANCE_CHARACTERS).toString("base64url").slice(0, CHANCE_CHARACTERS);
  return tagOf(bodyHash, chance) + chance;
}

export const isMemoOf = (memo: string, bodyHash: string): boolean =>
  memo.length === TAG_CHARACTERS + CHANCE_CHARACTERS &&
  peppers().some((each) => memo === tagOf(bodyHash, memo.slice(TAG_CHARACTERS), each) + memo.slice(TAG_CHARACTERS));
