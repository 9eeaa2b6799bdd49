// A semaphore: limits how many calls are under way at once. Nodes refuse too many at a time.

export type RunLimited = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs up to `max` tasks at once; the others wait in order. */
export function createSemaphore(max: number): RunLimited {
  let free = max;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((onTurn) => waiting.push(onTurn));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
