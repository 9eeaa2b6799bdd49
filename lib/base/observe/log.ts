// Structured logs, one JSON line an event, on standard output. Secrets and prompts never get in: they are not passed here,
// and the redaction below is the second fence, not the first.

import pino, { type Logger } from "pino";
import { once } from "../once";

/** Top-level names only: a wildcard would make every line pay for a search through all it holds. */
const redactedPaths = ["authorization", "apiKey", "key", "secret", "pepper", "password", "prompt", "cookie"];

/** The process's logger. The level comes from LOG_LEVEL; it is read here so that a broken config can still be logged. */
export const log = (): Logger =>
  once("log", () =>
    pino(
      {
        level: process.env.LOG_LEVEL || "info",
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        redact: { paths: redactedPaths, censor: "[redacted]" },
        serializers: { err: describeError },
      },
      pino.destination({ dest: 1, sync: false, minLength: 65_536, maxWrite: 131_072, periodicFlush: 200 }),
    ),
  );

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
