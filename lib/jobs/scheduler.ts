// Runs jobs in the background: each again and again with its own pause, never twice at once in a process. A job is safe to
// run in several processes; what it does is decided in the database. A job that fails is logged and runs again.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";

export interface Job {
  name: string;
  /** Milliseconds between the end of a run and the start of the next. */
  pauseMs: number;
  /** A job that reads much rests at least this many times as long as its last run took. */
  restFactor?: number;
  run: () => Promise<unknown>;
}

export interface Schedule {
  /** True while no job has been running, or failing, for over two minutes. */
  isWell: () => boolean;
  /** Ends the pauses and waits for the runs under way. */
  stop: () => Promise<void>;
}

const MOST_SILENCE_MS = 120_000;

/** Starts every job at once. */
export function startJobs(jobs: readonly Job[]): Schedule {
  const stopping = new AbortController();
  const lastSuccessAt = new Map(jobs.map((job) => [job, performance.now()]));
  const loops = jobs.map((job) => runForever(job, stopping.signal, () => lastSuccessAt.set(job, performance.now())));
  return {
    isWell: () => [...lastSuccessAt].every(([job, at]) => performance.now() - at < MOST_SILENCE_MS + job.pauseMs * 2),
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function runForever(job: Job, stopped: AbortSignal, onSuccess: () => void): Promise<void> {
  while (!stopped.aborted) {
    const startedAt = performance.now();
    const outcome = await runOnce(job);
    const seconds = (performance.now() - startedAt) / 1000;
    metrics().jobSeconds.observe({ job: job.name, outcome }, seconds);
    if (outcome === "ok") onSuccess();
    const pauseMs = Math.max(job.pauseMs, seconds * 1000 * (job.restFactor ?? 0));
    await sleep(pauseMs, undefined, { signal: stopped, ref: false }).catch(() => undefined); // stopping ends the pause
  }
}

async function runOnce(job: Job): Promise<"ok" | "failed"> {
  try {
    await job.run();
    return "ok";
  } catch (error) {
    log().error({ err: error, job: job.name }, "a job failed; it runs again after its pause");
    return "failed";
  }
}
