// The thread that counts tokens. Where there is no bundle for it (in tests, in development, on a serverless host) the main loop counts them
// in slices, behind the same port.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MessagePort, Worker } from "node:worker_threads";
import { runAtOnce, runInSlices, type Slices } from "@/lib/base/slices";
import { type CountJob, countInSlices, type Encoding, loadTokenizer, type TokenCount, type Tokenizer } from "./count";

export interface CountingThread {
  /** Counts one job after the other: the next one only once this one is answered. */
  count: (job: CountJob) => void;
  /** Ends it at once, whatever it does. */
  end: () => void;
}

export interface CountingListener {
  /** The count of each group, and of the tools. */
  onCounts: (counts: TokenCount[]) => void;
  /** The thread is gone by itself, or was ended. */
  onEnd: (cause: Error | null) => void;
}

/** The build puts it beside the main bundle. Not `new URL(…, import.meta.url)`: Next's build would look for it. */
export function findCountingBundle(): string | null {
  const bundle = join(dirname(fileURLToPath(import.meta.url)), "token-count-worker.mjs");
  return existsSync(bundle) ? bundle : null;
}

export const startCountingThread = (bundle: string | null, listener: CountingListener): CountingThread =>
  bundle === null ? startOnMainLoop(listener) : startWorker(bundle, listener);

/** Two vocabularies and the texts of one job; a thread that needs more ends, and is started again for the next job. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

function startWorker(bundle: string, { onCounts, onEnd }: CountingListener): CountingThread {
  // Nothing of the environment: it holds secrets that this process forgets, and a thread would keep its copy.
  const worker = new Worker(bundle, { name: "token-count", env: {}, resourceLimits: HEAP, execArgv: [] });
  let cause: Error | null = null;
  worker.on("message", onCounts);
  worker.on("error", (error: Error) => {
    cause = error;
  });
  worker.on("exit", () => onEnd(cause));
  // The stream that waits for a count keeps the process alive, not the thread.
  worker.unref();
  return { count: (job) => worker.postMessage(job), end: () => void worker.terminate() };
}

/** The other end, in the thread: a failure ends the thread. */
export function serveCounts(port: MessagePort): void {
  const find = keepTokenizers();
  port.on("message", async (job: CountJob) => {
    const tokenizer = await find(job.encoding);
    port.postMessage(runAtOnce(countInSlices(job, tokenizer)));
  });
}

function startOnMainLoop({ onCounts, onEnd }: CountingListener): CountingThread {
  const find = keepTokenizers();
  const ended = new AbortController();
  const count = async (job: CountJob) => {
    const tokenizer = await find(job.encoding);
    const counts = await runInSlices(unlessEnded(ended.signal, countInSlices(job, tokenizer)));
    if (counts !== null) onCounts(counts);
  };
  return { count: (job) => void count(job).catch(onEnd), end: () => ended.abort() };
}

/** Null when it was ended before its end. */
function* unlessEnded<Result>(signal: AbortSignal, work: Slices<Result>): Slices<Result | null> {
  let step = work.next();
  for (; !step.done && !signal.aborted; step = work.next()) yield;
  return step.done ? step.value : null;
}

function keepTokenizers(): (encoding: Encoding) => Promise<Tokenizer> {
  const loaded = new Map<Encoding, Promise<Tokenizer>>();
  return (encoding) => {
    const known = loaded.get(encoding) ?? loadTokenizer(encoding);
    loaded.set(encoding, known);
    return known;
  };
}
