// The service as a separate process, for tests of its lifecycle: built as for a start, on a port that the system chooses, with its
// own data directory. `cleanUpServices` ends and removes everything that a test leaves running or on disk.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once as nextEvent } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { inject } from "vitest";
import { readPidFile } from "@/lib/db/embedded/cluster";
import { findKeptAt } from "@/lib/db/embedded/home";
import { findProcessIdentity } from "@/lib/db/embedded/processes";
import { copyPreparedCluster } from "@/lib/db/testing/prepared-cluster";
import { programsFolder } from "@/lib/db/testing/programs";
import { databaseDirectory, removeDatabase } from "@/lib/db/testing/scratch";

export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Running {
  process: ChildProcess;
  pid: number;
  /** Everything that it has written so far, including standard error. */
  output(): string;
  ended: Promise<End>;
  /** The address, or the signer's socket, from the ready line. Rejects with the output when the process ends first. */
  ready: Promise<string>;
}

const cleanUps: (() => Promise<void> | void)[] = [];

/** Call it after the tests: ends and removes everything they created, last created first, even when a step fails. */
export async function cleanUpServices(): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanUp of cleanUps.splice(0).reverse()) {
    try {
      await cleanUp();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "cleaning up failed");
}

/** Adds a test's own step to the clean-up. */
export const onCleanUp = (cleanUp: () => Promise<void> | void): void => void cleanUps.push(cleanUp);

/**
 * The directory of the bundled service: once per run, however many test files start it. With its packages inside it starts in half the CPU
 * time; `packages: "outside"` bundles it exactly as a start does.
 */
export function bundleService({ packages = "inside" }: { packages?: "inside" | "outside" } = {}): string {
  const directory = join(programsFolder(), `service-packages-${packages}`);
  if (existsSync(directory)) return directory;
  const fresh = `${directory}-${randomBytes(6).toString("hex")}`;
  execFileSync(process.execPath, ["lib/server/testing/bundle.mjs", fresh, packages]);
  try {
    renameSync(fresh, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error; // another test file may have bundled it too
  }
  return directory;
}

/** A new data directory: empty, or with a `prepared` database, which has every migration and nothing in it. */
export function newDataDir({ prepared = false } = {}): string {
  const dataDir = mkdtempSync(join(inject("scratch"), "service-"));
  chmodSync(dataDir, 0o755); // the database's user must be able to traverse it
  if (prepared) copyPreparedCluster(join(dataDir, databaseDirectory));
  onCleanUp(async () => {
    await removeDatabase(join(dataDir, databaseDirectory));
    rmSync(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

/** Starts the service with only these settings. `detached` puts it into its own process group. */
export const startService = (bundle: string, settings: Record<string, string>, { detached = false } = {}): Running =>
  startBundled(join(bundle, "main.mjs"), { PORT: "0", ...settings }, detached);

/** Starts the signer's process with only these settings; `ready` resolves with its socket. */
export const startSigner = (bundle: string, settings: Record<string, string>): Running =>
  startBundled(join(bundle, "signer.mjs"), settings, false);

/** Runs check-ledger with these settings; resolves with its exit and its output. */
export async function runCheckLedger(bundle: string, settings: Record<string, string>): Promise<End & { output: string }> {
  const { ended, output } = startBundled(join(bundle, "check-ledger.mjs"), settings, false);
  return { ...(await ended), output: output() };
}

function startBundled(script: string, settings: Record<string, string>, detached: boolean): Running {
  const program = `const { main } = await import(${JSON.stringify(pathToFileURL(script).href)}); await main({ dev: false });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...settings },
    stdio: ["pipe", "pipe", "pipe"],
    detached,
  });
  let output = "";
  const ended = nextEvent(child, "close").then(([code, signal]) => ({ code, signal }) as End);
  const ready = new Promise<string>((resolveReady, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const address = /is ready: (?:seed \w+, at )?(\S+)\s/.exec(output)?.[1];
        if (address) resolveReady(address);
      });
    }
    void ended.then(({ code, signal }) => reject(new Error(`The service ended (${signal ?? code}) before it was ready:\n${output}`)));
  });
  ready.catch(() => undefined); // not every test waits for it
  child.stdin.on("error", () => undefined); // it may have ended
  onCleanUp(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  return { process: child, pid: child.pid ?? 0, output: () => output, ended, ready };
}

/** The lines of its log, parsed; other lines are left out. */
export const logLines = (output: string): Record<string, unknown>[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

export const readSandbox = (dataDir: string): { baseUrl: string; apiKey: string } =>
  JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as { baseUrl: string; apiKey: string };

/** Process id of the embedded database. */
export function databasePid(dataDir: string): number {
  const home = join(dataDir, databaseDirectory);
  return readPidFile({ cluster: join(findKeptAt(home) ?? home, "cluster") })?.pid ?? 0;
}

/** Process ids of the running children of `pid`; with `program`, of those whose command line contains it. */
export function childrenOf(pid: number, program = ""): number[] {
  const listed = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return listed
    .trim()
    .split("\n")
    .filter((line) => line.includes(program))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, state]) => Number(parent) === pid && !state?.startsWith("Z"))
    .map(([child]) => Number(child));
}

/** Parts of the command lines of a sandbox's children: its models and its chains. */
const sandboxPrograms = ["simulated-models.mjs", "/bin/anvil", "solana-chain.mjs"] as const;

/** Resolves with the process ids of a sandbox's children, as soon as all of them run. */
export async function untilSandboxRuns(pid: number): Promise<number[]> {
  const find = () => sandboxPrograms.map((program) => childrenOf(pid, program));
  await until("the models and the chains run", () => find().every(({ length }) => length === 1));
  return find().flat();
}

/** True when `pid` still runs: a zombie, in a container without a reaper, does not. */
export const isRunning = (pid: number): boolean => findProcessIdentity(pid) !== undefined;

/** Resolves as soon as `condition` holds. @throws Error that names `what` after forty seconds */
export async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = performance.now() + 40_000; !(await condition()); ) {
    if (performance.now() > deadline) throw new Error(`It never came true that ${what}.`);
    await sleep(20);
  }
}
