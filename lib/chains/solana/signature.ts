// Whose Solana wallet signed a text: plain Ed25519 over its UTF-8 bytes, and the address is the key.

import { createPublicKey, verify } from "node:crypto";
import { base58 } from "@scure/base";
import { solanaKey } from "../wallet";

const SIGNATURE_BYTES = 64;

/** @param signature base58 of 64 bytes */
export function isSolanaSignature(address: string, text: string, signature: string): boolean {
  const key = solanaKey(address);
  // Also bounds the work: decoding base58 takes the square of its length.
  if (!key || !/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(signature)) return false;
  const bytes = base58.decode(signature);
  if (bytes.length !== SIGNATURE_BYTES) return false;
  const x = Buffer.from(key).toString("base64url");
  return verify(null, Buffer.from(text), createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), bytes);
}
