// Parses serialized transactions, legacy and version 0. This file checks the format only; the runtime checks the meaning. Address lookup
// tables are refused: nobody needs one to move USDC.

import { base58 } from "@scure/base";
import { MAX_TRANSACTION_BYTES } from "@/lib/chains/solana/message";

export interface Instruction {
  programIdIndex: number;
  /** Indexes into the transaction's accounts. */
  accounts: number[];
  data: Uint8Array;
}

export interface MessageHeader {
  numRequiredSignatures: number;
  numReadonlySignedAccounts: number;
  numReadonlyUnsignedAccounts: number;
}

export interface WireMessage {
  version: "legacy" | 0;
  header: MessageHeader;
  accountKeys: string[];
  recentBlockhash: string;
  instructions: Instruction[];
}

export interface WireTransaction {
  signatures: string[];
  message: WireMessage;
}

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

/** @throws RangeError when the bytes are not exactly one transaction */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) throw new RangeError("it is larger than a packet");
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
    instructions: reader.list(() => ({
      programIdIndex: reader.byte(),
      accounts: [...reader.take(reader.count())],
      data: reader.take(reader.count()),
    })),
  };
  if (version === 0 && reader.count() > 0) throw new RangeError("this chain has no address lookup tables");
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

  end(): void {
    if (this.#offset !== this.source.length) throw new RangeError("more bytes follow the transaction");
  }
}
