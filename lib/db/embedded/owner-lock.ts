// The owner of a data directory: at most one living process of ours at a time. The lock is a file that names its process, so a lock
// left behind by a killed process is recognised and taken over.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProcessIdentity } from "./processes";

export interface OwnerLock {
  release(): void;
}

/**
 * Makes this process the owner of `dataDir`.
 * @throws Error when another living process, or this one, already owns it
 */
export function takeOwnerLock(dataDir: string): OwnerLock {
  const path = join(dataDir, "owner");
  const identity = findProcessIdentity(process.pid) ?? String(process.pid);
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, identity);
  try {
    // A hard link appears complete or not at all, and never replaces an existing file: two processes cannot both succeed.
    for (let attempt = 0; attempt < 10; attempt++) {
      if (linked(mine, path)) return { release: () => releaseIfMine(path, identity) };
      const owner = readOwner(path);
      const pid = Number.parseInt(owner, 10);
      if (owner !== "" && findProcessIdentity(pid) === owner) throw alreadyRunning(dataDir, pid);
      removeStale(path, owner);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  throw new Error(`${path} is being taken by several processes at once: start one of them.`);
}

/** Whether a living process owns `dataDir`, this one or another. */
export function isOwned(dataDir: string): boolean {
  const owner = readOwner(join(dataDir, "owner"));
  return owner !== "" && findProcessIdentity(Number.parseInt(owner, 10)) === owner;
}

function alreadyRunning(dataDir: string, pid: number): Error {
  const who = pid === process.pid ? "this very process" : `process ${pid}`;
  return new Error(`The database in ${dataDir} is already in use by ${who}. Stop that one first, or give this one a DATA_DIR of its own.`);
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readOwner(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // released meanwhile
  }
}

/** Moves the lock away before checking it again: a process that took it in between gets it back instead of losing it. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readOwner(aside) !== stale) linked(aside, path);
  } catch {
    // another process removed it first: the next attempt sees the new state
  } finally {
    rmSync(aside, { force: true });
  }
}

function releaseIfMine(path: string, identity: string): void {
  if (readOwner(path) === identity) rmSync(path, { force: true });
}
