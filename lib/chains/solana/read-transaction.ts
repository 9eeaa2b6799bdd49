// Parses serialized transactions: legacy and version 0. Strict, since the fee payer may sign the result: every byte has one meaning, each
// count is encoded as our own writer does, and no bytes follow.

import { base58 } from "@scure/base";
import { MAX_TRANSACTION_BYTES } from "./message";

export interface ReadInstruction {
  program: string;
  /** In order, base58. */
  accounts: readonly string[];
  data: Uint8Array;
}

export interface ReadTransaction {
  /** 64 bytes each, of the first keys in order; not verified. Zeros mean not signed yet. */
  signatures: readonly Uint8Array[];
  /** The message to sign. */
  message: Uint8Array;
  /** base58; signers come first, the fee payer before all. */
  keys: readonly string[];
  signers: number;
  /** How many of the signers, counted from their end, are read-only; and the same for the other keys. */
  readonlySigners: number;
  readonlyOthers: number;
  blockhash: string;
  instructions: readonly ReadInstruction[];
  /** Accounts referenced through address lookup tables. */
  lookups: number;
}

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_BIT = 0x80;

/** @throws RangeError that names the fault */
export function readTransaction(bytes: Uint8Array): ReadTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) throw new RangeError("it is larger than a packet");
  const reader = new Reader(bytes);
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = bytes.subarray(reader.offset);
  const isVersioned = reader.peek() >= VERSION_BIT;
  if (isVersioned && reader.byte() !== VERSION_BIT) throw new RangeError("its version is none that is known");
  const [signers, readonlySigners, readonlyOthers] = [reader.byte(), reader.byte(), reader.byte()];
  const keys = reader.list(() => base58.encode(reader.take(KEY_BYTES)));
  const blockhash = base58.encode(reader.take(KEY_BYTES));
  const keyAt = (index: number): string => {
    const key = keys[index];
    if (key === undefined) throw new RangeError("an instruction names an account that is not there");
    return key;
  };
  const instructions = reader.list(() => ({
    program: keyAt(reader.byte()),
    accounts: [...reader.take(reader.count())].map(keyAt),
    data: reader.take(reader.count()),
  }));
  const lookups = isVersioned ? reader.count() : 0;
  // Table lookups are not parsed: no caller that signs accepts them.
  if (lookups === 0 && reader.offset !== bytes.length) throw new RangeError("more bytes follow");
  if (signatures.length !== signers) throw new RangeError("it has not as many signatures as signers");
  if (new Set(keys).size !== keys.length) throw new RangeError("it names an account twice");
  return { signatures, message, keys, signers, readonlySigners, readonlyOthers, blockhash, instructions, lookups };
}

class Reader {
  #offset = 0;

  constructor(private readonly source: Uint8Array) {}

  get offset(): number {
    return this.#offset;
  }

  peek(): number {
    const byte = this.source[this.#offset];
    if (byte === undefined) throw new RangeError("it ends too early");
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#offset += 1;
    return byte;
  }

  take(count: number): Uint8Array {
    const taken = this.source.subarray(this.#offset, this.#offset + count);
    if (taken.length !== count) throw new RangeError("it ends too early");
    this.#offset += count;
    return taken;
  }

  /** One byte: 128 of anything would not fit into a payment. */
  count(): number {
    const count = this.byte();
    if (count >= VERSION_BIT) throw new RangeError("it has more than 127 of something");
    return count;
  }

  list<T>(readOne: () => T): T[] {
    return Array.from({ length: this.count() }, readOne);
  }
}
