// The machine under the bench: its description, the tools that the bench needs, and the assignment of cores.

import { execFileSync, spawnSync } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";

/** The gateway under test has one core for itself; nginx, wrk, PostgreSQL and the bench share another. */
export const GATEWAY_CORE = 1;
export const REST_CORE = 0;
export const ALL_CORES = `0-${cpus().length - 1}`;

export const TASKSET = "taskset";
const tools = { nginx: "nginx-light", wrk: "wrk", [TASKSET]: "util-linux" };

const isThere = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** @throws Error that says how to install a missing tool that could not be installed */
export function ensureTools() {
  if (process.platform !== "linux" || cpus().length < 2)
    throw new Error("The bench needs Linux and two cores: it binds processes to cores.");
  const missing = Object.keys(tools).filter((program) => !isThere(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => tools[program]);
  const how = `apt-get install -y ${packages.join(" ")}`;
  if (process.getuid?.() !== 0 || !isThere("apt-get")) throw new Error(`The bench needs ${missing.join(" and ")}. As root: ${how}`);
  process.stdout.write(`Installing ${packages.join(" ")} (once)…\n`);
  execFileSync("sh", ["-c", `apt-get update -q && DEBIAN_FRONTEND=noninteractive ${how} -q`], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Binds a running process, with all its threads and its future children, to one core. */
export function bindToCore(pid, core) {
  execFileSync(TASKSET, ["-apc", String(core), String(pid)], { stdio: "ignore" });
}

/** The parts of the machine that a figure depends on, besides the code. */
export const describeMachine = () => ({
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  memoryMb: Math.round(totalmem() / 1e6),
  kernel: release(),
  node: process.versions.node,
  loadAverageBefore: loadavg()[0],
});
