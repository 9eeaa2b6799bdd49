export interface SpendSeries {
  id: string;
  name: string;
  /** Nano-USD. */
  total: bigint;
}

export interface SpendChartData {
  /** What each day is split into, the dearest first. */
  series: readonly SpendSeries[];
  /** `day` is `2026-11-21` (UTC), `costs` nano-USD in the order of the series. */
  days: readonly { day: string; costs: readonly bigint[] }[];
}
