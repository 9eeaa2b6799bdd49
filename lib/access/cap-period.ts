// When a spending cap starts anew. Periods are UTC; weeks begin on Monday. The starts are computed in SQL, in the statement
// that decides; here is only what follows from a start.

/** When the period that began at `start` ends; null for a cap that never starts anew. */
export function capPeriodEnd(period: string | null, start: Date | null): Date | null {
  if (!start) return null;
  const end = new Date(start);
  switch (period) {
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
