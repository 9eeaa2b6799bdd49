// Structured logs, one JSON line per event, on standard output, or a plain line on a terminal; and telemetry that no request waits for. Secrets and prompts never get
// into a log: callers do not pass them. The redaction below is only the second line of defence.

import pino, { type Logger } from "pino";
import { dateOf, nowMs } from "../clock";
import { processSingleton } from "../process-singleton";
import { terminalLine } from "./terminal-lines";

/** Top-level names only: a wildcard would make every line pay for a search through its whole content. */
const redactedPaths = ["authorization", "apiKey", "key", "secret", "pepper", "password", "prompt", "cookie"];

/** In characters. With 0, sonic-boom would write each line at once and never buffer. */
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
    process.stdout.isTTY
      ? { write: (line: string) => void process.stdout.write(terminalLine(line)) }
      : gatherLines(pino.destination({ dest: 1, sync: false, minLength: MIN_WRITTEN, maxWrite: 131_072, periodicFlush: 200 })),
  ),
);

const lastTime = processSingleton("last time of the log", () => ({ ms: Number.NaN, text: "" }));

/** Keeps its last text: many lines are written within one millisecond. */
function writeTime(): string {
  const last = lastTime();
  const ms = nowMs();
  if (ms !== last.ms) Object.assign(last, { ms, text: `,"time":"${dateOf(ms).toISOString()}"` });
  return last.text;
}

/** Number of buffered characters at which lines go to the file; a flush sends fewer. */
const GATHERED_CHARACTERS = 32_768;

/** Buffers lines in front of the file: sonic-boom copies its whole buffer each time another line arrives. */
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
      // Synchronously, by this thread: what a worker thread still has to write is lost when the process exits.
      Object.assign(file, { minLength: Number.POSITIVE_INFINITY });
      handOn();
      Object.assign(file, { minLength: MIN_WRITTEN });
      flushSync.call(file);
    },
  });
}

/** The part of an error that a log may hold: drivers attach connections, statements and rows to their errors. */
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

/** Work for the next tick. All of it shares one tick, since a tick costs as much as the work done in it. */
const waiting = processSingleton<(() => void)[]>("done afterwards", () => []);

/**
 * Runs `work` (metrics, log lines) in this same turn, once everything that a caller waits for is under way. The values that `work` reads
 * must not change until then. Its errors are logged.
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
    log().error({ err: error }, "recording telemetry failed");
  }
}
