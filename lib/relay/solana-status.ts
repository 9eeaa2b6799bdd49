// Records the status of a transaction on Solana, as a node reports it.

import { isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import { findStatus, type TransactionStatus } from "@/lib/chains/solana/transactions";
import { type RelayNodes, solanaOf } from "./chain";
import { recordMined } from "./relayed";

/** Confirmed: it counts, and is very unlikely to leave the chain any more. */
export const isInBlock = (status: TransactionStatus | null): status is TransactionStatus =>
  status !== null && status.commitment !== "processed";

/** True when it is news. */
export const recordStatus = (id: string, signature: string, { slot, isFailed }: TransactionStatus): Promise<boolean> =>
  recordMined(id, { hash: signature, isSuccess: !isFailed, block: slot, blockHash: null, fee: null });

/** Asks a node, and records its answer. True when that is news; false also when no node answers. */
export async function lookAtSolana({ id, hash }: { id: string; hash: string }, nodes: RelayNodes): Promise<boolean> {
  try {
    const status = await findStatus(solanaOf(nodes), hash);
    return isInBlock(status) && (await recordStatus(id, hash, status));
  } catch (error) {
    if (!isSolanaUnavailable(error)) throw error;
    return false;
  }
}
