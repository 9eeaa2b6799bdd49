// Transactions as the RPC returns them: the message and its result, in the encodings that clients may request.

import { base58 } from "@scure/base";
import { unsupportedVersion } from "./rpc/rpc-error";
import type { TransactionRecord } from "./runtime/transaction-record";
import { readTransaction, type WireTransaction } from "./runtime/wire";

export interface TransactionOptions {
  encoding: "json" | "base64";
  /** The newest version that the client supports; undefined for legacy transactions only. */
  newestVersion: number | undefined;
}

/** `{transaction, meta, version}`. @throws RpcError -32015 when the client does not support its version */
export function encodeTransaction(record: TransactionRecord, { encoding, newestVersion }: TransactionOptions) {
  const sent = readTransaction(Buffer.from(record.wire, "base64"));
  const { version } = sent.message;
  if (version !== "legacy" && (newestVersion === undefined || version > newestVersion)) throw unsupportedVersion(version);
  return {
    transaction: encoding === "base64" ? [record.wire, "base64"] : encodeSent(sent),
    meta: {
      err: record.error,
      status: record.error === null ? { Ok: null } : { Err: record.error },
      fee: record.fee,
      preBalances: record.preBalances,
      postBalances: record.postBalances,
      preTokenBalances: record.preTokenBalances,
      postTokenBalances: record.postTokenBalances,
      innerInstructions: [],
      logMessages: record.logs,
      rewards: [],
      computeUnitsConsumed: record.unitsConsumed,
      ...(version !== "legacy" && { loadedAddresses: { writable: [], readonly: [] } }),
    },
    ...(newestVersion !== undefined && { version }),
  };
}

function encodeSent({ signatures, message: { version, instructions, ...message } }: WireTransaction) {
  const encoded = instructions.map(({ data, ...instruction }) => ({ ...instruction, data: base58.encode(data), stackHeight: 1 }));
  return { signatures, message: { ...message, instructions: encoded, ...(version !== "legacy" && { addressTableLookups: [] }) } };
}
