// Signing with a key of Solana's curve, Ed25519.

import { createPrivateKey, sign } from "node:crypto";

/** What precedes the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** The signature, 64 bytes. @param seed the private key as it is derived, 32 bytes */
export function signWith(seed: Uint8Array, message: Uint8Array): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return sign(null, message, key);
}
