// Deposits: how fast a chain is read, and how soon safe deposits are credited. Everything is real: the sandbox's own chains, PostgreSQL on
// a disk, and for the waits the service that `npm start` runs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./figures.mjs";
import { waitUntil } from "./processes.mjs";
import { openDirectory, runProgram, startService } from "./service.mjs";

export async function benchChains(bench) {
  const scans = [];
  while (scans.length < bench.pace.repeats) {
    const { scanS } = await runProgram(bench, {
      name: "chains-volume",
      settings: { DATA_DIR: openDirectory(bench, `scan-${scans.length}`) },
    });
    bench.say(`200 blocks, 10,000 addresses: ${scanS.toFixed(2)} s`);
    scans.push(scanS);
  }
  const service = await startWithChains(bench);
  const waits = {};
  for (const chain of ["base", "solana"]) {
    const settings = { DATA_DIR: service.dataDir, DATABASE_URL: service.database.url };
    waits[chain] = await runProgram(bench, { name: "chains-latency", args: [chain, String(bench.pace.deposits)], settings });
    bench.say(`${chain}: from safe to credited ${waits[chain].p50S.toFixed(2)} s, p95 ${waits[chain].p95S.toFixed(2)} s`);
  }
  return {
    figures: {
      scan_200_blocks_10000_addresses_s: median(scans),
      safe_to_credited_base_p95_s: waits.base.p95S,
      safe_to_credited_solana_p95_s: waits.solana.p95S,
    },
    raw: { scans, waits },
  };
}

/** A service whose own chains run. */
export async function startWithChains(bench, options) {
  const service = await startService(bench, options);
  await waitUntil(service.server, async () => JSON.parse(readFileSync(join(service.dataDir, "sandbox.json"), "utf8")).rpc != null);
  return service;
}
