// The new test wallet's Solana key: created on first use, and kept in this browser only.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { DemoMemory } from "./demo-memory";

const NAME = "solana-key";
const BYTES_32 = z.string().regex(/^[\w-]{43}$/);
/** The private and the public half of an Ed25519 key (RFC 8037). */
const pairSchema = z.object({ d: BYTES_32, x: BYTES_32 });

interface NewSolanaKey {
  address: string;
  sign: (text: string) => Promise<string>;
  /** The signature, base58, of a transaction that this key alone signs, base64. */
  signTransaction: (transaction: string) => Promise<string>;
}

/** One signature of 64 bytes, behind their number, comes before the signed message. */
const SIGNED_FROM = 65;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));

export async function newSolanaKey(memory: DemoMemory): Promise<NewSolanaKey> {
  const { d, x } = recallPair(memory) ?? (await createPair(memory));
  const key = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: "Ed25519", d, x }, "Ed25519", false, ["sign"]);
  const signBytes = async (bytes: Uint8Array<ArrayBuffer>) =>
    base58.encode(new Uint8Array(await crypto.subtle.sign("Ed25519", key, bytes)));
  return {
    address: base58.encode(bytesOf(x.replaceAll("-", "+").replaceAll("_", "/"))),
    sign: (text) => signBytes(new TextEncoder().encode(text)),
    signTransaction: (transaction) => signBytes(bytesOf(transaction).slice(SIGNED_FROM)),
  };
}

function recallPair({ recall }: DemoMemory) {
  try {
    return pairSchema.parse(JSON.parse(recall(NAME) ?? "null"));
  } catch {
    return null; // none yet, or unreadable
  }
}

async function createPair({ remember }: DemoMemory) {
  const created = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
  const pair = pairSchema.parse(await crypto.subtle.exportKey("jwk", created.privateKey));
  remember(NAME, JSON.stringify(pair));
  return pair;
}
