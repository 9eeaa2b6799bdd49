// The programs of the install and the build. Their output is shown only when they fail. A signal ends them with all their children.

import { spawn } from "node:child_process";

const MAX_SHOWN = 16_000;
const KILL_AFTER_MS = 3_000;
const running = new Set();

/** Resolves when the program ends well. @throws Error with what it printed last */
export function runProgram(command, args, cwd) {
  // A group of its own, so that a signal can reach its children too.
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: process.platform !== "win32" });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-MAX_SHOWN);
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(output.trim() || `${command} ended with code ${code}`))));
  }).finally(() => running.delete(child));
}

/** Ends every running program, and whatever it has started. */
export async function stopPrograms() {
  await Promise.all(
    [...running].map((child) => {
      const closed = new Promise((resolve) => child.on("close", resolve));
      signalGroup(child, "SIGTERM");
      const late = setTimeout(() => signalGroup(child, "SIGKILL"), KILL_AFTER_MS);
      return closed.finally(() => clearTimeout(late));
    }),
  );
}

function signalGroup(child, signal) {
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // it has ended meanwhile
  }
}
