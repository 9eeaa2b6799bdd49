// How long a developer waits: a second `npm start`, from the command to a model's first answer, on all cores.

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "./figures.mjs";
import { TASKSET } from "./machine.mjs";
import { familyOf, freePort, tailOf } from "./processes.mjs";
import { deleteSandbox, root, serviceEnvironment } from "./service.mjs";

const START_TIMEOUT_MS = 120_000;

export async function benchStart(room, { directory, cache, pace, say }) {
  const dataDir = join(cache, `start-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  const port = await freePort();
  const starts = [];
  // The first start creates the database and is not measured.
  for (let number = 0; number <= pace.starts; number++) {
    const seconds = await startOnce(room, { dataDir, port, logFile: join(directory, "start.log") });
    say(`start ${number + 1}: ${seconds.toFixed(2)} s`);
    if (number > 0) starts.push(seconds);
  }
  return { figures: { start_s: median(starts) }, raw: { starts } };
}

async function startOnce(room, { dataDir, port, logFile }) {
  const log = openSync(logFile, "a");
  const env = serviceEnvironment({ PORT: String(port), DATA_DIR: dataDir });
  const startedAt = performance.now();
  // The bench runs on one core; a person who types `npm start` has all of them.
  const npm = spawn(TASKSET, ["-c", `0-${cpus().length - 1}`, "npm", "start"], {
    cwd: root,
    env,
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise((resolve) => {
    npm.once("exit", resolve);
    npm.once("error", resolve);
  });
  const stop = async () => {
    // Some versions of npm and its shell do not pass signals on: the service itself gets it.
    const family = familyOf(npm.pid);
    const server = family.find((pid) => isLauncher(pid));
    if (server === undefined) return;
    process.kill(server, "SIGTERM");
    await ended;
  };
  room.onClose(stop);
  while (!(await answers(dataDir, port))) {
    if (room.isClosing()) throw new Error("the bench is ending");
    if (npm.exitCode !== null || performance.now() - startedAt > START_TIMEOUT_MS)
      throw new Error(`npm start did not answer:\n${tailOf(logFile)}`);
    await sleep(10);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await stop();
  return seconds;
}

function isLauncher(pid) {
  try {
    const [program = "", ...rest] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return /(^|\/)node$/.test(program) && rest.some((one) => one.endsWith("lib/server/launch.mjs"));
  } catch {
    return false;
  }
}

/** True when the demo key gets a model's answer. */
async function answers(dataDir, port) {
  try {
    const { apiKey } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8"));
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/prompt`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4-turbo", prompt: "Hello" }),
    });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false; // not ready yet
  }
}
