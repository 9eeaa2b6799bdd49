// RPC methods for past transactions and blocks.

import { z } from "zod";
import type { Chain } from "../chain";
import { encodeTransaction, type TransactionEncoding, transactionEncoding } from "../encoding/transaction";
import type { Method } from "../rpc/answer";
import { address, baseOptions, readBlockCommitment, readParams, signature, slot, withContext } from "../rpc/params";
import { blockCleanedUp, blockNotAvailable, invalidParams } from "../rpc/rpc-error";
import { BLOCKHASH_WINDOW, FIRST_SLOT } from "../runtime/slots";

const MAX_SIGNATURES = 1_000;
const MAX_STATUSES = 256;
const MAX_BLOCKS = 500_000;

const pageOptions = baseOptions.extend({
  before: signature.nullish(),
  until: signature.nullish(),
  limit: z.int().nullish(),
});

/** A bare encoding is an older form of the options. */
const transactionOptions = z
  .union([
    baseOptions.extend({ encoding: transactionEncoding.nullish(), maxSupportedTransactionVersion: z.int().min(0).nullish() }),
    transactionEncoding.transform((encoding) => ({ encoding, commitment: undefined, maxSupportedTransactionVersion: undefined })),
  ])
  .nullish();

const blockOptions = baseOptions
  .extend({
    encoding: transactionEncoding.nullish(),
    transactionDetails: z.enum(["full", "accounts", "signatures", "none"]).nullish(),
    maxSupportedTransactionVersion: z.int().min(0).nullish(),
  })
  .nullish();

export function historyMethods(chain: Chain): [string, Method][] {
  return [
    ["getSignaturesForAddress", (params) => signaturesFor(chain, params)],
    ["getSignatureStatuses", (params) => signatureStatuses(chain, params)],
    ["getTransaction", (params) => transaction(chain, params)],
    ["getBlock", (params) => block(chain, params)],
    ["getBlocks", (params) => blocks(chain, params)],
    ["getBlockTime", (params) => blockTime(chain, readParams(params, z.tuple([slot]))[0])],
    ["getTransactionCount", () => chain.history.all().length],
    ["minimumLedgerSlot", () => firstBlock(chain)],
    ["getFirstAvailableBlock", () => firstBlock(chain)],
  ];
}

const firstBlock = ({ history }: Chain): number => history.firstSlot() ?? FIRST_SLOT;

function signaturesFor(chain: Chain, params: readonly unknown[]) {
  const [key, options] = readParams(params, z.tuple([address, pageOptions.nullish()]));
  const newestSlot = chain.slots.at(readBlockCommitment(chain, options));
  const limit = options?.limit ?? MAX_SIGNATURES;
  if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
  const page = { before: options?.before ?? undefined, until: options?.until ?? undefined, limit, newestSlot };
  return chain.history.ofAccount(key, page).map((entry) => ({
    signature: entry.signature,
    slot: entry.slot,
    err: entry.error,
    memo: entry.memo,
    blockTime: entry.blockTime,
    confirmationStatus: chain.slots.commitmentOf(entry.slot),
  }));
}

function signatureStatuses(chain: Chain, params: readonly unknown[]) {
  const schema = z.tuple([z.array(signature), z.looseObject({ searchTransactionHistory: z.boolean().nullish() }).nullish()]);
  const [signatures, options] = readParams(params, schema);
  if (signatures.length > MAX_STATUSES) throw invalidParams(`Too many inputs provided; max ${MAX_STATUSES}`);
  const { slots, history } = chain;
  // Without a history search only recent transactions are found: those whose blockhash is still valid.
  const oldest = options?.searchTransactionHistory ? 0 : slots.current - BLOCKHASH_WINDOW;
  const statuses = signatures.map((one) => {
    const entry = history.find(one);
    if (entry === null || entry.slot < oldest) return null;
    const confirmationStatus = slots.commitmentOf(entry.slot);
    return {
      slot: entry.slot,
      confirmations: confirmationStatus === "finalized" ? null : slots.current - entry.slot,
      err: entry.error,
      status: entry.error === null ? { Ok: null } : { Err: entry.error },
      confirmationStatus,
    };
  });
  return withContext(chain, "processed", statuses);
}

function transaction(chain: Chain, params: readonly unknown[]) {
  const [one, options] = readParams(params, z.tuple([signature, transactionOptions]));
  const newestSlot = chain.slots.at(readBlockCommitment(chain, options));
  const entry = chain.history.find(one);
  if (entry === null || entry.slot > newestSlot) return null;
  const encoded = encodeTransaction(entry, {
    encoding: options?.encoding ?? "json",
    newestVersion: options?.maxSupportedTransactionVersion ?? undefined,
  });
  return { slot: entry.slot, blockTime: entry.blockTime, ...encoded };
}

function block(chain: Chain, params: readonly unknown[]) {
  const [number, options] = readParams(params, z.tuple([slot, blockOptions]));
  const { slots, history } = chain;
  if (number > slots.at(readBlockCommitment(chain, options))) throw blockNotAvailable(number);
  if (number < firstBlock(chain)) throw blockCleanedUp(number, firstBlock(chain));
  const entries = history.inSlot(number);
  const encoding: TransactionEncoding = options?.encoding ?? "json";
  const newestVersion = options?.maxSupportedTransactionVersion ?? undefined;
  const details = options?.transactionDetails ?? "full";
  return {
    blockhash: slots.blockhash(number),
    previousBlockhash: slots.blockhash(number - 1),
    parentSlot: number - 1,
    blockHeight: slots.heightOf(number),
    blockTime: chain.timeOf(number),
    rewards: [],
    ...(details === "signatures" && { signatures: entries.map((entry) => entry.signature) }),
    ...((details === "full" || details === "accounts") && {
      transactions: entries.map((entry) => encodeTransaction(entry, { encoding, newestVersion })),
    }),
  };
}

function blocks(chain: Chain, params: readonly unknown[]) {
  const [first, end, last] = readParams(params, z.tuple([slot, z.union([slot, baseOptions]).nullish(), baseOptions.nullish()]));
  const options = typeof end === "object" ? end : last;
  const newest = chain.slots.at(readBlockCommitment(chain, options));
  const until = Math.min(typeof end === "number" ? end : newest, newest);
  if (until - first > MAX_BLOCKS) throw invalidParams(`Slot range too large; max ${MAX_BLOCKS}`);
  const from = Math.max(first, firstBlock(chain));
  return Array.from({ length: Math.max(0, until - from + 1) }, (_, index) => from + index);
}

function blockTime(chain: Chain, number: number): number {
  const seconds = chain.timeOf(number);
  if (seconds === null) throw blockNotAvailable(number);
  return seconds;
}
