// The service's process: starts it, stops it on a signal, and exits with a code that a supervisor can act on: 0 when it was asked
// to stop, 1 when it could not start or cannot go on.

import { EventEmitter } from "node:events";
import pino from "pino";
import { log } from "@/lib/base/observe/log";
import type { Service } from "./start";

// SIGHUP: the terminal was closed. By default Node would die of it without stopping its children.
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const MAX_FLUSH_MS = 1_000;

/** Runs the service until a signal ends it, even during the start; a second signal ends it at once. */
export async function runService(start: () => Promise<Service>): Promise<void> {
  // A closed terminal or pipe must not end the service before it has drained.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const starting = start();
  const signals = stopOnSignal(starting);
  try {
    const service = await starting;
    void service.failed.then((error) => stopFailed(service, error));
  } catch (error) {
    // A signal ends the build of the pages, and so the start that waits for it.
    if (!signals.isStopping()) say(error);
    process.exitCode = signals.isStopping() ? 0 : 1;
    setTimeout(() => process.exit(), 100).unref(); // a start that failed half-way may still hold handles open
  }
}

function stopOnSignal(starting: Promise<Service>): { isStopping: () => boolean } {
  let stopping = false;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (stopping) return exit(1);
      stopping = true;
      forgiveLostReaders();
      process.stdout.write("\nFinishing running requests, then stopping. Press Ctrl-C again to stop now.\n");
      starting.then((service) => service.stop().finally(() => exit(0))).catch(() => undefined); // runService reports a failed start
    });
  }
  return { isStopping: () => stopping };
}

async function stopFailed(service: Service, error: Error): Promise<void> {
  say(error);
  await service.stop().finally(() => exit(1));
}

/**
 * Drops log lines that cannot be written from now on. After a closed terminal every write fails: the logger would first end the
 * process with an uncaught error, before it has drained, and then retry its last lines forever.
 */
function forgiveLostReaders(): void {
  const stream: unknown = Reflect.get(log(), pino.symbols.streamSym);
  if (stream instanceof EventEmitter) stream.on("error", () => Object.assign(stream, { flushSync: () => undefined }));
}

/**
 * Ends the process once its log is written. When the log's reader has gone, Node's own exit would retry forever; the logger
 * notices it here and gives up.
 */
export function exit(code: number): void {
  setTimeout(() => process.exit(code), MAX_FLUSH_MS);
  log().flush(() => setImmediate(() => process.exit(code)));
}

function say(error: unknown): void {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n`);
  try {
    log().debug({ err: error }, "the service could not continue");
  } catch {
    // LOG_LEVEL itself may be wrong; the message above has said so
  }
}
