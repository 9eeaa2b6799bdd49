// One measurement: a load (wrk, unless another is given) on one contestant for some seconds, and the CPU and memory that it used
// meanwhile.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { GATEWAY_CORE, REST_CORE, TASKSET } from "./machine.mjs";
import { coreBusyMs, cpuMs, familyOf, handOnPriority, residentMb } from "./processes.mjs";

const script = fileURLToPath(new URL("./load.lua", import.meta.url));
const RSS_EVERY_MS = 250;
/** Far above any expected latency: a request that takes longer fails the run instead of vanishing from it. */
const TIMEOUT_S = 10;
/** The share of a core that other processes may use before a run counts as disturbed. */
const DISTURBED = 0.1;
const QUIET_MS = 500;
const QUIET_TIMEOUT_MS = 20_000;

/**
 * What wrk sends. JSON strings of ASCII without \u or \/ are Lua strings too.
 * @typedef {{path: string, headers: Record<string, string>, body: string, authorizations: string[], idempotency?: string}} Plan
 */
function planInLua({ path, headers, body, authorizations, idempotency }) {
  const text = JSON.stringify;
  const named = Object.entries(headers).map(([name, value]) => `[${text(name)}]=${text(value)}`);
  const fields = [
    `path=${text(path)}`,
    `headers={${named.join(",")}}`,
    `body=${text(body)}`,
    `authorizations={${authorizations.map(text).join(",")}}`,
  ];
  if (idempotency) fields.push(`idempotency=${text(idempotency)}`);
  return `return {${fields.join(",")}}\n`;
}

/**
 * Loads one contestant. Other programs on the machine would count against the current contestant, so it waits for an idle moment,
 * and repeats a run that was disturbed nevertheless; the least disturbed run counts, however fast or slow it was.
 * @param contestant `origin`, `plan`, `pid` of its process, `databasePids()` when it has a database
 * @param options `connections`, `seconds`, `tries` (1: without waiting, despite other load), `upstream`, `directory`, `load` (what
 *   sends the requests: given contestant, plan and options it resolves with counts and latencies, named as load.lua names them)
 * @returns requests per second, latencies, CPU per request, peak memory; `others`: the share of the busier core used by other programs
 * @throws Error when any response was not 200 and whole, or there were none
 */
export async function measure(contestant, options) {
  let best;
  let requests = 0;
  let tries = 0;
  for (; tries < options.tries && (best === undefined || best.others > DISTURBED); tries++) {
    if (options.tries > 1) await waitForQuiet();
    const plan = { ...contestant.plan };
    if (plan.idempotency) plan.idempotency += `${tries}-`;
    const result = await measureOnce(contestant, plan, options);
    requests += result.requests;
    if (best === undefined || result.others < best.others) best = result;
  }
  return { ...best, requestsOfAllTries: requests, allTries: tries };
}

async function runWrk({ name, origin }, plan, { connections, seconds, directory }) {
  const planFile = join(directory, `${name}.plan.lua`);
  writeFileSync(planFile, planInLua(plan));
  const threads = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "--timeout", `${TIMEOUT_S}s`];
  return runClient(["wrk", ...threads, "-s", script, origin, "--", planFile]);
}

/** Runs a load program on the other core; resolves with the JSON in the last line of its output. */
export async function runClient(command) {
  const { stdout } = await promisify(execFile)(TASKSET, ["-c", String(REST_CORE), ...command]);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

async function measureOnce(contestant, plan, options) {
  const { upstream, load = runWrk } = options;
  const databasePids = contestant.databasePids?.() ?? [];
  // PostgreSQL opens a session for each connection, so each needs the priority.
  for (const pid of databasePids) handOnPriority(pid);
  const restPids = [process.pid, ...familyOf(upstream.pid), ...databasePids];
  const look = () => ({
    own: cpuMs([contestant.pid]),
    database: cpuMs(databasePids),
    rest: cpuMs(restPids),
    gatewayCore: coreBusyMs(GATEWAY_CORE),
    restCore: coreBusyMs(REST_CORE),
  });
  let rssMb = 0;
  const sampling = setInterval(() => {
    rssMb = Math.max(rssMb, residentMb(contestant.pid));
  }, RSS_EVERY_MS);
  try {
    const before = look();
    // The monotonic clock, which V8's profiles use too.
    const startedAtUs = Number(process.hrtime.bigint() / 1000n);
    const result = await load(contestant, plan, options);
    const after = look();
    const used = (name) => after[name] - before[name];
    refuseFailures(contestant.name, result);
    const othersMs = Math.max(0, used("gatewayCore") - used("own"), used("restCore") - used("rest"));
    return {
      ...result,
      startedAtUs,
      perSecond: result.requests / result.seconds,
      cpuMsPerRequest: used("own") / result.requests,
      databaseCpuMsPerRequest: databasePids.length > 0 ? used("database") / result.requests : undefined,
      others: othersMs / (result.seconds * 1000),
      rssMb,
    };
  } finally {
    clearInterval(sampling);
  }
}

/** Waits until both cores are idle, up to a limit. */
async function waitForQuiet() {
  const until = Date.now() + QUIET_TIMEOUT_MS;
  while (Date.now() < until) {
    const cores = [GATEWAY_CORE, REST_CORE];
    const before = cores.map(coreBusyMs);
    await sleep(QUIET_MS);
    if (cores.every((core, place) => coreBusyMs(core) - before[place] < DISTURBED * QUIET_MS)) return;
  }
}

function refuseFailures(name, { requests, notOk, socketErrors, timeouts }) {
  if (requests > 0 && notOk + socketErrors + timeouts === 0) return;
  throw new Error(
    `${name}: ${requests} answers, of them ${notOk} not 200 or not whole; ${socketErrors} socket errors, ${timeouts} timeouts. A run must be flawless to count.`,
  );
}
