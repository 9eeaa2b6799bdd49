// The system user that PostgreSQL runs as. PostgreSQL refuses to run as root, so root runs it as `postgres`, or else as `nobody`; any
// other user runs it as themselves. Directories closed to that user are found here, before PostgreSQL fails on them.

import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * The user to run PostgreSQL as on `directory`, or undefined for our own user.
 * @throws Error when the directory belongs to a user that we cannot act as
 */
export function databaseUser(directory: string): SystemUser | undefined {
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0) {
    if (owner !== undefined && owner.uid !== process.getuid?.()) {
      throw new Error(
        `The database in ${directory} belongs to ${userName(owner.uid)}: start as that user or as root, or delete the directory to begin with an empty one.`,
      );
    }
    return undefined;
  }
  if (owner !== undefined && owner.uid !== 0) return { name: userName(owner.uid), uid: owner.uid, gid: owner.gid };
  const user = findUser("postgres") ?? findUser("nobody");
  if (user === undefined) {
    throw new Error(
      "PostgreSQL does not run as root, and this system has neither a user `postgres` nor `nobody`: start as an ordinary user, or set DATABASE_URL.",
    );
  }
  return user;
}

/** The first directory on the way to `path` that `user` may not enter, or undefined when all are open. */
export function findClosedDirectory(path: string, user: SystemUser): string | undefined {
  const ancestors: string[] = [];
  for (let directory = resolve(path); ; directory = dirname(directory)) {
    ancestors.unshift(directory);
    if (directory === dirname(directory)) break;
  }
  return ancestors.find((directory) => !mayEnter(directory, user));
}

function mayEnter(directory: string, user: SystemUser): boolean {
  const { mode, uid, gid } = statSync(directory);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  return (mode & (gid === user.gid ? 0o010 : 0o001)) !== 0;
}

function passwdLines(): string[][] {
  try {
    return readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}

function findUser(name: string): SystemUser | undefined {
  const line = passwdLines().find((fields) => fields[0] === name);
  // macOS writes the uid of nobody as -2; the system calls require it unsigned.
  return line === undefined ? undefined : { name, uid: Number(line[2]) >>> 0, gid: Number(line[3]) >>> 0 };
}

function userName(uid: number): string {
  return passwdLines().find((fields) => Number(fields[2]) === uid)?.[0] ?? `user ${uid}`;
}
