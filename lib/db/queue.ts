// The queue over PostgreSQL (graphile-worker): jobs that wait for their time, and are woken by a notice. Its tables have a schema of their
// own, made by the first process that works on it. A job says that something is to be looked after; the work itself stands in our tables.

import type { Runner } from "graphile-worker";
import pg from "pg";
import { log } from "@/lib/base/observe/log";
import { databaseUrl } from "./database-url";

/** SQL functions name this schema too. */
const SCHEMA = "queue";

/** One waits for notices. */
const CONNECTIONS = 4;

export type QueueTask = (payload: unknown) => Promise<void>;

/**
 * Works on the queue, on at most `atOnce` jobs at a time, until `stopping` aborts; then it resolves once the jobs under way have ended.
 * @throws Error when the queue cannot go on; the caller starts it again
 */
export async function workOnQueue(
  tasks: Readonly<Record<string, QueueTask>>,
  { atOnce, pollMs, stopping }: { atOnce: number; pollMs: number; stopping: AbortSignal },
): Promise<void> {
  if (stopping.aborted) return;
  // Only processes with the jobs role load it.
  const { Logger, run } = await import("graphile-worker");
  const connections = createConnections();
  try {
    const runner = await run({
      pgPool: connections,
      taskList: { ...tasks },
      noHandleSignals: true,
      logger: new Logger(() => writeLog),
      preset: {
        worker: {
          schema: SCHEMA,
          concurrentJobs: atOnce,
          pollInterval: pollMs,
          // One query fetches the jobs for all workers, and one ends them. A batch is tried again when the database is away; a job that
          // is ended by itself would then reject where nobody listens.
          localQueue: { size: atOnce },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
    await untilStopped(runner, stopping);
  } finally {
    await connections.end();
  }
}

async function untilStopped(runner: Runner, stopping: AbortSignal): Promise<void> {
  const stop = () => void runner.stop().catch((error: unknown) => log().warn({ err: error }, "the queue did not stop in order"));
  stopping.addEventListener("abort", stop, { once: true });
  if (stopping.aborted) stop();
  try {
    await runner.promise;
  } finally {
    stopping.removeEventListener("abort", stop);
  }
  if (!stopping.aborted) throw new Error("the queue's workers have ended");
}

/** Not the product's pool: a notice holds a connection for ever, and the package reads 64-bit numbers as texts. */
function createConnections(): pg.Pool {
  const made = new pg.Pool({
    connectionString: databaseUrl(),
    max: CONNECTIONS,
    application_name: "pennyprompt queue",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: 30_000,
    options: "-c synchronous_commit=off", // a job that a crash brings back does no harm
  });
  made.on("error", (error) => log().warn({ err: error }, "an idle connection of the queue broke"));
  made.on("connect", (client) => client.on("error", () => undefined));
  return made;
}

/** Its warnings are advice on settings, and its "info" tells of each job; errors of tasks are logged where they happen. */
function writeLog(level: string, message: string): void {
  if (level === "error") log().error(`queue: ${message}`);
  else if (level === "warning") log().debug(`queue: ${message}`);
  else log().trace(`queue: ${message}`);
}
