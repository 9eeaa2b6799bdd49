// When the period of a cap begins and ends, for tests, written apart from the product's code.

import type { Period } from "./model-types";

const DAY_MS = 86_400_000;

/** When the period that contains `atMs` began, in UTC; weeks begin on Monday. */
export function periodStartMs(period: Period, atMs: number): number {
  const at = new Date(atMs);
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  switch (period) {
    case "hour":
      return Math.floor(atMs / 3_600_000) * 3_600_000;
    case "day":
      return midnight;
    case "week":
      return midnight - ((at.getUTCDay() + 6) % 7) * DAY_MS;
    case "month":
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    case "total":
      return 0;
  }
}

/** When the period ends; null for one that never ends. */
export function periodEndMs({ period, periodStart }: { period: Period; periodStart: number }): number | null {
  const start = new Date(periodStart);
  switch (period) {
    case "hour":
      return periodStart + 3_600_000;
    case "day":
      return periodStart + DAY_MS;
    case "week":
      return periodStart + 7 * DAY_MS;
    case "month":
      return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
    case "total":
      return null;
  }
}
