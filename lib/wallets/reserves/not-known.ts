// Why it can not be told now what is held: never the same as that there is too little.

import type { DepositChain } from "../deposits/deposit";

export const UNKNOWN_REASONS = [
  /** No node of the chain answers, or none is set. */
  "away",
  /** What the nodes say of the chain's head is in doubt. */
  "doubtful",
  /** The nodes, or what was read of the chain so far, are not where they were, or do not remember the block any more. */
  "behind",
  /** A second reading did not say the same. */
  "disputed",
  /** The seed was never opened; or, in a sandbox, what was given to accounts is not on its chain yet. */
  "starting",
] as const;

export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Ends a reading. `chain` is null when it is no single chain's matter. */
export class NotKnown extends Error {
  constructor(
    readonly reason: UnknownReason,
    readonly chain: DepositChain | null,
    detail: string,
  ) {
    super(detail);
    this.name = "NotKnown";
  }
}
