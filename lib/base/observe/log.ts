// Structured logs, one JSON line an event, on standard output, and telemetry that nobody waits for. Secrets and prompts never get in:
// they are not passed here, and the redaction below is the second fence, not the first.

import pino, { type Logger } from "pino";
import { dateOf, nowMs } from "../clock";
import { processSingleton } from "../process-singleton";

/** Top-level names only: a wildcard would make every line pay for a search through all it holds. */
const redactedPaths = ["authorization", "apiKey", "key", "secret", "pepper", "password", "prompt", "cookie"];

/** Characters: with none at all nothing would ever be gathered. */
const MIN_WRITTEN = 1;

/** The process's logger. The level comes from LOG_LEVEL; it is read here so that a broken config can still be logged. */
export const log = processSingleton<Logger>("log", () =>
  pino(
    {
      level: process.env.LOG_LEVEL || "info",
      base: null,
      timestamp: writeTime,
      redact: { paths: redactedPaths, censor: "[redacted]" },
      serializers: { err: describeError },
    },
    gatherLines(pino.destination({ dest: 1, sync: false, minLength: MIN_WRITTEN, maxWrite: 131_072, periodicFlush: 200 })),
  ),
);

const lastTime = processSingleton("last time of the log", () => ({ ms: Number.NaN, text: "" }));

/** Many lines are of the same millisecond. */
function writeTime(): string {
  const last = lastTime();
  const ms = nowMs();
  if (ms !== last.ms) Object.assign(last, { ms, text: `,"time":"${dateOf(ms).toISOString()}"` });
  return last.text;
}

/** Lines are handed on when so many characters are there, or at the next flush. */
const GATHERED_CHARACTERS = 32_768;

/** Gathers lines before they come to the file: sonic-boom copies all that it has gathered each time another line comes. */
function gatherLines(file: ReturnType<typeof pino.destination>): typeof file {
  const { write, flush, flushSync } = file;
  let gathered = "";
  const handOn = (): boolean => {
    const lines = gathered;
    gathered = "";
    return lines === "" || write.call(file, lines);
  };
  return Object.assign(file, {
    write(line: string): boolean {
      gathered += line;
      return gathered.length < GATHERED_CHARACTERS || handOn();
    },
    flush(onFlushed?: (error?: Error) => unknown): void {
      handOn();
      flush.call(file, onFlushed);
    },
    flushSync(): void {
      // By this thread, and at once: what another is still to write is lost when the process comes to its end.
      Object.assign(file, { minLength: Number.POSITIVE_INFINITY });
      handOn();
      Object.assign(file, { minLength: MIN_WRITTEN });
      flushSync.call(file);
    },
  });
}

/** What a log may hold of an error: drivers hang connections, statements and rows on theirs. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
    stack: error.stack,
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

/** What waits for the next tick: one for all, since each costs as much as what is done in it. */
const waiting = processSingleton<(() => void)[]>("done afterwards", () => []);

/**
 * Runs `work` (metrics, lines of the log) in this same turn, once all is under way that somebody does wait for: what it would read must
 * not change by then. What it throws is logged.
 */
export function deferTelemetry(work: () => void): void {
  if (waiting().push(work) === 1) process.nextTick(runAll);
}

function runAll(): void {
  for (const work of waiting().splice(0)) runSafely(work);
}

function runSafely(work: () => void): void {
  try {
    work();
  } catch (error) {
    log().error({ err: error }, "noting what happened failed");
  }
}
