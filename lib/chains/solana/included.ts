// Which transactions had run by a slot. Only nodes past that slot are used, so a transaction that they do not know had not run.

import { NodeFailure } from "./node-failure";
import type { SolanaNodes } from "./nodes";
import { fetchStatuses, type TransactionStatus } from "./transactions";

/**
 * Those of `signatures` that succeeded in a block up to `slot`, which is final.
 * @throws SolanaUnavailable
 */
export async function findIncluded(nodes: SolanaNodes, signatures: readonly string[], slot: number): Promise<ReadonlySet<string>> {
  const statuses = await nodes.callFirst("getSignatureStatuses", async (call) => {
    const answer = await fetchStatuses(nodes, call, signatures);
    if (answer.slot < slot) throw new NodeFailure(`${slot - answer.slot} slots behind what is asked about`, 0);
    return answer.value;
  });
  // A transaction that is only processed may be on a fork, in a slot that another block takes.
  const isIncluded = (status: TransactionStatus | null | undefined) =>
    status && !status.isFailed && status.slot <= slot && status.commitment !== "processed";
  return new Set(signatures.filter((_, index) => isIncluded(statuses[index])));
}
