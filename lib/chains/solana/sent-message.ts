// The signed bytes of a transaction in a block.

import { z } from "zod";
import { NodeFailure } from "./node-failure";
import type { SolanaNodes } from "./nodes";
import { readTransaction } from "./read-transaction";

const sentForm = z.object({ transaction: z.tuple([z.base64(), z.literal("base64")]) }).nullable();

/**
 * The message of a confirmed transaction that a node listed; null when its format is not a payment's.
 * @throws SolanaUnavailable when no node has it
 */
export async function readSentMessage(nodes: SolanaNodes, signature: string): Promise<Uint8Array | null> {
  const options = { commitment: "confirmed", encoding: "base64", maxSupportedTransactionVersion: 0 };
  const bytes = await nodes.callFirst("getTransaction", async (call) => {
    const sent = await call("getTransaction", [signature, options], sentForm);
    // The transaction was listed, so a node without it lags or has pruned it.
    if (sent === null) throw new NodeFailure("no such transaction", 0);
    return Buffer.from(sent.transaction[0], "base64");
  });
  try {
    return readTransaction(bytes).message;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
