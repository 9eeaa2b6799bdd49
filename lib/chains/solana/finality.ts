// The cluster's head, and the transactions that its nodes agree to be final.

import { z } from "zod";
import type { SolanaNodes } from "./nodes";

export interface SolanaHead {
  /** The newest confirmed slot. */
  latest: number;
  finalized: number;
}

/** @throws SolanaUnavailable */
export function readSolanaHead(nodes: SolanaNodes): Promise<SolanaHead> {
  return nodes.callFirst("getSlot", async (call) => {
    const slotAt = async (commitment: string) => {
      const slot = await call("getSlot", [{ commitment }], z.int().min(0));
      nodes.sawSlot(call, slot);
      return slot;
    };
    const finalized = await slotAt("finalized");
    return { finalized, latest: Math.max(finalized, await slotAt("confirmed")) };
  });
}

/** The status of one transaction among the nodes that answered. */
export interface Standing {
  /** Nodes that have it as final and successful. */
  final: number;
  /** Nodes that do not know it, or have it as final and failed. */
  gone: number;
  answers: number;
}

const MAX_A_CALL = 256;

const statusesForm = z.array(
  z.object({ err: z.unknown(), confirmationStatus: z.enum(["processed", "confirmed", "finalized"]).nullish() }).nullable(),
);

/**
 * Asks every node for the status of these transactions.
 * @throws SolanaUnavailable when none answers
 */
export async function readStandings(nodes: SolanaNodes, signatures: readonly string[]): Promise<ReadonlyMap<string, Standing>> {
  const standings = new Map<string, Standing>();
  for (let start = 0; start < signatures.length; start += MAX_A_CALL) {
    const some = signatures.slice(start, start + MAX_A_CALL);
    const answers = await nodes.callEach("getSignatureStatuses", async (call) => {
      const params = [some, { searchTransactionHistory: true }];
      const { value } = await nodes.callAtSlotOn(call, ["getSignatureStatuses", params], statusesForm.length(some.length));
      return value;
    });
    for (const [index, signature] of some.entries()) {
      const statuses = answers.map((answer) => answer[index] ?? null);
      const isFinal = (status: (typeof statuses)[number]) => status?.confirmationStatus === "finalized";
      const ranWell = (status: (typeof statuses)[number]) => status?.err === null || status?.err === undefined;
      standings.set(signature, {
        final: statuses.filter((status) => isFinal(status) && ranWell(status)).length,
        gone: statuses.filter((status) => status === null || (isFinal(status) && !ranWell(status))).length,
        answers: statuses.length,
      });
    }
  }
  return standings;
}
