// The overview: what the account has, what it spent, what it did last, and what a newcomer does next.

import type { SpendChart } from "./spend-chart";
import type { UsageRow } from "./usage";

/** Amounts in nano-USD; days and months are UTC. */
export interface Overview {
  available: bigint;
  held: bigint;
  /** What the owner wants to be told below; null unless the available balance is below it. */
  lowBalanceLine: bigint | null;
  today: bigint;
  month: bigint;
  chart: SpendChart;
  latest: UsageRow[];
  /** What has been done already, ever. */
  steps: { isFunded: boolean; hasKey: boolean; hasCalled: boolean };
}
