// Verifies signatures of Solana wallets: plain Ed25519 over the bytes, and the address is the public key.

import { createPublicKey, verify } from "node:crypto";
import { base58 } from "@scure/base";
import { solanaKey } from "../wallet";

const SIGNATURE_BYTES = 64;

/** Over the text's UTF-8 bytes. @param signature base58 of 64 bytes */
export function isSolanaSignature(address: string, text: string, signature: string): boolean {
  // Also bounds the work: decoding base58 takes quadratic time.
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(signature)) return false;
  return isSignatureOf(address, Buffer.from(text), base58.decode(signature));
}

/** @param signature 64 bytes */
export function isSignatureOf(address: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = solanaKey(address);
  if (!key || signature.length !== SIGNATURE_BYTES) return false;
  const x = Buffer.from(key).toString("base64url");
  return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
}
