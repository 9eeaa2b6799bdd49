// Transactions on Solana, signed by their caller: stored in the caller's own database transaction, then sent unchanged until they are in a
// block or can never be in one.

import { now } from "@/lib/base/clock";
import type { Transaction } from "@/lib/db/prisma";

export interface SignedTransaction {
  id: string;
  bytes: Uint8Array;
  /** The fee payer's signature, base58: it identifies the transaction on the chain. */
  signature: string;
  feePayer: string;
  /** As `readBlockhash` returned them with the blockhash that was signed. */
  lastValidBlockHeight: number;
  slot: number;
}

/**
 * Stores signed bytes in the caller's transaction; call `sendStored(id)` after the commit. A repeated id keeps the first transaction,
 * whatever the second holds.
 * @returns the signature that is stored for the id
 */
export async function storeSigned(signed: SignedTransaction, transaction: Transaction): Promise<string> {
  const { id, feePayer: sender, signature: hash, lastValidBlockHeight: lastValidHeight, slot: signedSlot } = signed;
  const at = now();
  const { count } = await transaction.relayed.createMany({
    data: [{ id, chain: "solana", sender, lastValidHeight, signedSlot, state: "stored", hash, storedAt: at }],
    skipDuplicates: true,
  });
  // The insert waited until the other transaction of this id was committed, so this later statement sees its row.
  if (count === 0) return (await transaction.relayed.findUniqueOrThrow({ where: { id }, select: { hash: true } })).hash;
  await transaction.relayBroadcast.create({ data: { hash, relayedId: id, raw: Buffer.from(signed.bytes), signedAt: at } });
  return hash;
}
