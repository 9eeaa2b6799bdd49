// Deposits: how fast a chain is read, how soon safe deposits are credited, and how long a new account waits for its address.
// Everything is real: the sandbox's own chains, PostgreSQL on a disk, and for the waits the service that `npm start` runs.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { median } from "./figures.mjs";
import { TASKSET } from "./machine.mjs";
import { startProcess, tailOf } from "./processes.mjs";
import { deleteSandbox, endDatabase, root, seedSandbox, serviceEnvironment, startService } from "./service.mjs";

const CHAINS_TIMEOUT_MS = 60_000;

export async function benchChains(room, context) {
  const rounds = [];
  for (let number = 1; number <= context.pace.starts; number++) {
    const volume = await runOnEmpty(room, context, "chains-volume");
    context.say(
      `200 blocks, 10,000 addresses: ${volume.scanS.toFixed(2)} s; 1,000 deposits in one block: ${volume.oneBlockS.toFixed(2)} s`,
    );
    rounds.push(volume);
  }
  const addresses = await runOnEmpty(room, context, "chains-addresses", { ADDRESS_POOL_SIZE: "200" });
  context.say(`an address beside 100,000 others: ${addresses.p50Ms.toFixed(1)} ms, p95 ${addresses.p95Ms.toFixed(1)} ms`);
  const waits = await benchWaits(room, context);
  return {
    figures: {
      scan_200_blocks_10000_addresses_s: median(rounds.map(({ scanS }) => scanS)),
      deposits_1000_one_block_s: median(rounds.map(({ oneBlockS }) => oneBlockS)),
      new_address_ms_at_100000: addresses.p95Ms,
      safe_to_credited_base_p95_s: waits.base.p95S,
      safe_to_credited_solana_p95_s: waits.solana.p95S,
    },
    raw: { rounds, addresses, waits },
  };
}

/** The time from when a deposit's block is safe until its money is credited, in a running sandbox. */
async function benchWaits(room, context) {
  const dataDir = join(context.cache, `chains-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, ...context });
  const service = await startService(room, { dataDir, ...context });
  await chainsOf(service, dataDir);
  const waits = {};
  for (const chain of ["base", "solana"]) {
    const settings = { DATA_DIR: dataDir, DATABASE_URL: service.database.url };
    waits[chain] = await runProgram(room, context, { name: "chains-latency", args: [chain, String(context.pace.deposits)], settings });
    context.say(`${chain}: from safe to credited ${waits[chain].p50S.toFixed(2)} s, p95 ${waits[chain].p95S.toFixed(2)} s`);
  }
  await service.stop();
  return waits;
}

/** Resolves when the service's own chains run. */
export async function chainsOf(service, dataDir) {
  for (const until = performance.now() + CHAINS_TIMEOUT_MS; performance.now() < until; await sleep(100)) {
    const { rpc } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8"));
    if (rpc) return;
  }
  throw new Error(`The chains of ${service.name} did not start.`);
}

/** Runs a program of the bench on its own empty data directory. */
export async function runOnEmpty(room, context, name, settings = {}, args = []) {
  const dataDir = join(context.cache, `${name}-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  room.onClose(() => endDatabase(dataDir));
  mkdirSync(dataDir, { recursive: true });
  const result = await runProgram(room, context, { name, args, settings: { DATA_DIR: dataDir, ...settings } });
  deleteSandbox(dataDir);
  return result;
}

/** Bundles and runs `bench/<name>.ts` on all cores; resolves with the JSON of its last line. */
export async function runProgram(room, { cache, directory }, { name, args = [], settings }) {
  const outfile = join(cache, `${name}.mjs`);
  await build({
    ...{ absWorkingDir: root, entryPoints: [`bench/${name}.ts`], outfile, bundle: true, format: "esm", platform: "node" },
    ...{ target: "node20", packages: "external", logLevel: "warning" },
  });
  const logFile = join(directory, `${[name, ...args].join("-").replace(/[^\w-]+/g, "_")}-${Date.now()}.log`);
  const program = startProcess(room, {
    name,
    command: TASKSET,
    args: ["-c", `0-${cpus().length - 1}`, process.execPath, outfile, ...args],
    cwd: root,
    env: serviceEnvironment({ LOG_LEVEL: "error", ...settings }),
    logFile,
  });
  const code = await program.ended;
  const last = existsSync(logFile) ? readFileSync(logFile, "utf8").trim().split("\n").at(-1) : "";
  if (code !== 0 || !last?.startsWith("{")) throw new Error(`${name} failed:\n${tailOf(logFile)}`);
  return JSON.parse(last);
}
