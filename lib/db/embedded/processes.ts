// Identifies other processes so that a reused number is not mistaken for the original process: a process is its number and its start
// time. A zombie counts as gone, since a container without an init process never reaps its dead.

import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

/** Distinguishes process `pid` from every other process that ever had its number; undefined when it does not exist. */
export function findProcessIdentity(pid: number): string | undefined {
  return process.platform === "linux" ? identityFromProc(pid) : identityFromPs(pid);
}

/** True when `pid` is a PostgreSQL server that works on the directory `cluster`, by whatever path. */
export function isPostmasterOf(pid: number, cluster: string): boolean {
  if (findProcessIdentity(pid) === undefined) return false;
  if (process.platform !== "linux") return ps(pid, "command=").includes(cluster);
  try {
    // PostgreSQL's working directory is its data directory. Comparing inodes recognises a checkout that was moved, and distinguishes it
    // from a copy that has the same postmaster.pid.
    const workingDirectory = statSync(`/proc/${pid}/cwd`);
    const directory = statSync(cluster);
    return workingDirectory.ino === directory.ino && workingDirectory.dev === directory.dev;
  } catch {
    return false; // it has ended, or we may not see its user's processes: then we did not start it
  }
}

function identityFromProc(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command's name is in parentheses and may itself contain blanks and parentheses: count fields from the last one.
    const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${pid} ${bootId} ${fields[18]}`;
  } catch {
    return undefined;
  }
}

function identityFromPs(pid: number): string | undefined {
  const line = ps(pid, "stat=,lstart=");
  return line === "" || line.startsWith("Z") ? undefined : `${pid} ${line.replace(/^\S+\s+/, "")}`;
}

function ps(pid: number, columns: string): string {
  try {
    return execFileSync("ps", ["-ww", "-o", columns, "-p", String(pid)], { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } }).trim();
  } catch {
    return ""; // `ps` exits with 1 when there is no such process
  }
}
