// An Ed25519 key for an address of this chain.

import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { base58 } from "@scure/base";

export interface SigningKey {
  address: string;
  sign(message: Uint8Array): Buffer;
}

/** The PKCS #8 prefix before the 32 bytes of a private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** @param seed 32 bytes */
export function openKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return { address: base58.encode(publicBytes(key)), sign: (message) => sign(null, message, key) };
}

/** Seed and public key, the 64-byte format of Solana's tools. */
export function secretKeyOf(seed: Uint8Array): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return Buffer.concat([seed, publicBytes(key)]);
}

function publicBytes(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: "jwk" }).x ?? "", "base64url");
}
