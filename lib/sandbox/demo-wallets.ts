// The demo wallet's keys: one for EVM and one for Solana, random per sandbox. They are worthless elsewhere, and leave this process only in
// sandbox.json, for programs that pay as the demo account.

import { createPrivateKey, createPublicKey, randomBytes, sign } from "node:crypto";
import { base58 } from "@scure/base";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import type { DemoSigner } from "@/lib/console/demo-wallets";

const SEED_BYTES = 32;

const isSolanaSecret = (text: string): boolean =>
  /^[1-9A-HJ-NP-Za-km-z]{86,88}$/.test(text) && base58.decode(text).length === 2 * SEED_BYTES;

/** The stored format. */
export const demoKeysSchema = z.object({
  /** 0x and 64 hex digits. */
  evm: z.string().regex(/^0x[0-9a-f]{64}$/),
  /** Base58 of seed and public key, as Solana wallets export it. */
  solana: z.string().refine(isSolanaSecret),
});

export type DemoKeys = z.infer<typeof demoKeysSchema>;

/** The PKCS #8 prefix before the 32 bytes of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

interface KeyBytes {
  evm: Buffer;
  solana: Buffer;
}

/** Keys derived from 32 bytes each, random by default. */
export function createDemoKeys(bytes: KeyBytes = { evm: randomBytes(SEED_BYTES), solana: randomBytes(SEED_BYTES) }): DemoKeys {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, bytes.solana]), format: "der", type: "pkcs8" });
  const { x } = createPublicKey(key).export({ format: "jwk" });
  const solana = Buffer.concat([bytes.solana, Buffer.from(x ?? "", "base64url")]);
  return { evm: `0x${bytes.evm.toString("hex")}`, solana: base58.encode(solana) };
}

/** Signers with these keys, without exposing them. */
export function demoSigners(keys: DemoKeys): Record<"evm" | "solana", DemoSigner> {
  const account = privateKeyToAccount(keys.evm as Hex);
  const { address, key } = solanaKeyPair(keys.solana);
  return {
    evm: { address: account.address, sign: (text) => account.signMessage({ message: text }) },
    solana: { address, sign: async (text) => base58.encode(sign(null, Buffer.from(text), key)) },
  };
}

/** The address and key of a stored secret. */
export function solanaKeyPair(secret: string) {
  const bytes = Buffer.from(base58.decode(secret));
  const [seed, publicKey] = [bytes.subarray(0, SEED_BYTES), bytes.subarray(SEED_BYTES)];
  const jwk = { kty: "OKP", crv: "Ed25519", d: seed.toString("base64url"), x: publicKey.toString("base64url") };
  return { address: base58.encode(publicKey), key: createPrivateKey({ key: jwk, format: "jwk" }) };
}

/** The demo wallets as an account's identities. */
export function demoIdentities(keys: DemoKeys): Wallet[] {
  const { evm, solana } = demoSigners(keys);
  return [readWallet("evm", evm.address), readWallet("solana", solana.address)].filter((wallet) => wallet !== null);
}

/** The `wallets` of sandbox.json. */
export function demoWalletsFile(keys: DemoKeys) {
  const { evm, solana } = demoSigners(keys);
  return {
    evm: [{ address: evm.address, privateKey: keys.evm }],
    solana: [{ address: solana.address, secretKey: keys.solana }],
  };
}
