// Keeps an idle stream's connection open: proxies cut connections that are silent for long, and a model may think for minutes.

const SIGN_EVERY_MS = 15_000;

/** A comment line, which readers of event streams skip. */
const COMMENT = ": still here\n\n";

/** Passes `chunks` on, with a sign of life whenever `everyMs` pass without one. */
export async function* keepAlive(chunks: AsyncIterator<string>, everyMs = SIGN_EVERY_MS, sign = COMMENT): AsyncGenerator<string> {
  for (let next = chunks.next(); ; ) {
    const result = await nextWithin(next, everyMs);
    if (result === null) {
      yield sign;
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
