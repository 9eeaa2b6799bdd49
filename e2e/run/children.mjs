// Child processes of the runner: each in its own group, and none left behind, however the run ends.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Tools see a pipe in any case: whether they may use colours depends on where our own output goes. */
const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1", FORCE_COLOR: undefined };

const running = new Set();
let isStopping = false;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** How long children may take to end on their own, first after SIGTERM to their group, then after SIGTERM to what left it. */
const graceMs = 6_000;

/**
 * Runs a command in the project's root. Resolves with its exit code (null when a signal ended it) and its output, including
 * standard error; never rejects, and never resolves once `stopAll` was called. `echo` shows the output as it arrives.
 */
export function run(command, args, { env = {}, echo = false } = {}) {
  return new Promise((resolve) => {
    if (isStopping) return;
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...colours, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks = [];
    const take = (chunk) => {
      chunks.push(chunk);
      if (echo && !isStopping) process.stdout.write(chunk);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    running.add(child);
    const end = (code, problem) => {
      running.delete(child);
      if (!isStopping) resolve({ code, output: Buffer.concat(chunks).toString("utf8") + (problem ?? "") });
    };
    child.on("error", (error) => end(null, `${command}: ${error.message}\n`));
    // A grandchild that keeps the pipe open must not keep the run waiting.
    child.on("exit", (code) => {
      const late = setTimeout(() => end(code), 1_000);
      child.on("close", () => {
        clearTimeout(late);
        end(code);
      });
    });
  });
}

/** Ends all running children and everything that they started, even in other process groups. */
export async function stopAll() {
  isStopping = true;
  const children = [...running].filter((child) => child.pid !== undefined);
  const started = children.flatMap((child) => descendantsOf(child.pid));
  for (const child of children) signal(-child.pid, "SIGTERM");
  await until(() => children.every((child) => child.exitCode !== null || child.signalCode !== null));
  for (const child of children) signal(-child.pid, "SIGKILL");
  for (const process of started.filter(isAlive)) signal(process.pid, "SIGTERM");
  await until(() => !started.some(isAlive));
  for (const process of started.filter(isAlive)) signal(process.pid, "SIGKILL");
}

async function until(done) {
  for (const start = Date.now(); !done() && Date.now() - start < graceMs; ) await sleep(50);
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

/** Parent and start time of every process; empty without /proc, and then process groups must do. */
function readProcesses() {
  const found = new Map();
  try {
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      const stat = Number.isInteger(pid) ? readStat(pid) : null;
      if (stat) found.set(pid, stat);
    }
  } catch {
    // No /proc on this system.
  }
  return found;
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain spaces: the fields begin after it.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], parent: Number(fields[1]), startedAt: fields[19] };
  } catch {
    return null;
  }
}

function descendantsOf(ancestor) {
  const processes = readProcesses();
  const found = [];
  const add = (parent) => {
    for (const [pid, stat] of processes) {
      if (stat.parent !== parent) continue;
      found.push({ pid, startedAt: stat.startedAt });
      add(pid);
    }
  };
  add(ancestor);
  return found;
}

/** True when the same process still runs; a reused process id does not count. */
function isAlive({ pid, startedAt }) {
  const stat = readStat(pid);
  return stat !== null && stat.startedAt === startedAt && stat.state !== "Z";
}
