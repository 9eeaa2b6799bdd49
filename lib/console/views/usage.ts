// The usage page: the charges that its URL selects, page by page, with their chart.

import type { TokenSums } from "@/lib/ledger/usage";
import type { SpendChart } from "./spend-chart";

/** Input and output, and the kinds of tokens that are parts of them. */
export type TokenCounts = TokenSums;

/** A charge as a table shows it; `cost` in nano-USD. */
export interface UsageRow extends TokenCounts {
  requestId: string;
  at: Date;
  model: string;
  key: string;
  isKeyRevoked: boolean;
  cost: bigint;
  outcome: string;
  streamed: boolean;
}

export interface UsageChoice {
  value: string;
  text: string;
}

export interface UsageView {
  /** Of the whole filter, independent of the page. */
  totals: TokenCounts & { requests: number; cost: bigint };
  rows: UsageRow[];
  /** The URL's `older` or `newer` for the neighbouring page; null when there is none. */
  older: string | null;
  newer: string | null;
  /** Identifies the moment that all of this shows. */
  mark: bigint;
  chart: SpendChart;
  /** False before the account's first charged request. */
  hasEverCalled: boolean;
  /** The filter's choices: everything charged on these days, and the current selection. */
  models: UsageChoice[];
  keys: UsageChoice[];
}
