// When a spending cap resets. Periods are UTC; weeks begin on Monday. SQL computes the periods that decide; a test holds both equal.

import { DAY_MS, HOUR_MS } from "@/lib/base/clock";

/** When the period that contains `at` began; `total` begins at the Unix epoch. */
export function capPeriodStart(period: string, at: Date): Date {
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  switch (period) {
    case "hour":
      return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
    case "day":
      return new Date(midnight);
    case "week":
      return new Date(midnight - ((at.getUTCDay() + 6) % 7) * DAY_MS);
    case "month":
      return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
    default:
      return new Date(0);
  }
}

/** When the period that began at `start` ends; null for a cap that never resets. */
export function capPeriodEnd(period: string | null, start: Date | null): Date | null {
  if (!start) return null;
  const end = new Date(start);
  switch (period) {
    case "hour":
      end.setUTCHours(end.getUTCHours() + 1);
      return end;
    case "day":
      end.setUTCDate(end.getUTCDate() + 1);
      return end;
    case "week":
      end.setUTCDate(end.getUTCDate() + 7);
      return end;
    case "month":
      end.setUTCMonth(end.getUTCMonth() + 1);
      return end;
    default:
      return null;
  }
}
