// The thread that the heart runs in. Where there is no bundle for it (in tests, in development, on a serverless host) the same heart runs
// on the main loop, behind the same port.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { MessageChannel, Worker } from "node:worker_threads";
import { type HeartOptions, type HeartReport, runHeart, STOP } from "./heart";

export interface HeartThread {
  /** Asks the heart to remove its row and end. */
  stop: () => void;
  /** Ends it at once. */
  end: () => void;
}

export interface HeartListener {
  onReport: (report: HeartReport) => void;
  /** The thread is gone; it is called once. */
  onEnd: (cause: Error | null) => void;
}

/** The build puts the heart's bundle beside that of the main thread. Not `new URL(…, import.meta.url)`: Next's build would look for it. */
export function findHeartBundle(): string | null {
  const bundle = join(dirname(fileURLToPath(import.meta.url)), "heartbeat-worker.mjs");
  return existsSync(bundle) ? bundle : null;
}

export const startHeartThread = (bundle: string | null, options: HeartOptions, listener: HeartListener): HeartThread =>
  bundle === null ? startOnMainLoop(options, listener) : startWorker(bundle, options, listener);

function startOnMainLoop(options: HeartOptions, { onReport, onEnd }: HeartListener): HeartThread {
  const { port1: near, port2: far } = new MessageChannel();
  near.on("message", onReport);
  near.on("close", () => onEnd(null));
  near.unref();
  runHeart(far, options);
  return { stop: () => near.postMessage(STOP), end: () => near.close() };
}

/**
 * The variables that the driver reads. The rest of the environment holds secrets that this process forgets, and a thread would keep its
 * copy.
 */
const driverVariables = /^(PG|(HOME|APPDATA|USER|USERNAME)$)/;

/** In MB, for the driver and the rows of some hundred processes; a heart that needs more is replaced. */
const HEAP = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };

function startWorker(bundle: string, options: HeartOptions, { onReport, onEnd }: HeartListener): HeartThread {
  // The start script's flags size the young generation of every thread, whatever its limits say: here 64 MB that a beat a second fills in
  // some hours. V8 reads them when a thread begins, so the main thread keeps what it has.
  setFlagsFromString("--max-semi-space-size=0");
  setFlagsFromString("--min-semi-space-size=0");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => driverVariables.test(name)));
  const worker = new Worker(bundle, { name: "heartbeat", workerData: options, env, resourceLimits: HEAP, execArgv: [] });
  let cause: Error | null = null;
  worker.on("message", (report: HeartReport) => {
    // Once its start is over it keeps no process alive.
    if (report.kind === "began") worker.unref();
    onReport(report);
  });
  worker.on("error", (error: Error) => {
    cause = error;
  });
  worker.on("exit", () => onEnd(cause));
  if (!options.mustBeatAtOnce) worker.unref();
  return { stop: () => worker.postMessage(STOP), end: () => void worker.terminate() };
}
