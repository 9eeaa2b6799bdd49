// Structured logs, one JSON line an event, on standard output. Secrets and prompts never get in: they are not passed here,
// and the redaction below is the second fence, not the first.

import pino, { type Logger } from "pino";
import { once } from "../once";

const redactedPaths = [
  "authorization", "*.authorization", "apiKey", "*.apiKey", "key", "*.key", "secret", "*.secret",
  "pepper", "*.pepper", "password", "*.password", "prompt", "*.prompt", "cookie", "*.cookie",
];

/** The process's logger. The level comes from LOG_LEVEL; it is read here so that a broken config can still be logged. */
export const log = (): Logger =>
  once("log", () =>
    pino(
      {
        level: process.env.LOG_LEVEL ?? "info",
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        redact: { paths: redactedPaths, censor: "[redacted]" },
      },
      pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 200 }),
    ),
  );
