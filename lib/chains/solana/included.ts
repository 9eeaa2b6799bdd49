// Which transactions had run by a slot. Only nodes past that slot are used, so a transaction that they do not know had not run.

import { z } from "zod";
import { NodeFailure } from "./node-failure";
import type { SolanaNodes } from "./nodes";

const MAX_A_CALL = 256;

const statusesForm = z.array(
  z.object({ slot: z.int(), err: z.unknown(), confirmationStatus: z.enum(["processed", "confirmed", "finalized"]) }).nullable(),
);

/**
 * Those of `signatures` that succeeded in a block up to `slot`, which is final.
 * @throws SolanaUnavailable
 */
export async function findIncluded(nodes: SolanaNodes, signatures: readonly string[], slot: number): Promise<ReadonlySet<string>> {
  const included = new Set<string>();
  for (let from = 0; from < signatures.length; from += MAX_A_CALL) {
    const some = signatures.slice(from, from + MAX_A_CALL);
    const statuses = await nodes.callFirst("getSignatureStatuses", async (call) => {
      const request: [string, readonly unknown[]] = ["getSignatureStatuses", [some, { searchTransactionHistory: true }]];
      const answer = await nodes.callAtSlotOn(call, request, statusesForm.length(some.length));
      if (answer.slot < slot) throw new NodeFailure(`${slot - answer.slot} slots behind what is asked about`, 0);
      return answer.value;
    });
    for (const [index, status] of statuses.entries()) {
      const ranWell = status && (status.err === null || status.err === undefined);
      // A transaction that is only processed may be on a fork, in a slot that another block takes.
      if (ranWell && status.slot <= slot && status.confirmationStatus !== "processed") included.add(some[index] ?? "");
    }
  }
  return included;
}
