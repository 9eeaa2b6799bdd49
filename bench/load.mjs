// Measurements: a load (wrk, unless another is given) on one contestant for some seconds, and the CPU and memory that it used meanwhile;
// and contests, in which contestants are loaded in turn, round after round.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { withBooks } from "./books.mjs";
import { laneTable } from "./figures.mjs";
import { GATEWAY_CORE, REST_CORE } from "./machine.mjs";
import { coreBusyMs, cpuMs, familyOf, residentMb } from "./processes.mjs";

export const CROWD = 64;
const script = fileURLToPath(new URL("./load.lua", import.meta.url));
const RSS_EVERY_MS = 250;
/** Far above any expected latency: a request that takes longer fails the run instead of vanishing from it. */
const TIMEOUT_S = 10;

/**
 * Loads every contestant of every lane in turn, round after round: a ratio is taken within a round, so that other work of the machine
 * matters less. Prints each lane's medians.
 * @param lanes by name: `connections`, `contestants`, and `load` if it is not wrk
 * @returns for each round, by lane and contestant, what `measure` returns
 */
export async function contest(bench, lanes) {
  const { pace, say } = bench;
  say("warming up");
  const [{ contestants }] = Object.values(lanes);
  for (const one of contestants) await measure(bench, one, { ...Object.values(lanes)[0], seconds: pace.warmUpSeconds });
  const rounds = [];
  while (rounds.length < pace.rounds) {
    const round = {};
    for (const [name, lane] of Object.entries(lanes)) {
      round[name] = {};
      for (const one of lane.contestants) round[name][one.name] = await measure(bench, one, { ...lane, seconds: pace.seconds });
    }
    rounds.push(round);
    say(`round ${rounds.length} of ${pace.rounds}`);
  }
  for (const name of Object.keys(lanes)) say(`\n${laneTable(name, rounds)}`);
  return rounds;
}

/**
 * Loads one contestant.
 * @param contestant `name`, `origin`, `plan`, `pid` of its process; `childPids()` when it has children; `database` and
 *   `databasePids()` when it has one
 * @param options `connections`, `seconds`, `load`: what sends the requests, and resolves with what load.lua prints
 * @returns what the load returned; requests per second, CPU per request, peak memory of the process and together
 *   with its children; `others`: the share of the busier core used by
 *   other programs; for ours also `charged`
 * @throws Error when any response was not 200 and whole, there were none, or the books do not agree with them
 */
export const measure = (bench, contestant, options) =>
  withBooks(contestant, options.connections, () => measureLoad(bench, contestant, options));

async function measureLoad(bench, contestant, options) {
  const { load = runWrk } = options;
  const databasePids = contestant.databasePids?.() ?? [];
  const childPids = contestant.childPids?.() ?? [];
  const restPids = [process.pid, ...familyOf(bench.upstream.pid), ...databasePids, ...childPids];
  const look = () => ({
    own: cpuMs([contestant.pid]),
    database: cpuMs(databasePids),
    rest: cpuMs(restPids),
    gatewayCore: coreBusyMs(GATEWAY_CORE),
    restCore: coreBusyMs(REST_CORE),
  });
  let rssMb = 0;
  let togetherMb = 0;
  const sampling = setInterval(() => {
    const own = residentMb(contestant.pid);
    rssMb = Math.max(rssMb, own);
    togetherMb = Math.max(
      togetherMb,
      childPids.map(residentMb).reduce((sum, one) => sum + one, own),
    );
  }, RSS_EVERY_MS);
  try {
    const before = look();
    const result = await load(bench, contestant, options);
    const after = look();
    const used = (name) => after[name] - before[name];
    if (result.requests === 0 || result.failed > 0)
      throw new Error(`${contestant.name}: ${result.requests} answers, of them ${result.failed} failed. A run must be flawless to count.`);
    const othersMs = Math.max(0, used("gatewayCore") - used("own"), used("restCore") - used("rest"));
    return {
      ...result,
      perSecond: result.requests / result.seconds,
      cpuMsPerRequest: used("own") / result.requests,
      databaseCpuMsPerRequest: databasePids.length > 0 ? used("database") / result.requests : undefined,
      others: othersMs / (result.seconds * 1000),
      rssMb,
      togetherMb,
    };
  } finally {
    clearInterval(sampling);
  }
}

/** The plan of wrk's requests. JSON strings of ASCII without \u or \/ are Lua strings too. */
function planInLua({ path, headers, body, authorizations }) {
  const text = JSON.stringify;
  const named = Object.entries(headers).map(([name, value]) => `[${text(name)}]=${text(value)}`);
  const keys = authorizations.map(text).join(",");
  return `return {path=${text(path)},headers={${named.join(",")}},body=${text(body)},authorizations={${keys}}}\n`;
}

export async function runWrk({ directory }, { name, origin, plan }, { connections, seconds }) {
  const planFile = join(directory, `${name}.plan.lua`);
  writeFileSync(planFile, planInLua(plan));
  const args = [
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "--latency",
    "--timeout",
    `${TIMEOUT_S}s`,
    "-s",
    script,
    origin,
    "--",
    planFile,
  ];
  const { stdout } = await promisify(execFile)("wrk", args);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}
