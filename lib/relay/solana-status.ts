// What became of a transaction on Solana, as the nodes say, written down.

import { findStatus, type TransactionStatus } from "@/lib/chains/solana/transactions";
import { pool } from "@/lib/db/pool";
import { isSolanaUnavailable, type RelayNodes, solanaOf } from "./chain";

/** Confirmed: it counts, and very nearly can not leave the chain any more. */
export const isInBlock = (status: TransactionStatus | null): status is TransactionStatus =>
  status !== null && status.commitment !== "processed";

/** True when it is news. */
export async function noteStatus(id: string, signature: string, { slot, isFailed }: TransactionStatus): Promise<boolean> {
  const { rows } = await pool().query<{ isNews: boolean }>('SELECT relay_note_mined($1, $2, $3, $4, NULL, NULL) AS "isNews"', [
    ...[id, signature, !isFailed, slot],
  ]);
  return rows[0]?.isNews === true;
}

/** Asks a node, and writes down what it says. True when that is news; false as well when no node answers. */
export async function lookAtSolana({ id, hash }: { id: string; hash: string }, nodes: RelayNodes): Promise<boolean> {
  try {
    const status = await findStatus(solanaOf(nodes), hash);
    return isInBlock(status) && (await noteStatus(id, hash, status));
  } catch (error) {
    if (!isSolanaUnavailable(error)) throw error;
    return false;
  }
}
