// Processes of the bench: each is bound to a core, identified by its process id, measured through /proc, and ended at the end of the
// bench, however that ends.

import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TASKSET } from "./machine.mjs";

/** Clock ticks per second in /proc/<pid>/stat: USER_HZ, which is 100 on every Linux. */
const TICKS_PER_SECOND = 100;
const STOP_TIMEOUT_MS = 40_000;

/** Resources that are open during a bench: closed in reverse order at its end, including failure and Ctrl-C. */
export function openRoom() {
  const closers = [];
  let closing;
  const closeAll = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) {
      try {
        await close();
      } catch (error) {
        process.stderr.write(`Cleaning up: ${error instanceof Error ? error.message : error}\n`);
      }
    }
  };
  return {
    onClose: (close) => closers.push(close),
    isClosing: () => closing !== undefined,
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

/**
 * Starts a program, bound to `core` (with its children, until they are moved). Its output goes to `<name>.log` in the bench's directory.
 * @returns {{pid: number, name: string, logFile: string, ended: Promise<number | null>, stop: () => Promise<void>, running: () => boolean}}
 */
export function startProcess({ room, directory }, { name, command, args, core, env, cwd }) {
  if (room.isClosing()) throw new Error(`${name} is not started: the bench is ending`);
  const logFile = join(directory, `${name}.log`);
  const log = openSync(logFile, "a");
  // In its own group, so that Ctrl-C reaches only the bench, which then ends everything in order.
  const child = spawn(TASKSET, ["-c", String(core), command, ...args], { env, cwd, stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  let isRunning = true;
  const ended = new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", (code) => resolve(code));
  }).finally(() => {
    isRunning = false;
  });
  const stop = async () => {
    if (!isRunning || child.pid === undefined) return;
    process.kill(child.pid, "SIGTERM");
    const inTime = await Promise.race([ended.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })]);
    if (!inTime && isRunning) process.kill(child.pid, "SIGKILL");
    await ended;
  };
  room.onClose(stop);
  // The last resort, when the bench itself fails in an unforeseen way.
  process.once("exit", () => {
    if (isRunning && child.pid !== undefined) process.kill(child.pid, "SIGTERM");
  });
  return { pid: child.pid, name, logFile, ended, stop, running: () => isRunning };
}

/** Waits until `isReady` resolves with true; fails with the end of the log when the process ends first. */
export async function waitUntil(started, isReady, { timeoutMs = 120_000, everyMs = 25 } = {}) {
  const until = Date.now() + timeoutMs;
  while (!(await isReady().catch(() => false))) {
    if (!started.running() || Date.now() > until) throw new Error(`${started.name} did not become ready:\n${tailOf(started.logFile)}`);
    await sleep(everyMs);
  }
}

/** Waits until `url` answers with a status below 500. */
export const waitForAnswer = (started, url) =>
  waitUntil(started, async () => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status < 500;
  });

export const tailOf = (path) => readFileSync(path, "utf8").split("\n").slice(-25).join("\n");

/** A TCP port of 127.0.0.1 without a listener. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name is in parentheses and may contain spaces: the fields after the last one have fixed positions.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // Its own ticks, and those of its ended children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return null; // it has ended
  }
}

/** CPU milliseconds that these processes and their ended children have used so far. */
export const cpuMs = (pids) => pids.reduce((sum, pid) => sum + ((statOf(pid)?.ticks ?? 0) * 1000) / TICKS_PER_SECOND, 0);

/** CPU milliseconds that a core has been busy so far, with any program. */
export function coreBusyMs(core) {
  const fields = new RegExp(`^cpu${core} (.*)$`, "m").exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields.split(" ").map(Number);
  return ((user + nice + system + irq + softirq + steal) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MB (10⁶ bytes), 0 when it has ended. */
export function residentMb(pid) {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return (Number(kib) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

/** A process and all its descendants. */
export function familyOf(pid) {
  const family = [pid];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map(pids.map((one) => [Number(one), statOf(one)?.parent]));
  for (const member of family) for (const [one, parent] of parents) if (parent === member) family.push(one);
  return family;
}
