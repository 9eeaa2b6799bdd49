// Runs jobs in the background: each repeatedly with its own pause, never concurrently in one process. Jobs are safe to run in several
// processes, since the database decides. A failure is logged, and the job runs again.

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";

export interface Job {
  name: string;
  /** Milliseconds between the end of a run and the start of the next. */
  pauseMs: number;
  /** After a run the job rests at least this many times as long as the run took; for jobs that read much. */
  restFactor?: number;
  /** Milliseconds before a run counts as stuck; two minutes by default. */
  mostRunMs?: number;
  /** `stopping` aborts when the jobs are stopped; a run that can end early should. */
  run: (stopping: AbortSignal) => Promise<unknown>;
  /** Called when the jobs are stopped, after the last run. */
  end?: () => Promise<unknown>;
}

export interface Schedule {
  /** False once a job is overdue: it has been running or failing for longer than its maximum run time. */
  isWell: () => boolean;
  /** Ends the pauses, waits for current runs, and then ends each job. */
  stop: () => Promise<void>;
}

const MAX_RUN_MS = 120_000;

/** Starts all jobs immediately. */
export function startJobs(jobs: readonly Job[]): Schedule {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // each job adds a listener, more than Node's leak threshold
  // The deadline of each job's next success. It includes the pause, since a job may rest for longer than it may run.
  const overdueAt = new Map<Job, number>();
  const expect = (job: Job, pauseMs: number) => overdueAt.set(job, performance.now() + pauseMs + (job.mostRunMs ?? MAX_RUN_MS));
  for (const job of jobs) expect(job, 0);
  const loops = jobs.map((job) => runForever(job, stopping.signal, (pauseMs) => expect(job, pauseMs)));
  return {
    isWell: () => [...overdueAt.values()].every((at) => performance.now() < at),
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function runForever(job: Job, stopped: AbortSignal, onSuccess: (pauseMs: number) => void): Promise<void> {
  while (!stopped.aborted) {
    const startedAt = performance.now();
    const outcome = await runOnce(job, stopped);
    const seconds = (performance.now() - startedAt) / 1000;
    metrics().jobSeconds.observe({ job: job.name, outcome }, seconds);
    const pauseMs = Math.max(job.pauseMs, seconds * 1000 * (job.restFactor ?? 0));
    if (outcome === "ok") onSuccess(pauseMs);
    await sleep(pauseMs, undefined, { signal: stopped, ref: false }).catch(() => undefined); // stopping ends the pause
  }
  await job.end?.().catch((error: unknown) => log().warn({ err: error, job: job.name }, "a job failed while it was stopping"));
}

async function runOnce(job: Job, stopped: AbortSignal): Promise<"ok" | "failed"> {
  try {
    await job.run(stopped);
    return "ok";
  } catch (error) {
    log().error({ err: error, job: job.name }, "a job failed; it runs again after its interval");
    return "failed";
  }
}
