// The account data of the token programs: mints and token accounts, parsed from their bytes. Both programs have the same layout; Token-2022
// appends a byte for the account's type, and extensions after it.

import { base58 } from "@scure/base";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./programs";

export interface Mint {
  mintAuthority: string | null;
  supply: bigint;
  decimals: number;
  isInitialized: boolean;
  freezeAuthority: string | null;
}

export interface TokenAccount {
  mint: string;
  owner: string;
  amount: bigint;
  delegate: string | null;
  state: "uninitialized" | "initialized" | "frozen";
  /** The rent reserve of a wrapped SOL account; null for every other mint. */
  nativeRent: bigint | null;
  delegatedAmount: bigint;
  closeAuthority: string | null;
}

interface AccountBytes {
  owner: string;
  data: Uint8Array;
}

const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
const ACCOUNT_TYPE_OFFSET = 165;
const STATES = ["uninitialized", "initialized", "frozen"] as const;

export const isTokenProgram = (program: string): boolean => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;

export function readMint({ owner, data }: AccountBytes): Mint | null {
  const isMint = data.length === MINT_BYTES || data[ACCOUNT_TYPE_OFFSET] === 1;
  if (!isTokenProgram(owner) || !isMint) return null;
  const bytes = view(data);
  return {
    mintAuthority: optionalKey(bytes, 0),
    supply: bytes.readBigUInt64LE(36),
    decimals: bytes.readUInt8(44),
    isInitialized: bytes.readUInt8(45) === 1,
    freezeAuthority: optionalKey(bytes, 46),
  };
}

export function readTokenAccount({ owner, data }: AccountBytes): TokenAccount | null {
  const isAccount = data.length === TOKEN_ACCOUNT_BYTES || data[ACCOUNT_TYPE_OFFSET] === 2;
  if (!isTokenProgram(owner) || !isAccount) return null;
  const bytes = view(data);
  return {
    mint: base58.encode(bytes.subarray(0, 32)),
    owner: base58.encode(bytes.subarray(32, 64)),
    amount: bytes.readBigUInt64LE(64),
    delegate: optionalKey(bytes, 72),
    state: STATES[bytes.readUInt8(108)] ?? "uninitialized",
    nativeRent: bytes.readUInt32LE(109) === 1 ? bytes.readBigUInt64LE(113) : null,
    delegatedAmount: bytes.readBigUInt64LE(121),
    closeAuthority: optionalKey(bytes, 129),
  };
}

/** The bytes of a mint without supply, whose authority may also freeze its accounts. */
export function writeMint(authority: string, decimals: number): Uint8Array {
  const bytes = Buffer.alloc(MINT_BYTES);
  for (const offset of [0, 46]) {
    bytes.writeUInt32LE(1, offset);
    bytes.set(base58.decode(authority), offset + 4);
  }
  bytes.writeUInt8(decimals, 44);
  bytes.writeUInt8(1, 45);
  return bytes;
}

export interface TokenAmount {
  amount: string;
  decimals: number;
  uiAmount: number | null;
  uiAmountString: string;
}

/** An amount of base units in the RPC's four representations. */
export function tokenAmount(units: bigint, decimals: number): TokenAmount {
  const digits = units.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "");
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`;
  return { amount: units.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

const view = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

function optionalKey(bytes: Buffer, offset: number): string | null {
  return bytes.readUInt32LE(offset) === 1 ? base58.encode(bytes.subarray(offset + 4, offset + 36)) : null;
}
