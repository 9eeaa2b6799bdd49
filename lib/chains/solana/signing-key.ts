// Signs with an Ed25519 key, as Solana uses.

import { createPrivateKey, sign } from "node:crypto";

/** The PKCS #8 prefix before the 32 bytes of a private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** The signature, 64 bytes. @param seed the derived private key, 32 bytes */
export function signWith(seed: Uint8Array, message: Uint8Array): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return sign(null, message, key);
}
