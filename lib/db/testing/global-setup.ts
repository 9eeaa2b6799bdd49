// One PostgreSQL for a whole test run, in a directory of its own, with every migration applied once to a database that the
// test files copy. Whatever ends the run ends the server and removes the directory; what a killed run left is swept next time.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded";
import { freeCluster } from "../embedded/cluster";
import { openHome } from "../embedded/home";
import { takeOwnerLock } from "../embedded/owner-lock";
import { migrate } from "../migrate";
import { templateDatabase, urlOfDatabase } from "./test-database";

declare module "vitest" {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

const prefix = "pennyprompt-test-db-";

/** Fast and not durable: what is tested here survives no crash. Tests of crashes start a server of their own. */
export const forgetfulSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ["lib/db/generate.mjs"], { cwd: project.config.root }); // does nothing when the schema is unchanged
  await sweepLeftovers();
  const directory = mkdtempSync(join(tmpdir(), prefix));
  let server: EmbeddedPostgres | undefined;
  const onExit = () => endAtOnce(directory, server?.pid);
  process.once("exit", onExit);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1)); // so that "exit" runs
  const teardown = async () => {
    await server?.stop();
    process.off("exit", onExit);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    server = await startEmbeddedPostgres({ dataDir: directory, settings: forgetfulSettings });
    await makeTemplate(server.url);
    project.provide("databaseUrl", server.url);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}

async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${templateDatabase}`);
    await migrate({ url: urlOfDatabase(url, templateDatabase) });
  } finally {
    await client.end();
  }
}

/** Stops and removes what killed runs left behind. A directory without an owner is one that another run is making just now. */
async function sweepLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix) && existsSync(join(tmpdir(), entry, "owner")))) {
    const directory = join(tmpdir(), name);
    try {
      takeOwnerLock(directory);
      await freeCluster(
        openHome(directory, () => undefined),
        () => undefined,
      );
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // in use by another run, or another user's
    }
  }
}

function endAtOnce(directory: string, pid: number | undefined): void {
  if (pid !== undefined) {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    try {
      process.kill(pid, "SIGQUIT");
      for (let waits = 0; waits < 50; waits++) {
        Atomics.wait(pause, 0, 0, 20);
        process.kill(pid, 0);
      }
    } catch {
      // it has ended
    }
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}
