// The parts of a run: the time that each may take on two quiet cores, and the time it took. A part over its budget is named with a warning;
// it never fails the run, since a busy machine is slow and not wrong.

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { root } from "./children.mjs";

/** Seconds on two quiet cores. Without the tools, which a machine installs once, they add up to ten minutes. */
const budgets = { install: 40, tools: 30, checks: 20, build: 25, "unit tests": 360, "browser tests": 155 };

const SLOWEST_SHOWN = 15;

/** CPU seconds of the whole machine: the only figure that includes databases and chains, which leave their parents. */
const machineCpuSeconds = () => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000;

/** Takes the times of the run's parts and test files. `say` prints a line. */
export function createTimes(say) {
  const parts = [];
  const files = [];
  return {
    /** Runs `work` as the part `name`, and resolves as it does. */
    async part(name, work) {
      const [begun, cpuBefore] = [performance.now(), machineCpuSeconds()];
      try {
        return await work();
      } finally {
        parts.push({ name, seconds: (performance.now() - begun) / 1_000, cpuSeconds: machineCpuSeconds() - cpuBefore });
      }
    },
    /** `all` are `{ file, seconds }`. */
    addFiles: (all) => void files.push(...all),
    /** Prints both tables and writes them to `.data/test-times.json`. */
    print() {
      for (const { name, seconds, cpuSeconds } of parts) {
        const warning = seconds > budgets[name] ? `  WARNING: its budget is ${budgets[name]} s` : "";
        say("time", `${name.padEnd(14)}${seconds.toFixed(1).padStart(7)} s ${cpuSeconds.toFixed(0).padStart(6)} CPU s${warning}`);
      }
      const slowest = files.toSorted((one, other) => other.seconds - one.seconds);
      for (const { file, seconds } of slowest.slice(0, SLOWEST_SHOWN)) say("slow", `${seconds.toFixed(1).padStart(7)} s  ${file}`);
      if (parts.length === 0) return;
      mkdirSync(join(root, ".data"), { recursive: true });
      writeFileSync(
        join(root, ".data/test-times.json"),
        `${JSON.stringify({ at: new Date().toISOString(), parts, files: slowest }, null, 1)}\n`,
      );
    },
  };
}
