// The account data of the token programs: mints and token accounts, parsed from their bytes. Both programs have the same layout; Token-2022
// appends a byte for the account's type, and extensions after it.

import { base58 } from "@scure/base";
import { TOKEN_PROGRAM } from "@/lib/chains/solana/instructions";

const TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";

export interface TokenAccount {
  mint: string;
  owner: string;
  amount: bigint;
  state: "uninitialized" | "initialized" | "frozen";
  /** True for wrapped SOL. */
  isNative: boolean;
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

/** The decimals of a mint; null for any other account. */
export function readDecimals(account: AccountBytes | null): number | null {
  if (account === null) return null;
  const { owner, data } = account;
  const isMint = data.length === MINT_BYTES || data[ACCOUNT_TYPE_OFFSET] === 1;
  return isTokenProgram(owner) && isMint ? (data[44] ?? null) : null;
}

export function readTokenAccount({ owner, data }: AccountBytes): TokenAccount | null {
  const isAccount = data.length === TOKEN_ACCOUNT_BYTES || data[ACCOUNT_TYPE_OFFSET] === 2;
  if (!isTokenProgram(owner) || !isAccount) return null;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: base58.encode(bytes.subarray(0, 32)),
    owner: base58.encode(bytes.subarray(32, 64)),
    amount: bytes.readBigUInt64LE(64),
    state: STATES[bytes.readUInt8(108)] ?? "uninitialized",
    isNative: bytes.readUInt32LE(109) === 1,
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
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/(?<!0)0+$/, "");
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`;
  return { amount: units.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
