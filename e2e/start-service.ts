// Starts the service as `npm start` does, on a port that the system chooses and with its own sandbox, and stops it after the last
// test. The build is reused when nothing changed.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A build on a slow machine, and the first start of a database. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 40_000;

/** Resolves with a function that stops it. Tests find it through BASE_URL and DATA_DIR in their environment. */
export default async function startForAll(): Promise<() => Promise<void>> {
  const { baseUrl, dataDir, stop } = await startService();
  process.env.BASE_URL = baseUrl;
  process.env.DATA_DIR = dataDir;
  return stop;
}

export interface StartedService {
  baseUrl: string;
  dataDir: string;
  pid: number;
  stop: () => Promise<void>;
}

/** Starts one more, for a test that harms it. */
export async function startService(): Promise<StartedService> {
  const dataDir = mkdtempSync(join(tmpdir(), "pennyprompt-browser-data-"));
  // Embedded PostgreSQL may run as another user, which must be able to traverse it.
  chmodSync(dataDir, 0o755);
  // An interrupted run never reaches its teardown.
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const service = spawn(process.execPath, ["lib/server/launch.mjs"], {
    cwd: root,
    env: { ...process.env, ...ownSettings, DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async () => {
    await stopProcess(service);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { baseUrl: await readAddress(service), dataDir, pid: service.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Independent of the shell and any .env file: a sandbox with nothing real in it. Empty counts as not set. */
const ownSettings = {
  NODE_ENV: "production",
  MODE: "sandbox",
  PORT: "0",
  HOST: "",
  PUBLIC_URL: "",
  TRUSTED_PROXIES: "127.0.0.1",
  SERVICE_NAME: "",
  DATABASE_URL: "",
  REDIS_URL: "",
  MODELS_FILE: "",
  PROVIDERS_FILE: "",
  SANDBOX_REAL_MODELS: "",
  LOG_LEVEL: "warn",
} as const;

/** Resolves with the address of the ready line; rejects with all output when the process ends before it, or takes too long. */
function readAddress(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (why: string) => reject(new Error(`The service ${why}. It said:\n${output}`));
    const timer = setTimeout(() => fail(`did not answer within ${startTimeoutMs / 1_000} s`), startTimeoutMs);
    const read = (chunk: Buffer) => {
      output += chunk.toString("utf8");
      const [, address] = /is ready: (http:\/\/\S+)/.exec(output) ?? [];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    };
    service.stdout?.on("data", read);
    service.stderr?.on("data", read);
    service.once("error", (error) => fail(`could not be started (${error.message})`));
    service.once("exit", (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code}`);
    });
  });
}

/** Lets it drain; kills it if it does not end. */
function stopProcess(service: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (service.exitCode !== null || service.signalCode !== null || service.pid === undefined) return resolve();
    const timer = setTimeout(() => service.kill("SIGKILL"), stopTimeoutMs);
    service.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    service.kill("SIGTERM");
  });
}
