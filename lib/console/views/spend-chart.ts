// What a chart of spend is drawn from. Amounts are nano-USD.

export interface SpendSeries {
  id: string;
  name: string;
  /** Of all days. */
  total: bigint;
}

export interface SpendChart {
  /** The part that cost most first; what is not among the largest last. */
  series: SpendSeries[];
  /** Each day (UTC, `2026-01-31`) once, the first one first; `costs` in the order of `series`. */
  days: { day: string; costs: bigint[] }[];
}
