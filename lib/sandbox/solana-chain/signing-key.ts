// An Ed25519 key that signs for an address of this chain.

import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { base58 } from "@scure/base";

export interface SigningKey {
  address: string;
  sign(message: Uint8Array): Buffer;
}

/** What precedes the 32 bytes of a private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** @param seed 32 bytes */
export function openKey(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return { address: base58.encode(publicBytes(key)), sign: (message) => sign(null, message, key) };
}

/** Seed and public key, as Solana's tools keep a key: 64 bytes. */
export function secretKeyOf(seed: Uint8Array): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  return Buffer.concat([seed, publicBytes(key)]);
}

function publicBytes(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: "jwk" }).x ?? "", "base64url");
}
