// The signed bytes of a transaction in a block.

import { z } from "zod";
import { NodeFailure } from "./node-failure";
import type { SolanaNodes } from "./nodes";
import { readTransaction } from "./read-transaction";

const sentForm = z.object({ transaction: z.tuple([z.base64(), z.literal("base64")]) }).nullable();
const shownForm = sentForm
  .unwrap()
  .extend({ slot: z.int(), meta: z.object({ err: z.unknown() }) })
  .nullable();
const options = { commitment: "confirmed", encoding: "base64", maxSupportedTransactionVersion: 0 };

/**
 * The message of a confirmed transaction that a node listed; null when its format is not a payment's.
 * @throws SolanaUnavailable when no node has it
 */
export async function readSentMessage(nodes: SolanaNodes, signature: string): Promise<Uint8Array | null> {
  const bytes = await nodes.callFirst("getTransaction", async (call) => {
    const sent = await call("getTransaction", [signature, options], sentForm);
    // The transaction was listed, so a node without it lags or has pruned it.
    if (sent === null) throw new NodeFailure("no such transaction", 0);
    return Buffer.from(sent.transaction[0], "base64");
  });
  return messageOf(bytes);
}

export interface ShownMessage {
  signature: string;
  slot: number;
  message: Uint8Array;
}

/**
 * Whether as many nodes as must agree show this message under this signature, confirmed and successful in this slot.
 * @throws SolanaUnavailable when none answers
 */
export async function isMessageShown(nodes: SolanaNodes, { signature, slot, message }: ShownMessage): Promise<boolean> {
  const answers = await nodes.callEach("getTransaction", async (call) => {
    const shown = await call("getTransaction", [signature, options], shownForm);
    if (shown === null || shown.slot !== slot || (shown.meta.err ?? null) !== null) return false;
    const sent = messageOf(Buffer.from(shown.transaction[0], "base64"));
    return sent !== null && Buffer.from(message).equals(sent);
  });
  return answers.filter((isShown) => isShown).length >= nodes.quorum;
}

function messageOf(bytes: Uint8Array): Uint8Array | null {
  try {
    return readTransaction(bytes).message;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
