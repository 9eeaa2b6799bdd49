// The memo of a payment on Solana: it binds the payer's signature to one request, and makes it differ from every other payment. The stock
// client writes the memo that it gets, and has compute units for 32 characters on chains with the old memo program.

import { randomBytes } from "node:crypto";

/** 132 bits of the request's hash, and 60 random bits. */
const HASH_CHARACTERS = 22;
const CHANCE_CHARACTERS = 10;

const hashPart = (bodyHash: string): string => Buffer.from(bodyHash, "hex").toString("base64url").slice(0, HASH_CHARACTERS);

/** @param bodyHash SHA-256 in hex */
export const newMemo = (bodyHash: string): string =>
  hashPart(bodyHash) + randomBytes(CHANCE_CHARACTERS).toString("base64url").slice(0, CHANCE_CHARACTERS);

export const isMemoOf = (memo: string, bodyHash: string): boolean =>
  memo.length === HASH_CHARACTERS + CHANCE_CHARACTERS && memo.startsWith(hashPart(bodyHash));
