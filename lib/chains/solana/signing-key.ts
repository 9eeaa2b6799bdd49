// Signs with an Ed25519 key, as Solana uses.

import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

/** The PKCS #8 prefix before the 32 bytes of a private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

const openKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });

/** The signature, 64 bytes. @param seed the derived private key, 32 bytes */
export const signWith = (seed: Uint8Array, message: Uint8Array): Buffer => sign(null, message, openKey(seed));

/** The public key, 32 bytes. */
export const publicKeyOf = (seed: Uint8Array): Buffer =>
  Buffer.from(createPublicKey(openKey(seed)).export({ format: "jwk" }).x ?? "", "base64url");
