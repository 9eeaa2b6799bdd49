// Transactions as the RPC returns them: the message and its result, in the encodings that clients may request.

import { base58 } from "@scure/base";
import { z } from "zod";
import { unsupportedVersion } from "../rpc/rpc-error";
import type { HistoryEntry } from "../runtime/history";
import { type TransactionRecord, transactionRecord } from "../runtime/transaction-record";
import { readTransaction, type WireMessage, type WireTransaction } from "../runtime/wire";
import { encodeInstruction } from "./instruction";

export const transactionEncoding = z.enum(["json", "jsonParsed", "base58", "base64"]);
export type TransactionEncoding = z.output<typeof transactionEncoding>;

export interface TransactionOptions {
  encoding: TransactionEncoding;
  /** The newest version that the client supports; undefined for legacy transactions only. */
  newestVersion: number | undefined;
}

/** `{transaction, meta, version}`. @throws RpcError -32015 when the client does not support its version */
export function encodeTransaction(entry: HistoryEntry, { encoding, newestVersion }: TransactionOptions) {
  const record = transactionRecord.parse(JSON.parse(entry.json));
  const sent = readTransaction(Buffer.from(record.wire, "base64"));
  const { version } = sent.message;
  if (version !== "legacy" && (newestVersion === undefined || version > newestVersion)) throw unsupportedVersion(version);
  return {
    transaction: encodeSent(record, sent, encoding),
    meta: encodeMeta(record, sent, encoding),
    ...(newestVersion !== undefined && { version }),
  };
}

function encodeSent(record: TransactionRecord, sent: WireTransaction, encoding: TransactionEncoding) {
  if (encoding === "base64") return [record.wire, "base64"];
  if (encoding === "base58") return [base58.encode(Buffer.from(record.wire, "base64")), "base58"];
  const message = encoding === "json" ? encodeMessage(sent.message) : parseMessage(record, sent.message);
  return { signatures: sent.signatures, message };
}

function encodeMessage({ version, header, accountKeys, recentBlockhash, instructions, addressTableLookups }: WireMessage) {
  return {
    header,
    accountKeys,
    recentBlockhash,
    instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts,
      data: base58.encode(data),
      stackHeight: 1,
    })),
    ...(version !== "legacy" && { addressTableLookups }),
  };
}

function parseMessage(record: TransactionRecord, { version, header, ...message }: WireMessage) {
  const own = message.accountKeys.length;
  const accountKeys = record.accounts.map((pubkey, index) => ({
    pubkey,
    signer: index < header.numRequiredSignatures,
    writable: isWritable(index, own, header, record.loadedAddresses.writable.length),
    source: index < own ? "transaction" : "lookupTable",
  }));
  return {
    accountKeys,
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((instruction) => encodeInstruction(resolve(record, instruction, 1))),
    ...(version !== "legacy" && { addressTableLookups: message.addressTableLookups }),
  };
}

function isWritable(index: number, own: number, header: WireMessage["header"], loadedWritable: number): boolean {
  if (index >= own) return index < own + loadedWritable;
  const { numRequiredSignatures: signers, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  return index < signers ? index < signers - numReadonlySignedAccounts : index < own - numReadonlyUnsignedAccounts;
}

interface Indexed {
  programIdIndex: number;
  accounts: readonly number[];
  data: Uint8Array;
}

function resolve(record: TransactionRecord, { programIdIndex, accounts, data }: Indexed, stackHeight: number) {
  const addressAt = (index: number) => record.accounts[index] ?? "";
  return { programId: addressAt(programIdIndex), accounts: accounts.map(addressAt), data, stackHeight };
}

function encodeMeta(record: TransactionRecord, { message }: WireTransaction, encoding: TransactionEncoding) {
  const { error, logs, unitsConsumed, returnData, innerInstructions } = record;
  const isParsed = encoding === "jsonParsed";
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee: record.fee,
    preBalances: record.preBalances,
    postBalances: record.postBalances,
    preTokenBalances: record.preTokenBalances,
    postTokenBalances: record.postTokenBalances,
    innerInstructions: isParsed
      ? innerInstructions.map(({ index, instructions }) => ({
          index,
          instructions: instructions.map((inner) =>
            encodeInstruction(resolve(record, { ...inner, data: base58.decode(inner.data) }, inner.stackHeight)),
          ),
        }))
      : innerInstructions,
    logMessages: logs,
    rewards: [],
    computeUnitsConsumed: unitsConsumed,
    ...(message.version !== "legacy" && !isParsed && { loadedAddresses: record.loadedAddresses }),
    ...(returnData && { returnData }),
  };
}
