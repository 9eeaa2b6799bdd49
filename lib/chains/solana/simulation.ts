// Simulates a transaction on a node. Nothing is sent, and no signature is needed.

import { z } from "zod";
import type { AtSlot, SolanaNodes } from "./nodes";

/** Null when it would succeed; otherwise the RPC's error name, such as `BlockhashNotFound`, or its JSON. */
export type Trial = string | null;

const simulationForm = z.object({ err: z.unknown() });

/** @throws SolanaUnavailable; SolanaRefusal when it is not a valid transaction */
export async function tryTransaction(nodes: SolanaNodes, bytes: Uint8Array): Promise<AtSlot<Trial>> {
  const options = { encoding: "base64", commitment: "confirmed", sigVerify: false, minContextSlot: nodes.leastSlot };
  const params = [Buffer.from(bytes).toString("base64"), options];
  const { slot, value } = await nodes.callAtSlot("simulateTransaction", params, simulationForm);
  const { err } = value;
  if (err === null || err === undefined) return { slot, value: null };
  return { slot, value: typeof err === "string" ? err : JSON.stringify(err) };
}

/** True when any node still accepts transactions with this blockhash. @throws SolanaUnavailable when none answers */
export async function isBlockhashKnown(nodes: SolanaNodes, blockhash: string): Promise<boolean> {
  const answers = await nodes.callEach("isBlockhashValid", async (call) => {
    const { value } = await nodes.callAtSlotOn(call, ["isBlockhashValid", [blockhash, { commitment: "processed" }]], z.boolean());
    return value;
  });
  return answers.includes(true);
}
