// Serialized transactions: parses legacy and version 0, and writes the faucet's. This file checks the format only; the runtime checks the
// meaning.

import { base58 } from "@scure/base";

export interface Instruction {
  programIdIndex: number;
  /** Indexes into the transaction's accounts. */
  accounts: number[];
  data: Uint8Array;
}

export interface AddressTableLookup {
  accountKey: string;
  writableIndexes: number[];
  readonlyIndexes: number[];
}

export interface MessageHeader {
  numRequiredSignatures: number;
  numReadonlySignedAccounts: number;
  numReadonlyUnsignedAccounts: number;
}

export interface WireMessage {
  version: "legacy" | 0;
  header: MessageHeader;
  /** The keys in the message itself; address tables add more. */
  accountKeys: string[];
  recentBlockhash: string;
  instructions: Instruction[];
  addressTableLookups: AddressTableLookup[];
}

export interface WireTransaction {
  signatures: string[];
  message: WireMessage;
}

/** The maximum size of a transaction: one packet. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

/** @throws RangeError when the bytes are not exactly one transaction */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  const reader = new Reader(bytes);
  const signatures = reader.list(() => base58.encode(reader.take(SIGNATURE_BYTES)));
  const message = readMessageFrom(reader);
  if (signatures.length !== message.header.numRequiredSignatures) throw new RangeError("the count of signatures is not the header's");
  return { signatures, message };
}

/** @throws RangeError when the bytes are not exactly one message */
export const readMessage = (bytes: Uint8Array): WireMessage => readMessageFrom(new Reader(bytes));

function readMessageFrom(reader: Reader): WireMessage {
  const version = reader.peek() >= 0x80 ? reader.byte() & 0x7f : "legacy";
  if (version !== "legacy" && version !== 0) throw new RangeError(`version ${version} is not known`);
  const message: WireMessage = {
    version,
    header: {
      numRequiredSignatures: reader.byte(),
      numReadonlySignedAccounts: reader.byte(),
      numReadonlyUnsignedAccounts: reader.byte(),
    },
    accountKeys: reader.list(() => reader.key()),
    recentBlockhash: reader.key(),
    instructions: reader.list(() => ({ programIdIndex: reader.byte(), accounts: reader.bytes(), data: reader.take(reader.count()) })),
    addressTableLookups:
      version === "legacy"
        ? []
        : reader.list(() => ({ accountKey: reader.key(), writableIndexes: reader.bytes(), readonlyIndexes: reader.bytes() })),
  };
  reader.end();
  return message;
}

class Reader {
  #offset = 0;

  constructor(private readonly source: Uint8Array) {}

  peek(): number {
    const byte = this.source[this.#offset];
    if (byte === undefined) throw new RangeError("the bytes end too early");
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.#offset++;
    return byte;
  }

  take(count: number): Uint8Array {
    const taken = this.source.subarray(this.#offset, this.#offset + count);
    if (taken.length !== count) throw new RangeError("the bytes end too early");
    this.#offset += count;
    return taken;
  }

  key(): string {
    return base58.encode(this.take(KEY_BYTES));
  }

  /** A "compact-u16": seven bits per byte, lowest first, at most three bytes. */
  count(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a count has more than three bytes");
  }

  list<T>(readOne: () => T): T[] {
    return Array.from({ length: this.count() }, readOne);
  }

  bytes(): number[] {
    return [...this.take(this.count())];
  }

  end(): void {
    if (this.#offset !== this.source.length) throw new RangeError("more bytes follow the transaction");
  }
}

export interface NewInstruction {
  program: string;
  accounts: { key: string; isSigner?: boolean; isWritable?: boolean }[];
  data: Uint8Array;
}

/** The legacy message of `instructions`, signed by `payer` alone. */
export function writeMessage(payer: string, recentBlockhash: string, instructions: readonly NewInstruction[]): Buffer {
  const uses = new Map<string, boolean>();
  for (const { program, accounts } of instructions) {
    for (const { key, isWritable = false } of accounts) uses.set(key, isWritable || uses.get(key) === true);
    if (!uses.has(program)) uses.set(program, false);
  }
  uses.delete(payer);
  const writable = [...uses].filter(([, isWritable]) => isWritable).map(([key]) => key);
  const readonly = [...uses].filter(([, isWritable]) => !isWritable).map(([key]) => key);
  const keys = [payer, ...writable, ...readonly];
  // All our counts are below 128, so each compact-u16 is one byte.
  return Buffer.concat([
    Uint8Array.of(1, 0, readonly.length, keys.length),
    ...keys.map((key) => base58.decode(key)),
    base58.decode(recentBlockhash),
    Uint8Array.of(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(keys.indexOf(program), accounts.length, ...accounts.map(({ key }) => keys.indexOf(key)), data.length),
      data,
    ]),
  ]);
}
