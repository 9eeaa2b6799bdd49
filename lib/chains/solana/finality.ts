// The cluster's head, and the transactions that its nodes agree to be final.

import { z } from "zod";
import type { SolanaNodes } from "./nodes";
import { fetchStatuses } from "./transactions";

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

/**
 * Asks every node for the status of these transactions.
 * @throws SolanaUnavailable when none answers
 */
export async function readStandings(nodes: SolanaNodes, signatures: readonly string[]): Promise<ReadonlyMap<string, Standing>> {
  const answers = await nodes.callEach("getSignatureStatuses", (call) => fetchStatuses(nodes, call, signatures));
  const standings = signatures.map((_, index): Standing => {
    const statuses = answers.map(({ value }) => value[index] ?? null);
    const final = statuses.filter((status) => status?.commitment === "finalized");
    const failed = final.filter((status) => status?.isFailed).length;
    return {
      final: final.length - failed,
      gone: statuses.filter((status) => status === null).length + failed,
      answers: statuses.length,
    };
  });
  return new Map(standings.map((standing, index) => [signatures[index] ?? "", standing]));
}
