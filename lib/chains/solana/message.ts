// Serializes and signs transactions in the legacy format, which lists every key. A transaction must fit into one packet.

import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { base58 } from "@scure/base";
import { assert } from "@/lib/base/assert";

export interface Instruction {
  /** base58, as all keys here. */
  program: string;
  accounts: readonly { key: string; isSigner?: boolean; isWritable?: boolean }[];
  data: Uint8Array;
}

export interface NewTransaction {
  /** Pays the fee; its signature is the transaction's ID. */
  feePayer: string;
  blockhash: string;
  instructions: readonly Instruction[];
}

/** Signs with an address's key. */
export type SignFor = (address: string, message: Uint8Array) => Uint8Array;

/** The maximum size of a transaction: one packet. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;

interface Use {
  isSigner: boolean;
  isWritable: boolean;
}

/** The PKCS #8 prefix before the 32 bytes of a private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * The bytes to store and send, and the signature that identifies them to the cluster, base58.
 * @throws Error when it is larger than a packet
 */
export function signTransaction(transaction: NewTransaction, sign: SignFor): { bytes: Buffer; signature: string } {
  const { message, signers } = writeMessage(transaction);
  const signatures = signers.map((signer) => sign(signer, message));
  const bytes = Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message]);
  assert(bytes.length <= MAX_TRANSACTION_BYTES, "a transaction fits into one packet");
  return { bytes, signature: base58.encode(bytes.subarray(1, 1 + SIGNATURE_BYTES)) };
}

/** The message to sign, and its signers in the order of their signatures. */
function writeMessage({ feePayer, blockhash, instructions }: NewTransaction): { message: Buffer; signers: readonly string[] } {
  const uses = usesOf(feePayer, instructions);
  const keysOf = (isSigner: boolean, isWritable: boolean) =>
    [...uses].filter(([, use]) => use.isSigner === isSigner && use.isWritable === isWritable).map(([key]) => key);
  const [signedReadonly, readonly] = [keysOf(true, false), keysOf(false, false)];
  const signers = [...keysOf(true, true), ...signedReadonly];
  const keys = [...signers, ...keysOf(false, true), ...readonly];
  // A packet cannot hold 128 of anything, so every count is one byte.
  const message = Buffer.concat([
    Uint8Array.of(signers.length, signedReadonly.length, readonly.length, keys.length),
    ...keys.map((key) => base58.decode(key)),
    base58.decode(blockhash),
    Uint8Array.of(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(keys.indexOf(program), accounts.length, ...accounts.map(({ key }) => keys.indexOf(key)), data.length),
      data,
    ]),
  ]);
  return { message, signers };
}

/** Every key with its highest privilege; the fee payer comes first. */
function usesOf(feePayer: string, instructions: readonly Instruction[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>([[feePayer, { isSigner: true, isWritable: true }]]);
  for (const { program, accounts } of instructions) {
    for (const { key, isSigner = false, isWritable = false } of [...accounts, { key: program }]) {
      const before = uses.get(key);
      uses.set(key, { isSigner: isSigner || before?.isSigner === true, isWritable: isWritable || before?.isWritable === true });
    }
  }
  return uses;
}

/** The Ed25519 signature, 64 bytes. @param seed the derived private key, 32 bytes */
export const signWith = (seed: Uint8Array, message: Uint8Array): Buffer => sign(null, message, openKey(seed));

/** The public key of a private one, both 32 bytes. */
export const publicKeyOf = (seed: Uint8Array): Buffer =>
  Buffer.from(createPublicKey(openKey(seed)).export({ format: "jwk" }).x ?? "", "base64url");

const openKey = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
