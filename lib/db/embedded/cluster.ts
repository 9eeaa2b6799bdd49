// The files of a PostgreSQL cluster: created once by initdb, and freed from a server that outlived its parent process.

import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries";
import type { Home } from "./home";
import { isPostmasterOf } from "./processes";

export const superuser = "pennyprompt";

/** Larger than any process number on any system, so that it never names a process. */
const nobodysPid = 2_147_483_646;

/** The environment of PostgreSQL's programs: none of our variables, no user locale, the package's libraries first. */
export function cleanEnvironment(binaries: Binaries): NodeJS.ProcessEnv {
  // NODE_ENV means nothing here, but Next declares it as required in every environment.
  return { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", LD_LIBRARY_PATH: binaries.libraries, NODE_ENV: "production" };
}

/**
 * Creates the cluster unless it exists. The cluster gets its name only when it is complete, so a start that dies half-way leaves
 * nothing.
 * @throws Error with initdb's output
 */
export async function createCluster(home: Home, binaries: Binaries, passwordFile: string, durable: boolean): Promise<void> {
  if (existsSync(join(home.cluster, "PG_VERSION"))) return;
  const partial = `${home.cluster}.new`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  if (home.user !== undefined) chownSync(partial, home.user.uid, home.user.gid);
  const options = [`--username=${superuser}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"];
  await run(binaries.initdb, ["-D", partial, ...options, ...(durable ? [] : ["--no-sync"])], home, cleanEnvironment(binaries));
  renameSync(partial, home.cluster);
}

/**
 * Stops the server that a killed process left running on the cluster, and neutralises a pid file whose number now belongs to another
 * process.
 * @throws Error when the server does not stop
 */
export async function freeCluster(home: Home, log: (message: string) => void): Promise<void> {
  const pid = readPidFile(home)?.pid;
  if (pid !== undefined && isPostmasterOf(pid, home.cluster)) {
    log(`stopping the PostgreSQL (process ${pid}) that an earlier run left behind`);
    await endServer(pid, () => !isPostmasterOf(pid, home.cluster));
  }
  // PostgreSQL refuses to start next to a socket whose lock names an existing process, even a zombie.
  for (const name of readdirSync(home.directory)) if (name.startsWith(".s.PGSQL.")) rmSync(join(home.directory, name), { force: true });
  const path = join(home.cluster, "postmaster.pid");
  if (!existsSync(path)) return;
  const [first, ...rest] = readFileSync(path, "utf8").split("\n");
  // PostgreSQL refuses to start while a process has the number in this file. The rest of the file stays: it names the shared memory by
  // which PostgreSQL notices sessions that outlived their server.
  if (Number(first) > 0) writeFileSync(path, [String(nobodysPid), ...rest].join("\n"));
  else rmSync(path);
}

/**
 * Ends a server by a fast shutdown: sessions are cut and everything is written. A server that hangs is killed, and recovers from its
 * log at the next start.
 * @throws Error when even SIGKILL does not end it
 */
export async function endServer(pid: number, hasEnded: () => boolean): Promise<void> {
  for (const [signal, waitMs] of [
    ["SIGINT", 30_000],
    ["SIGQUIT", 10_000],
    ["SIGKILL", 10_000],
  ] as const) {
    if (hasEnded()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") return;
      throw error;
    }
    for (const deadline = performance.now() + waitMs; performance.now() < deadline; ) {
      if (hasEnded()) return;
      await sleep(20);
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) does not end: end it by hand, then start again.`);
}

interface PidFile {
  pid: number;
  port: number;
  /** The directory of its Unix socket. */
  socketDirectory: string | undefined;
  /** Whether it accepts connections. */
  ready: boolean;
}

/** The content of postmaster.pid. Undefined without a usable file. */
export function readPidFile({ cluster }: Pick<Home, "cluster">): PidFile | undefined {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, port: Number(lines[3]), socketDirectory: lines[4]?.trim() || undefined, ready: lines[7]?.trim() === "ready" };
  } catch {
    return undefined; // there is no such file, or no cluster yet
  }
}

function run(program: string, args: string[], home: Home, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const identity = home.user === undefined ? {} : { uid: home.user.uid, gid: home.user.gid };
    const child = spawn(program, args, { ...identity, env, cwd: home.directory, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.once("error", (cause) => reject(cannotRun(program, cause)));
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`initdb failed (${code}):\n${output.trim()}`))));
  });
}

/** A program that exists but does not start was built for another C library or another processor. */
export function cannotRun(program: string, cause: unknown): Error {
  return new Error(
    `${program} can not be run on this system (its packages are built for glibc; Alpine has musl). Set DATABASE_URL to a PostgreSQL server of your own.`,
    { cause },
  );
}
