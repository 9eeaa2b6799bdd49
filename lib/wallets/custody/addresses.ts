// The addresses of one derivation index, and how a process without the seed knows that they are right: the Base address is
// derived again from the xpub, and all of them are signed by a child key of that xpub, which only the signer has.

import { createHash, ECDH } from "node:crypto";
import { HDKey } from "@scure/bip32";
import type { Hex } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { assert } from "@/lib/base/assert";
import { processSingleton } from "@/lib/base/process-singleton";

export interface WalletAddresses {
  /** Derivation index, from 0. */
  index: number;
  /** With the checksum of ERC-55. */
  baseAddress: string;
  /** The owner, which people send to. */
  solanaAddress: string;
  /** Where the owner's USDC lies: its associated token account. */
  solanaTokenAccount: string;
}

export interface AttestedAddresses extends WalletAddresses {
  /** The signer's ECDSA signature, 64 bytes. */
  attestation: Buffer;
}

/** As the database names them. */
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

/** Derivation indexes of custodial wallets are below it; those from here on are the operator's own. */
export const RESERVED_INDEX = 0x7fff_ff00;

/** This child of the xpub signs addresses and is none. */
export const ATTESTATION_INDEX = 0x7fff_ffff;

export const isCustodialIndex = (index: number): boolean => Number.isInteger(index) && index >= 0 && index < RESERVED_INDEX;

/** Address `index` of an account-level key; its public half is enough. */
export function deriveBaseAddress(account: HDKey, index: number): Hex {
  assert(isCustodialIndex(index), "a derivation index is below 0x7fffff00");
  return baseAddressOf(account.deriveChild(index));
}

/** The address of a key, with the checksum of ERC-55; its public half is enough. */
export function baseAddressOf({ publicKey }: HDKey): Hex {
  assert(publicKey, "an extended key has a public half");
  const uncompressed = ECDH.convertKey(publicKey, "secp256k1", undefined, "hex", "uncompressed");
  return publicKeyToAddress(`0x${uncompressed.toString()}`);
}

/** What the attestation signs. */
export function attestedHash({ index, baseAddress, solanaAddress, solanaTokenAccount }: WalletAddresses): Buffer {
  const text = ["custodial addresses, version 1", index, baseAddress, solanaAddress, solanaTokenAccount].join("\n");
  return createHash("sha256").update(text).digest();
}

/** True when these are the addresses of their index under `xpub`, as its signer made them. */
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
