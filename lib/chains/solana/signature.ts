// Verifies signatures of Solana wallets: plain Ed25519 over the bytes, and the address is the public key. As strictly as Solana itself: OpenSSL
// checks the equation without the cofactor and the range of S; here points of small order, under whose keys one signature is good for
// many texts, and points that are not written in their one form are refused.

import { createPublicKey, verify } from "node:crypto";
import { base58 } from "@scure/base";
import { solanaKey } from "../wallet";

const SIGNATURE_BYTES = 64;
const POINT_BYTES = 32;

const P = 2n ** 255n - 19n;
/** The y of the eight points whose order divides the cofactor: of order 1, 2, 4 and 8. */
const smallOrderYs: ReadonlySet<bigint> = new Set([
  1n,
  P - 1n,
  0n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** In its canonical form, and not of small order. The last bit is the sign of x. */
function isStrictPoint(point: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(point).reverse().toString("hex")}`) & (2n ** 255n - 1n);
  return y < P && !smallOrderYs.has(y);
}

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
  if (!isStrictPoint(key) || !isStrictPoint(signature.subarray(0, POINT_BYTES))) return false;
  const x = Buffer.from(key).toString("base64url");
  return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
}
