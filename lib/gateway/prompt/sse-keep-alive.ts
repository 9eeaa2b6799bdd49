// Keeps an idle stream's connection open: proxies cut connections that are silent for long, and a model may think for minutes.

const COMMENT_EVERY_MS = 15_000;

/** Passes `chunks` on, with a comment line, which readers of event streams skip, whenever `everyMs` pass without one. */
export async function* keepAlive(chunks: AsyncIterator<string>, everyMs = COMMENT_EVERY_MS): AsyncGenerator<string> {
  for (let next = chunks.next(); ; ) {
    const result = await nextWithin(next, everyMs);
    if (result === null) {
      yield ": still here\n\n";
      continue;
    }
    if (result.done) return;
    yield result.value;
    next = chunks.next();
  }
}

/** The result of `next`, or null when it takes longer than `ms`. */
async function nextWithin<T>(next: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
