// The demo wallet's keys: one for EVM and one for Solana, random per sandbox. They are worthless elsewhere, and leave this process only in
// sandbox.json, for programs that pay as the demo account.

import { randomBytes } from "node:crypto";
import { base58 } from "@scure/base";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { publicKeyOf, signWith } from "@/lib/chains/solana/message";
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

interface KeyBytes {
  evm: Buffer;
  solana: Buffer;
}

/** Keys derived from 32 bytes each, random by default. */
export function createDemoKeys(bytes: KeyBytes = { evm: randomBytes(SEED_BYTES), solana: randomBytes(SEED_BYTES) }): DemoKeys {
  const solana = Buffer.concat([bytes.solana, publicKeyOf(bytes.solana)]);
  return { evm: `0x${bytes.evm.toString("hex")}`, solana: base58.encode(solana) };
}

/** Signers with these keys, without exposing them. */
export function demoSigners(keys: DemoKeys): Record<"evm" | "solana", DemoSigner> {
  const account = privateKeyToAccount(keys.evm as Hex);
  const { address, seed } = solanaKeyPair(keys.solana);
  return {
    evm: { address: account.address, sign: (text) => account.signMessage({ message: text }) },
    solana: { address, sign: async (text) => base58.encode(signWith(seed, Buffer.from(text))) },
  };
}

/** The address and the seed of a stored secret. */
export function solanaKeyPair(secret: string) {
  const bytes = base58.decode(secret);
  return { address: base58.encode(bytes.subarray(SEED_BYTES)), seed: bytes.subarray(0, SEED_BYTES) };
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
