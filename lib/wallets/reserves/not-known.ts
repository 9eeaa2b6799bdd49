// Why the holdings are unknown now, which is never the same as a deficit.

import type { ChainId } from "@/lib/base/chains";

export const UNKNOWN_REASONS = [
  /** No node of the chain answers, or none is configured. */
  "away",
  /** The chain's head is in doubt. */
  "doubtful",
  /** The nodes or the scan are behind their last known position, or the nodes have pruned the block. */
  "behind",
  /** A second reconciliation gave another result. */
  "disputed",
  /** No seed was opened yet; or a sandbox's grants are not on its chain yet. */
  "starting",
] as const;

export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Ends a reconciliation. `chain` is null when the reason is not specific to one chain. */
export class NotKnown extends Error {
  constructor(
    readonly reason: UnknownReason,
    readonly chain: ChainId | null,
    detail: string,
  ) {
    super(detail);
    this.name = "NotKnown";
  }
}
