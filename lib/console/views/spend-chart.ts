// The data of a spend chart. Amounts are nano-USD.

export interface SpendSeries {
  id: string;
  name: string;
  /** Over all days. */
  total: bigint;
}

export interface SpendChart {
  /** Most expensive part first; the rest, not among the largest, last. */
  series: SpendSeries[];
  /** Each day (UTC, `2026-01-31`) once, in order; `costs` in the order of `series`. */
  days: { day: string; costs: bigint[] }[];
}
