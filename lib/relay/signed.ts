// Transactions on Solana, signed by whoever makes them: stored in that one's transaction, then sent as they are until they are in
// a block or can never be in one.

import { now } from "@/lib/base/clock";
import type { Transaction } from "@/lib/db/prisma";

export interface SignedTransaction {
  id: string;
  bytes: Uint8Array;
  /** The fee payer's own, base58: the chain knows the transaction by it. */
  signature: string;
  feePayer: string;
  /** As `readBlockhash` gave them with the blockhash that was signed. */
  lastValidBlockHeight: number;
  slot: number;
}

/**
 * Stores signed bytes in the caller's transaction; `sendStored(id)` after the commit. The same id twice is the first one again,
 * whatever the second holds.
 * @returns the signature that counts for the id
 */
export async function storeSigned(signed: SignedTransaction, transaction: Transaction): Promise<string> {
  const { rows } = await transaction.query<{ signature: string }>("SELECT relay_store_signed($1, $2, $3, $4, $5, $6, $7) AS signature", [
    ...[signed.id, signed.feePayer, signed.signature, Buffer.from(signed.bytes)],
    ...[signed.lastValidBlockHeight, signed.slot, now()],
  ]);
  const [stored] = rows;
  if (!stored) throw new Error(`${signed.id} was not stored.`);
  return stored.signature;
}
