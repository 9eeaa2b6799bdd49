// RPC methods for past transactions and blocks.

import type { Chain } from "../chain";
import { encodeTransaction } from "../encode-transaction";
import type { Method } from "../rpc/answer";
import {
  readAddress,
  readBlockCommitment,
  readChoice,
  readInteger,
  readList,
  readOptions,
  readSignature,
  withContext,
} from "../rpc/params";
import { blockNotAvailable, invalidParams } from "../rpc/rpc-error";
import { BLOCKHASH_WINDOW, FIRST_SLOT } from "../runtime/slots";

const MAX_SIGNATURES = 1_000;
const MAX_STATUSES = 256;

export function historyMethods(chain: Chain): Record<string, Method> {
  return {
    getSignaturesForAddress: ([key, options]) => signaturesFor(chain, readAddress(key), readOptions(options)),
    getSignatureStatuses: ([signatures, options]) =>
      signatureStatuses(chain, readList(signatures, MAX_STATUSES, readSignature), readOptions(options)),
    getTransaction: ([signature, options]) => transaction(chain, readSignature(signature), readOptions(options)),
    getBlockTime: ([slot]) => blockTime(chain, readInteger(slot)),
    getFirstAvailableBlock: () => chain.state.history.firstSlot() ?? FIRST_SLOT,
  };
}

function signaturesFor(chain: Chain, key: string, options: Record<string, unknown>) {
  const newestSlot = chain.slots.at(readBlockCommitment(chain, options));
  const limit = readInteger(options.limit ?? MAX_SIGNATURES);
  if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
  const [before, until] = [options.before, options.until].map((one) =>
    one === undefined || one === null ? undefined : readSignature(one),
  );
  return chain.state.history.ofAccount(key, { before, until, limit, newestSlot }).map((entry) => ({
    signature: entry.signature,
    slot: entry.slot,
    err: entry.error,
    memo: entry.memo,
    blockTime: entry.blockTime,
    confirmationStatus: chain.slots.commitmentOf(entry.slot),
  }));
}

function signatureStatuses(chain: Chain, signatures: readonly string[], { searchTransactionHistory }: Record<string, unknown>) {
  const { slots } = chain;
  const { history } = chain.state;
  // Without a history search only recent transactions are found: those whose blockhash is still valid.
  const oldest = searchTransactionHistory ? 0 : slots.current - BLOCKHASH_WINDOW;
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

function transaction(chain: Chain, signature: string, options: Record<string, unknown>) {
  const newestSlot = chain.slots.at(readBlockCommitment(chain, options));
  const entry = chain.state.history.find(signature);
  if (entry === null || entry.slot > newestSlot) return null;
  const { maxSupportedTransactionVersion: newest } = options;
  const encoded = encodeTransaction(entry, {
    encoding: readChoice(options.encoding, ["json", "base64"]),
    newestVersion: newest === undefined || newest === null ? undefined : readInteger(newest),
  });
  return { slot: entry.slot, blockTime: entry.blockTime, ...encoded };
}

function blockTime(chain: Chain, slot: number): number {
  const seconds = chain.timeOf(slot);
  if (seconds === null) throw blockNotAvailable(slot);
  return seconds;
}
