// Transactions on Solana, signed by those who make them: stored in the maker's own database transaction, then sent as they are until
// they are in a block or can never be in one.

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
  const { id, feePayer: sender, signature: hash, lastValidBlockHeight: lastValidHeight, slot: signedSlot } = signed;
  const at = now();
  const { count } = await transaction.relayed.createMany({
    data: [{ id, chain: "solana", sender, lastValidHeight, signedSlot, state: "stored", hash, storedAt: at }],
    skipDuplicates: true,
  });
  // The insert waited until the other transaction of this id was committed: this statement, being a later one, sees it.
  if (count === 0) return (await transaction.relayed.findUniqueOrThrow({ where: { id }, select: { hash: true } })).hash;
  await transaction.relayBroadcast.create({ data: { hash, relayedId: id, raw: Buffer.from(signed.bytes), signedAt: at } });
  return hash;
}
