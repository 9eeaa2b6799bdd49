// Works on many items so that a failed item does not stop the others: the failure is logged, and the next round tries the item again.

import { log } from "./observe/log";

interface Isolation {
  /** What an item is, in the log. */
  what: string;
  /** Number of items worked on at once; 1 by default. */
  atOnce?: number;
  /** Failures that are reported elsewhere, and are not logged here. */
  isReported?: (error: unknown) => boolean;
}

/** Does `work` for every item, in order. Never rejects because of a failed item. */
export async function forEachIsolated<T extends { id: string }>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  { what, atOnce = 1, isReported = () => false }: Isolation,
): Promise<void> {
  const isolated = async (item: T): Promise<void> => {
    try {
      await work(item);
    } catch (error) {
      if (!isReported(error)) log().error({ err: error, [what]: item.id }, `a ${what} failed; it is retried in the next round`);
    }
  };
  for (let from = 0; from < items.length; from += atOnce) await Promise.all(items.slice(from, from + atOnce).map(isolated));
}
