// Where an embedded database lives: its files, its password and its port, all in one directory that only the user it runs as can
// enter. A data directory that this user cannot reach holds a pointer to a place that it can reach.

import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { databaseUser, findClosedDirectory, type SystemUser } from "./system-user";

export interface Home {
  directory: string;
  /** PostgreSQL's own data directory. */
  cluster: string;
  logFile: string;
  portFile: string;
  /** Undefined when PostgreSQL runs as our own user. */
  user: SystemUser | undefined;
}

const pointerName = "kept-at";

/** Root's directory for files that the database's user must reach but cannot reach in the checkout. */
const reachableRoot = "/var/lib/pennyprompt";

/**
 * The home of the database of `dataDir`; created if it does not exist.
 * @throws Error when it was kept elsewhere and is gone, or belongs to another user
 */
export function openHome(dataDir: string, log: (message: string) => void): Home {
  const directory = homeDirectory(resolve(dataDir), log);
  const cluster = join(directory, "cluster");
  const user = databaseUser(cluster);
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  chmodSync(directory, 0o700);
  return { directory, cluster, logFile: join(directory, "log"), portFile: join(directory, "port"), user };
}

/** The password of the database: random, created on first use, and kept in a file that only its user and root can read. */
export function databasePassword(home: Home): { text: string; file: string } {
  const file = passwordFile(home.directory);
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600, flag: "wx" });
    if (home.user !== undefined) chownSync(file, home.user.uid, home.user.gid);
  }
  return { text: readFileSync(file, "utf8").trim(), file };
}

/** The longest socket path that every system accepts, minus the file name that PostgreSQL appends to the directory. */
const longestSocketDirectory = 103 - "/.s.PGSQL.65535".length;

/**
 * The directory of the Unix socket: next to the other files, so that only its user and root can reach it; undefined when the system or
 * PostgreSQL's setting would not accept such a path.
 */
export const findSocketDirectory = (directory: string): string | undefined =>
  directory.length <= longestSocketDirectory && /^\/[\w./-]+$/.test(directory) ? directory : undefined;

export const passwordFile = (directory: string) => join(directory, "password");

/** A new directory in root's reachable place, which every user can pass through but not list. */
export function createReachableDirectory(name: string): string {
  mkdirSync(reachableRoot, { recursive: true });
  chmodSync(reachableRoot, 0o711);
  const directory = join(reachableRoot, name);
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o711);
  return directory;
}

/**
 * The directory that holds the database of `dataDir` instead, or undefined when it is in `dataDir` itself.
 * @throws Error when that directory is gone
 */
export function findKeptAt(dataDir: string): string | undefined {
  const pointer = join(dataDir, pointerName);
  if (!existsSync(pointer)) return undefined;
  const directory = readFileSync(pointer, "utf8").trim();
  if (existsSync(directory)) return directory;
  throw new Error(
    `The database of ${dataDir} was kept at ${directory}, which is gone. Bring it back, or delete ${dataDir} to begin with an empty one.`,
  );
}

function homeDirectory(dataDir: string, log: (message: string) => void): string {
  const keptAt = findKeptAt(dataDir);
  if (keptAt !== undefined) return keptAt;
  const user = databaseUser(join(dataDir, "cluster"));
  const closed = user === undefined ? undefined : findClosedDirectory(resolve(dataDir, ".."), user);
  if (user === undefined || closed === undefined) return dataDir;
  const directory = createReachableDirectory(randomBytes(8).toString("hex"));
  log(`PostgreSQL runs as ${user.name}, who may not enter ${closed}: its files are kept at ${directory}`);
  writeFileSync(join(dataDir, pointerName), `${directory}\n`);
  return directory;
}
