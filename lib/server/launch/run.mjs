// Runs a program whose output matters only when it fails. A signal to stop reaches the program too, and then ends this process.

import { spawn } from "node:child_process";

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** Of a program that fails, in characters: its last words. */
const MAX_SHOWN = 8_000;

/** Resolves when the program has ended well. @throws Error with its last output when it has not */
export function runQuietly(command, args, { cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output = (output + text).slice(-MAX_SHOWN);
      });
    let stoppedBy = null;
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    for (const signal of Object.keys(signals)) process.on(signal, stop);
    const settle = (finish) => {
      for (const signal of Object.keys(signals)) process.off(signal, stop);
      if (stoppedBy === null) return finish();
      process.stdout.write("\nStopped.\n");
      process.exit(signals[stoppedBy]);
    };
    child.on("error", (error) => settle(() => reject(error)));
    child.on("close", (code, signal) =>
      settle(() => (code === 0 ? resolve() : reject(new Error(`${output.trim()}\n\nIt ended with ${signal ?? `code ${code}`}.`)))),
    );
  });
}
