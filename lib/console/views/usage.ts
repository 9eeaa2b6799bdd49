// The usage page: the charges that its URL selects, page by page, with their chart.

import type { TokenCounts } from "@/lib/base/tokens/token-kinds";
import type { SpendChart } from "./spend-chart";

/** Input and output, and the kinds of tokens that are parts of them. */

/** A charge as a table shows it; `cost` in nano-USD. */
export interface UsageRow extends TokenCounts {
  requestId: string;
  /** When the request began: rows are sorted by it. Its charge was booked when it ended, and its receipt says when that was. */
  startedAt: Date;
  model: string;
  key: string;
  isKeyRevoked: boolean;
  cost: bigint;
  outcome: string;
  streamed: boolean;
}

/** A request whose charge is not known yet: it runs, or was stopped and its provider goes on. */
export interface RunningRow {
  requestId: string;
  startedAt: Date;
  model: string;
  key: string;
  /** The most that it can cost, nano-USD, which is reserved for it. */
  reserved: bigint;
}

export interface UsageChoice {
  value: string;
  text: string;
}

export interface UsageView {
  /** Of the whole filter, independent of the page. */
  totals: TokenCounts & { requests: number; cost: bigint };
  rows: UsageRow[];
  /** Of the whole account, the newest first; at most as many as a page has rows. */
  running: RunningRow[];
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
