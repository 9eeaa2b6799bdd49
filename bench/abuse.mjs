// Attacks of strangers on a customer: the customer's prompts at a steady rate, alone and beside each attack that once stopped the service.
// Nothing is bound to a core: attackers and customers share the machine, as in production.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { Pool } from "undici";
import { checkLedger } from "./books.mjs";
import { median } from "./figures.mjs";
import { ALL_CORES, bindToCore } from "./machine.mjs";
import { familyOf } from "./processes.mjs";
import { startService } from "./service.mjs";

const PROMPTS_PER_SECOND = 50;
/** By then an attack has begun. */
const START_MS = 1_000;

export async function benchAbuse(bench) {
  const ours = await startService(bench);
  for (const pid of familyOf(ours.pid)) bindToCore(pid, ALL_CORES);
  const attacks = ["images", "pages", "user agents", "upgrades"];
  await sendPrompts(bench, ours); // warms up
  const rounds = [];
  while (rounds.length < 3) {
    const round = { quiet: await sendPrompts(bench, ours) };
    for (const name of attacks) {
      const stop = startAttack(name, ours);
      await sleep(START_MS);
      round[name] = await sendPrompts(bench, ours);
      round[name].attacks = await stop();
    }
    rounds.push(round);
    for (const [name, lane] of Object.entries(round)) {
      const { p50Ms, p99Ms, stallMs, attacks: count } = lane;
      bench.say(
        `${name.padEnd(12)} p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, longest stall ${stallMs.toFixed(0)} ms${count === undefined ? "" : `, ${count} attacks`}`,
      );
    }
  }
  checkLedger(ours);
  const worst = (read) => Math.max(...attacks.map((name) => median(rounds.map((round) => read(round[name], round.quiet)))));
  return {
    figures: {
      abuse_p50_ratio: worst((lane, quiet) => lane.p50Ms / quiet.p50Ms),
      abuse_p99_ratio: worst((lane, quiet) => lane.p99Ms / quiet.p99Ms),
      abuse_loop_p999_ms: Math.max(...rounds.flatMap((round) => attacks.map((name) => round[name].stallMs))),
    },
    raw: { rounds },
  };
}

/** Prompts of a thousand customers at a fixed rate: a late answer delays no other. Every one must be answered. */
async function sendPrompts({ pace }, { origin, wallets }) {
  const { path, headers, body, authorizations } = wallets.plan;
  const pool = new Pool(origin, { connections: 64 });
  const took = [];
  const failures = [];
  const request = async (number) => {
    const startedAt = performance.now();
    const authorization = authorizations[number % authorizations.length];
    const answer = await pool.request({ path, method: "POST", headers: { ...headers, authorization }, body });
    await answer.body.dump();
    took.push(performance.now() - startedAt);
    if (answer.statusCode !== 200) failures.push(answer.statusCode);
  };
  const watch = watchLoop(origin);
  const answers = [];
  const count = pace.abuseSeconds * PROMPTS_PER_SECOND;
  for (let number = 0; number < count; number++) {
    answers.push(request(number));
    await sleep(1_000 / PROMPTS_PER_SECOND);
  }
  await Promise.all(answers);
  await pool.close();
  if (failures.length > 0) throw new Error(`${failures.length} of ${count} prompts failed: ${[...new Set(failures)].join(", ")}`);
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))];
  return { p50Ms: at(0.5), p99Ms: at(0.99), stallMs: await watch.stop() };
}

/** How long the API's event loop stands still: a request that needs nothing but the loop, every 10 ms; the 99.9th percentile. */
function watchLoop(origin) {
  const pool = new Pool(origin, { connections: 8 });
  const took = [];
  const looks = new Set();
  const timer = setInterval(() => {
    const startedAt = performance.now();
    const look = pool
      .request({ path: "/api/health", method: "GET" })
      .then(({ body }) => body.dump())
      .then(() => took.push(performance.now() - startedAt))
      .finally(() => looks.delete(look));
    looks.add(look);
  }, 10);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(looks);
      await pool.close();
      took.sort((a, b) => a - b);
      return took[Math.min(took.length - 1, Math.floor(took.length * 0.999))];
    },
  };
}

/** In a thread of its own: the attacker's own work does not delay the customers. Its end resolves with the number of attacks. */
function startAttack(name, { origin, emptyKeys, wallets }) {
  const workerData = { name, origin, emptyKeys, headers: wallets.plan.headers };
  const attacker = new Worker(new URL("./attacks.mjs", import.meta.url), { workerData });
  return async () => {
    attacker.postMessage("stop");
    const [count] = await once(attacker, "message");
    return count;
  };
}
