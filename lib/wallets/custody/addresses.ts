// The addresses of one derivation index, and how a process without the seed verifies them: it derives the Base address again from the xpub,
// and checks a signature over all addresses by a child key of that xpub, which only the signer has.

import { createHash, ECDH } from "node:crypto";
import { HDKey } from "@scure/bip32";
import type { Hex } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { assert } from "@/lib/base/assert";
import { processSingleton } from "@/lib/base/process-singleton";

export interface WalletAddresses {
  /** Derivation index, from 0. */
  index: number;
  /** With its ERC-55 checksum. */
  baseAddress: string;
  /** The owner address, which people send to. */
  solanaAddress: string;
  /** The owner's associated token account for USDC. */
  solanaTokenAccount: string;
}

export interface AttestedAddresses extends WalletAddresses {
  /** The signer's ECDSA signature, 64 bytes. */
  attestation: Buffer;
}

/** The database row. */
export interface AddressRow {
  derivationIndex: number;
  baseAddress: string;
  solanaOwner: string;
  solanaTokenAccount: string;
  attestation: Uint8Array<ArrayBuffer>;
}

export const rowOf = ({ index, baseAddress, solanaAddress, solanaTokenAccount, attestation }: AttestedAddresses): AddressRow => ({
  derivationIndex: index,
  baseAddress,
  solanaOwner: solanaAddress,
  solanaTokenAccount,
  attestation: Uint8Array.from(attestation),
});

export const addressesOf = ({
  derivationIndex,
  baseAddress,
  solanaOwner,
  solanaTokenAccount,
  attestation,
}: AddressRow): AttestedAddresses => ({
  index: derivationIndex,
  baseAddress,
  solanaAddress: solanaOwner,
  solanaTokenAccount,
  attestation: Buffer.from(attestation),
});

/** Custodial wallets have derivation indexes below this; the rest is reserved for the operator. */
export const RESERVED_INDEX = 0x7fff_ff00;

/** This child of the xpub signs addresses and is not an address itself. */
export const ATTESTATION_INDEX = 0x7fff_ffff;

export const isCustodialIndex = (index: number): boolean => Number.isInteger(index) && index >= 0 && index < RESERVED_INDEX;

/** Address `index` of an account-level key; the public key suffices. */
export function deriveBaseAddress(account: HDKey, index: number): Hex {
  assert(isCustodialIndex(index), "a derivation index is below 0x7fffff00");
  return baseAddressOf(account.deriveChild(index));
}

/** The address of a key, with its ERC-55 checksum; the public key suffices. */
export function baseAddressOf({ publicKey }: HDKey): Hex {
  assert(publicKey, "an extended key has a public half");
  const uncompressed = ECDH.convertKey(publicKey, "secp256k1", undefined, "hex", "uncompressed");
  return publicKeyToAddress(`0x${uncompressed.toString()}`);
}

/** The hash that the attestation signs. */
export function attestedHash({ index, baseAddress, solanaAddress, solanaTokenAccount }: WalletAddresses): Buffer {
  const text = ["custodial addresses, version 1", index, baseAddress, solanaAddress, solanaTokenAccount].join("\n");
  return createHash("sha256").update(text).digest();
}

/** True when the signer of `xpub` created these addresses for their index. */
export function areAuthentic(addresses: AttestedAddresses, xpub: string): boolean {
  const { account, attester } = keysOf(xpub);
  return (
    isCustodialIndex(addresses.index) &&
    deriveBaseAddress(account, addresses.index) === addresses.baseAddress &&
    addresses.attestation.length === 64 &&
    attester.verify(attestedHash(addresses), addresses.attestation)
  );
}

interface PublicKeys {
  account: HDKey;
  attester: HDKey;
}

const parsedKeys = processSingleton("custody public keys", () => new Map<string, PublicKeys>());

/** Parsed once: a process has one xpub. */
function keysOf(xpub: string): PublicKeys {
  const parsed = parsedKeys();
  const known = parsed.get(xpub);
  if (known) return known;
  const account = HDKey.fromExtendedKey(xpub);
  assert(account.privateKey === null, "an xpub holds no private key");
  const keys = { account, attester: account.deriveChild(ATTESTATION_INDEX) };
  parsed.clear();
  parsed.set(xpub, keys);
  return keys;
}
