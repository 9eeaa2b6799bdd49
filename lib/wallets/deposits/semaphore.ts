// Turns: how many calls are under way at once. Nodes refuse whoever asks too much at a time.

export type RunLimited = <T>(task: () => Promise<T>) => Promise<T>;

/** Runs up to `most` tasks at once; the others wait, in their order. */
export function createSemaphore(most: number): RunLimited {
  let free = most;
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
