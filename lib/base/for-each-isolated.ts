// Work on many items of which one that fails keeps no other from its turn: the failure is logged, and the next round tries it again.

import { log } from "./observe/log";

interface Isolation {
  /** What an item is, in the log. */
  what: string;
  /** How many are worked on at once: one after the other by default. */
  atOnce?: number;
  /** Failures that are reported elsewhere, and are not logged here. */
  isReported?: (error: unknown) => boolean;
}

/** Does `work` for every item, in their order. Never rejects for what went wrong with one. */
export async function forEachIsolated<T extends { id: string }>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  { what, atOnce = 1, isReported = () => false }: Isolation,
): Promise<void> {
  const isolated = async (item: T): Promise<void> => {
    try {
      await work(item);
    } catch (error) {
      if (!isReported(error)) log().error({ err: error, [what]: item.id }, `a ${what} could not be dealt with; it is tried again`);
    }
  };
  for (let from = 0; from < items.length; from += atOnce) await Promise.all(items.slice(from, from + atOnce).map(isolated));
}
