// One PostgreSQL for a whole test run, in its own directory, with a database that has every migration applied and that the test files
// copy. Any end of the run ends the server and removes the directory; the next run sweeps what a killed run left.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded";
import { findProcessIdentity } from "../embedded/processes";
import { migrate } from "../migrate";
import { withClient } from "../with-client";
import { believeCallers } from "./clock";
import { keepPreparedCluster } from "./prepared-cluster";
import { createScratch, databaseDirectory, removeScratch, sweepScratch } from "./scratch";
import { templateDatabase, urlOfDatabase } from "./test-database";

declare module "vitest" {
  interface ProvidedContext {
    databaseUrl: string;
    /** For test files that PostgreSQL's user must reach; removed with all its content when the run ends. */
    scratch: string;
    /** Chooses the samples of this run. */
    sampleSeed: string;
  }
}

/** Fast and not durable: nothing tested here needs to survive a crash. Crash tests start their own server. */
const forgetfulSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };

interface Run {
  started: Promise<Started>;
  projects: number;
}

interface Started {
  server: EmbeddedPostgres;
  scratch: string;
  seed: string;
  stop(): Promise<void>;
}

/** Vitest calls it once for each of its projects, from module graphs of their own; they share one server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const key = Symbol.for("pennyprompt test run");
  const holder = globalThis as { [key]?: Run };
  holder[key] ??= { started: start(project.config.root), projects: 0 };
  const run = holder[key];
  run.projects += 1;
  const { server, scratch, seed, stop } = await run.started;
  project.provide("databaseUrl", server.url);
  project.provide("scratch", scratch);
  project.provide("sampleSeed", seed);
  // In watch mode sources change, and the programs that were bundled of them with them.
  project.onTestsRerun(async () => rmSync(join(scratch, "programs"), { recursive: true, force: true }));
  return async () => {
    run.projects -= 1;
    if (run.projects === 0) await stop();
  };
}

async function start(root: string): Promise<Started> {
  execFileSync(process.execPath, ["lib/db/generate.mjs"], { cwd: root }); // does nothing when the schema is unchanged
  await sweepScratch();
  const scratch = createScratch();
  let server: EmbeddedPostgres | undefined;
  const onExit = () => endAtOnce(scratch, server?.pid);
  process.once("exit", onExit);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1)); // so that "exit" runs
  const teardown = async () => {
    await server?.stop();
    process.off("exit", onExit);
    removeScratch(scratch);
  };
  try {
    const startServer = () => startEmbeddedPostgres({ dataDir: join(scratch, databaseDirectory), settings: forgetfulSettings });
    server = await startServer();
    await migrate({ url: server.url });
    await server.stop();
    keepPreparedCluster(scratch, join(scratch, databaseDirectory));
    server = await startServer();
    await createTemplate(server.url);
    return { server, scratch, seed: chooseSeed(), stop: teardown };
  } catch (error) {
    await teardown();
    throw error;
  }
}

function chooseSeed(): string {
  const seed = process.env.SAMPLE_SEED ?? randomBytes(4).toString("hex");
  process.stdout.write(`What is too long for every run is tried at a sample; SAMPLE_SEED=${seed} repeats this one.\n`);
  return seed;
}

async function createTemplate(url: string): Promise<void> {
  await withClient(urlOfDatabase(url, "postgres"), "test run", (client) =>
    client.query(`CREATE DATABASE ${templateDatabase} TEMPLATE ${new URL(url).pathname.slice(1)}`),
  );
  await withClient(urlOfDatabase(url, templateDatabase), "test run", believeCallers);
}

/** For the event "exit", whose listeners cannot wait asynchronously: it blocks. */
function endAtOnce(scratch: string, pid: number | undefined): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  if (pid !== undefined && findProcessIdentity(pid) !== undefined) process.kill(pid, "SIGQUIT");
  for (let waits = 0; waits < 100 && pid !== undefined && findProcessIdentity(pid) !== undefined; waits++) Atomics.wait(pause, 0, 0, 20);
  removeScratch(scratch);
}
