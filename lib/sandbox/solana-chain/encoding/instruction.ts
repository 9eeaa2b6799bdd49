// Parsed instructions for `jsonParsed`: those of the system, token, associated-token and memo programs that move money or create accounts.
// Any other instruction is returned with its accounts and data.

import { base58 } from "@scure/base";
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_PROGRAMS, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../runtime/programs";
import { tokenAmount } from "../runtime/token-state";

export interface ResolvedInstruction {
  programId: string;
  accounts: readonly string[];
  data: Uint8Array;
  stackHeight: number | null;
}

type Info = Record<string, unknown>;
interface Parsed {
  type: string;
  info: Info;
}

export function encodeInstruction({ programId, accounts, data, stackHeight }: ResolvedInstruction) {
  const bytes = Buffer.from(data);
  if (MEMO_PROGRAMS.includes(programId)) return { parsed: bytes.toString("utf8"), program: "spl-memo", programId, stackHeight };
  const [program, parse] = parserOf(programId);
  const parsed = parse?.(bytes, accounts);
  if (parsed) return { parsed, program, programId, stackHeight };
  return { accounts, data: base58.encode(data), programId, stackHeight };
}

type Parser = (bytes: Buffer, accounts: readonly string[]) => Parsed | null;

function parserOf(program: string): [string, Parser?] {
  if (program === SYSTEM_PROGRAM) return ["system", guarded(parseSystem)];
  if (program === TOKEN_PROGRAM) return ["spl-token", guarded(parseToken)];
  if (program === TOKEN_2022_PROGRAM) return ["spl-token-2022", guarded(parseToken)];
  if (program === ASSOCIATED_TOKEN_PROGRAM) return ["spl-associated-token-account", guarded(parseAssociatedToken)];
  return [""];
}

/** Data that is too short belongs to a failed instruction, which has no parsed form. */
function guarded(parse: Parser): Parser {
  return (bytes, accounts) => {
    try {
      return parse(bytes, accounts);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  };
}

function parseSystem(bytes: Buffer, [first, second]: readonly string[]): Parsed | null {
  switch (bytes.readUInt32LE(0)) {
    case 0:
      return {
        type: "createAccount",
        info: {
          source: first,
          newAccount: second,
          lamports: Number(bytes.readBigUInt64LE(4)),
          space: Number(bytes.readBigUInt64LE(12)),
          owner: base58.encode(bytes.subarray(20, 52)),
        },
      };
    case 1:
      return { type: "assign", info: { account: first, owner: base58.encode(bytes.subarray(4, 36)) } };
    case 2:
      return { type: "transfer", info: { source: first, destination: second, lamports: Number(bytes.readBigUInt64LE(4)) } };
    case 8:
      return { type: "allocate", info: { account: first, space: Number(bytes.readBigUInt64LE(4)) } };
    default:
      return null;
  }
}

function parseAssociatedToken(bytes: Buffer, accounts: readonly string[]): Parsed | null {
  const type = [undefined, "createIdempotent", "recoverNested"][bytes[0] ?? 0] ?? "create";
  if (type === "recoverNested") return null;
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  return { type, info: { source, account, wallet, mint, systemProgram, tokenProgram } };
}

const AUTHORITY_TYPES = ["mintTokens", "freezeAccount", "accountOwner", "closeAccount"];

function parseToken(bytes: Buffer, accounts: readonly string[]): Parsed | null {
  const [first, second, third, fourth] = accounts;
  const amount = () => bytes.readBigUInt64LE(1).toString();
  const checkedAmount = () => tokenAmount(bytes.readBigUInt64LE(1), bytes.readUInt8(9));
  /** The authority at `index`; the signers of a multisig follow it. */
  const by = (index: number, name = "authority") => authority(accounts, index, name);
  switch (bytes[0]) {
    case 1:
      return { type: "initializeAccount", info: { account: first, mint: second, owner: third, rentSysvar: fourth } };
    case 3:
      return { type: "transfer", info: { source: first, destination: second, amount: amount(), ...by(2) } };
    case 4:
      return { type: "approve", info: { source: first, delegate: second, amount: amount(), ...by(2, "owner") } };
    case 5:
      return { type: "revoke", info: { source: first, ...by(1, "owner") } };
    case 6:
      return { type: "setAuthority", info: setAuthorityInfo(bytes, accounts) };
    case 7:
      return { type: "mintTo", info: { mint: first, account: second, amount: amount(), ...by(2, "mintAuthority") } };
    case 8:
      return { type: "burn", info: { account: first, mint: second, amount: amount(), ...by(2) } };
    case 9:
      return { type: "closeAccount", info: { account: first, destination: second, ...by(2, "owner") } };
    case 10:
      return { type: "freezeAccount", info: { account: first, mint: second, ...by(2, "freezeAuthority") } };
    case 11:
      return { type: "thawAccount", info: { account: first, mint: second, ...by(2, "freezeAuthority") } };
    case 12:
      return {
        type: "transferChecked",
        info: { source: first, mint: second, destination: third, tokenAmount: checkedAmount(), ...by(3) },
      };
    case 14:
      return { type: "mintToChecked", info: { mint: first, account: second, tokenAmount: checkedAmount(), ...by(2, "mintAuthority") } };
    case 15:
      return { type: "burnChecked", info: { account: first, mint: second, tokenAmount: checkedAmount(), ...by(2) } };
    case 17:
      return { type: "syncNative", info: { account: first } };
    case 18:
      return { type: "initializeAccount3", info: { account: first, mint: second, owner: base58.encode(bytes.subarray(1, 33)) } };
    case 20:
      return {
        type: "initializeMint2",
        info: { mint: first, decimals: bytes.readUInt8(1), mintAuthority: base58.encode(bytes.subarray(2, 34)) },
      };
    case 21:
      return { type: "getAccountDataSize", info: { mint: first, extensionTypes: ["immutableOwner"] } };
    case 22:
      return { type: "initializeImmutableOwner", info: { account: first } };
    default:
      return null;
  }
}

function setAuthorityInfo(bytes: Buffer, accounts: readonly string[]): Info {
  const kind = bytes.readUInt8(1);
  const newAuthority = bytes.readUInt8(2) === 1 ? base58.encode(bytes.subarray(3, 35)) : null;
  const target = kind < 2 ? { mint: accounts[0] } : { account: accounts[0] };
  return { ...target, authorityType: AUTHORITY_TYPES[kind], newAuthority, ...authority(accounts, 1, "authority") };
}

function authority(accounts: readonly string[], index: number, name: string): Info {
  const signers = accounts.slice(index + 1);
  if (signers.length === 0) return { [name]: accounts[index] };
  return { [`multisig${name.slice(0, 1).toUpperCase()}${name.slice(1)}`]: accounts[index], signers };
}
