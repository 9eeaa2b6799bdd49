// `npm run bench [-- [quick] [part …]]` measures, prints tables and writes .data/bench.json. Without names it runs every part.
// Exit codes: 0 all well; 1 the bench is broken, or a run was not flawless; 2 everything ran, and a figure missed its target.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchAbuse } from "./abuse.mjs";
import { benchBigLedger } from "./big-ledger.mjs";
import { benchChains } from "./chains.mjs";
import { benchDialects } from "./dialects.mjs";
import { figureTable, missed, musts } from "./figures.mjs";
import { benchGateway } from "./gateway.mjs";
import { bindToCore, describeMachine, ensureTools, REST_CORE } from "./machine.mjs";
import { startNginx } from "./models.mjs";
import { benchPayments } from "./payments.mjs";
import { openRoom } from "./processes.mjs";
import { benchRefused } from "./refused.mjs";
import { buildService, root } from "./service.mjs";
import { benchStart } from "./start-time.mjs";
import { benchStreams } from "./streams.mjs";
import { benchWebhooks } from "./webhooks.mjs";

const parts = {
  gateway: benchGateway,
  dialects: benchDialects,
  streams: benchStreams,
  refused: benchRefused,
  "big-ledger": benchBigLedger,
  start: benchStart,
  chains: benchChains,
  payments: benchPayments,
  webhooks: benchWebhooks,
  abuse: benchAbuse,
};
// Many short rounds: a virtual machine changes its speed for some seconds at a time, and a long run would fall into such a phase entirely.
const paces = {
  full: {
    rounds: 9,
    seconds: 3,
    warmUpSeconds: 15,
    bigLedger: 5_000_000,
    holdSeconds: 20,
    repeats: 3,
    deposits: 60,
    payments: 200,
    webhookSeconds: 60,
    abuseSeconds: 15,
  },
  quick: {
    rounds: 2,
    seconds: 3,
    warmUpSeconds: 8,
    bigLedger: 100_000,
    holdSeconds: 15,
    repeats: 1,
    deposits: 15,
    payments: 40,
    webhookSeconds: 15,
    abuseSeconds: 6,
  },
};

// Not below the system's temporary directory, which may be in memory: a database there commits without a disk.
const cache = join(root, ".data/bench");

function readArguments() {
  const words = process.argv.slice(2);
  const names = words.filter((word) => word !== "quick");
  const unknown = names.find((name) => !(name in parts));
  if (unknown) throw new Error(`There is no bench "${unknown}": ${Object.keys(parts).join(", ")}; or quick`);
  return { pace: words.includes("quick") ? "quick" : "full", names: names.length > 0 ? names : Object.keys(parts) };
}

async function main(room) {
  const { pace, names } = readArguments();
  ensureTools();
  mkdirSync(cache, { recursive: true });
  buildService();
  bindToCore(process.pid, REST_CORE);
  const directory = mkdtempSync(join(cache, "run-"));
  room.onClose(() => rmSync(directory, { recursive: true, force: true }));
  const report = { pace, at: new Date().toISOString(), figures: {}, musts, raw: {}, machine: describeMachine() };
  const say = (text) => process.stdout.write(`${text}\n`);
  const bench = { room, directory, cache, pace: paces[pace], say };
  bench.upstream = await startNginx(bench);
  for (const name of names) {
    say(`\n== ${name}`);
    const inside = openRoom();
    room.onClose(inside.close);
    const { figures, raw } = await parts[name]({ ...bench, room: inside });
    await inside.close();
    Object.assign(report.figures, figures);
    report.raw[name] = raw;
  }
  return report;
}

/** A part that was not run keeps its figures from the previous run, on the same machine. */
function writeReport(report) {
  const path = join(root, ".data/bench.json");
  const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const known = Object.fromEntries(Object.entries(before.figures ?? {}).filter(([name]) => name in musts));
  const whole = { ...report, figures: { ...known, ...report.figures }, raw: { ...before.raw, ...report.raw } };
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
  writeReport(report);
  const misses = missed(report.figures);
  if (misses.length > 0) process.exitCode = 2;
  process.stdout.write(`\n${figureTable(report.figures)}\n`);
  process.stdout.write(misses.length > 0 ? `\nMissed: ${misses.join(", ")}\n` : "\nEvery must is met.\n");
  await room.close();
} catch (error) {
  // A bench that is being stopped fails midway: that needs no message.
  if (!room.isClosing()) await end(room, 1, `The bench failed: ${error instanceof Error ? error.stack : error}`);
}
