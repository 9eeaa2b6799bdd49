// What is in a block under a signature: the very bytes that were signed.

import { z } from "zod";
import type { SolanaNodes } from "./nodes";
import { readTransaction } from "./read-transaction";
import type { SettledCommitment } from "./usdc";

export interface SentMessage {
  message: Uint8Array;
  slot: number;
  /** It ran, moved nothing and cost its fee. */
  isFailed: boolean;
}

const sentForm = z
  .object({ slot: z.int(), transaction: z.tuple([z.base64(), z.literal("base64")]), meta: z.object({ err: z.unknown() }) })
  .nullable();

/** Null when the node that answers has no such transaction, or one of a form that we never sign. @throws SolanaUnavailable */
export async function readSentMessage(nodes: SolanaNodes, signature: string, commitment: SettledCommitment): Promise<SentMessage | null> {
  const options = { commitment, encoding: "base64", maxSupportedTransactionVersion: 0 };
  const sent = await nodes.call("getTransaction", [signature, options], sentForm);
  if (sent === null) return null;
  const { message } = readForm(Buffer.from(sent.transaction[0], "base64")) ?? {};
  const { err } = sent.meta;
  return message ? { message, slot: sent.slot, isFailed: err !== null && err !== undefined } : null;
}

function readForm(bytes: Uint8Array) {
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null; // somebody else's, of a form that no payment has
    throw error;
  }
}
