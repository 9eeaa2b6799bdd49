// `npm run bench [-- [quick] [gateway] [dialects] [streams] [refused] [two-processes] [big-ledger] [start] [chains] [payments] [webhooks]]`:
// measures, prints the tables, writes .data/bench.json, and ends with 1 when a figure misses its target or a run was not flawless. Without
// names, it runs everything.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchBigLedger } from "./big-ledger.mjs";
import { benchChains } from "./chains.mjs";
import { benchDialects } from "./dialects.mjs";
import { contestantTable, figureTable, missed, musts } from "./figures.mjs";
import { benchGateway } from "./gateway.mjs";
import { bindToCore, describeMachine, ensureTools, REST_CORE } from "./machine.mjs";
import { benchPayments } from "./payments.mjs";
import { handOnPriority, openRoom } from "./processes.mjs";
import { profileService } from "./profile.mjs";
import { benchRefused } from "./refused.mjs";
import { buildService, root } from "./service.mjs";
import { benchStart } from "./start-time.mjs";
import { benchStreams } from "./streams.mjs";
import { benchTwoProcesses } from "./two-processes.mjs";
import { startUpstream } from "./upstream.mjs";
import { benchWebhooks } from "./webhooks.mjs";

const benches = {
  gateway: benchGateway,
  dialects: benchDialects,
  streams: benchStreams,
  refused: benchRefused,
  "two-processes": benchTwoProcesses,
  "big-ledger": benchBigLedger,
  start: benchStart,
  chains: benchChains,
  payments: benchPayments,
  webhooks: benchWebhooks,
};
// The gateway contest has many short rounds: a virtual machine changes its speed for some seconds at a time, and a long run would
// fall into such a phase entirely.
const short = { seconds: 3, aloneSeconds: 2 };
const paces = {
  full: {
    contest: { rounds: 13, ...short },
    rounds: 5,
    seconds: 8,
    aloneSeconds: 5,
    holdSeconds: 20,
    warmUpSeconds: 15,
    starts: 3,
    tries: 3,
    deposits: 60,
    payments: 200,
    webhookSeconds: 60,
  },
  quick: {
    contest: { rounds: 2, ...short },
    rounds: 2,
    ...short,
    holdSeconds: 6,
    warmUpSeconds: 8,
    starts: 1,
    tries: 1,
    deposits: 15,
    payments: 40,
    webhookSeconds: 15,
  },
};

// Not below the system's temporary directory, which may be in memory: a database there commits without a disk.
const cache = join(root, ".data/bench");

function readArguments() {
  const words = process.argv.slice(2);
  const known = [...Object.keys(benches), "quick", "profile"];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown) throw new Error(`There is no bench "${unknown}": ${known.join(", ")}`);
  const named = words.filter((word) => word !== "quick");
  return { pace: words.includes("quick") ? "quick" : "full", names: named.length > 0 ? named : Object.keys(benches) };
}

async function main(room) {
  const { pace, names } = readArguments();
  ensureTools();
  mkdirSync(cache, { recursive: true });
  buildService();
  bindToCore(process.pid, REST_CORE);
  handOnPriority(process.pid);
  const directory = mkdtempSync(join(cache, "run-"));
  room.onClose(() => rmSync(directory, { recursive: true, force: true }));
  const machine = describeMachine();
  const upstream = await startUpstream(room, directory);
  const context = { upstream, directory, cache, pace: paces[pace], say: (text) => process.stdout.write(`${text}\n`) };
  const report = { pace, at: new Date().toISOString(), figures: {}, musts, raw: {}, machine };
  for (const name of names) {
    process.stdout.write(`\n== ${name}\n`);
    if (name === "profile") {
      process.stdout.write(`${await profileService(room, context)}\n`);
      continue;
    }
    const { figures, raw } = await benches[name](room, context);
    Object.assign(report.figures, figures);
    report.raw[name] = raw;
    if (raw.contestants) process.stdout.write(`\n${contestantTable(raw.contestants)}\n`);
  }
  return report;
}

/** A part that was not run keeps its figures from the previous run, on the same machine. */
function writeReport(report) {
  const path = join(root, ".data/bench.json");
  const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const whole = { ...report, figures: { ...before.figures, ...report.figures }, raw: { ...before.raw, ...report.raw } };
  writeFileSync(path, `${JSON.stringify(whole, null, 2)}\n`);
}

/** Ends the bench early: everything that was started is stopped first. */
async function end(room, exitCode, why) {
  process.stderr.write(`\n${why}\n`);
  await room.close();
  process.exit(exitCode);
}

const room = openRoom();
process.setMaxListeners(0);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void end(room, 130, "Stopping what was started…"));
process.on("uncaughtException", (error) => void end(room, 1, `The bench failed: ${error.stack}`));
try {
  const report = await main(room);
  if (Object.keys(report.figures).length > 0) {
    writeReport(report);
    process.stdout.write(`\n${figureTable(report.figures)}\n`);
    const misses = missed(report.figures);
    if (misses.length > 0) process.exitCode = 1;
    process.stdout.write(misses.length > 0 ? `\nMissed: ${misses.join(", ")}\n` : "\nEvery must is met.\n");
  }
  await room.close();
} catch (error) {
  // A bench that is being stopped fails midway: that needs no message.
  if (!room.isClosing()) await end(room, 1, `The bench failed: ${error instanceof Error ? error.stack : error}`);
}
