// The usage page: the charges that its address asks for, page by page, with their chart.

import type { SpendChart } from "./spend-chart";

/** A charge as a table shows it; `cost` in nano-USD. */
export interface UsageRow {
  requestId: string;
  at: Date;
  model: string;
  key: string;
  isKeyRevoked: boolean;
  inputTokens: number;
  outputTokens: number;
  cost: bigint;
  outcome: string;
  streamed: boolean;
}

export interface UsageChoice {
  value: string;
  text: string;
}

export interface UsageView {
  /** Of the whole filter, whatever the page. */
  totals: { requests: number; inputTokens: number; outputTokens: number; cost: bigint };
  rows: UsageRow[];
  /** What `older` and `newer` in the address take to the next page; null when there is none. */
  older: string | null;
  newer: string | null;
  /** Names the moment that all of this is of. */
  mark: bigint;
  chart: SpendChart;
  /** False for a newcomer: no request was ever charged. */
  hasEverCalled: boolean;
  /** What the filter can choose: what was charged on these days, and what is chosen. */
  models: UsageChoice[];
  keys: UsageChoice[];
}
