// The overview: the account's balance, its spend, its latest requests, and the next onboarding steps.

import type { SpendChart } from "./spend-chart";
import type { UsageRow } from "./usage";

/** Amounts in nano-USD; days and months are UTC. */
export interface Overview {
  available: bigint;
  held: bigint;
  /** The balance, reserved money included, and the owner's threshold; null unless the balance is below it. */
  lowBalance: { balance: bigint; line: bigint } | null;
  today: bigint;
  month: bigint;
  chart: SpendChart;
  latest: UsageRow[];
  /** Steps ever completed. */
  steps: { isFunded: boolean; hasKey: boolean; hasCalled: boolean; hasAlert: boolean };
}
