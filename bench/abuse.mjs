// What strangers can do to a customer: a customer's prompts at a steady rate, alone and beside each attack that once stopped the service.
// Nothing is bound to a core: attackers and customers share the machine, as in production.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
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
  const attacks = { images: sendImages, pages: loadPages, "user agents": sendUserAgents, upgrades: offerUpgrades };
  await sendPrompts(bench, ours); // warms up
  const rounds = [];
  while (rounds.length < 3) {
    const round = { quiet: await sendPrompts(bench, ours) };
    for (const [name, attack] of Object.entries(attacks)) {
      const stop = attack(ours);
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
  const worst = (read) => Math.max(...Object.keys(attacks).map((name) => median(rounds.map((round) => read(round[name], round.quiet)))));
  return {
    figures: {
      abuse_p50_ratio: worst((lane, quiet) => lane.p50Ms / quiet.p50Ms),
      abuse_p99_ratio: worst((lane, quiet) => lane.p99Ms / quiet.p99Ms),
      abuse_loop_p999_ms: Math.max(...rounds.flatMap((round) => Object.keys(attacks).map((name) => round[name].stallMs))),
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

/** Repeats `attack` on so many connections until it is stopped, which resolves with the number of attacks. */
function repeat(connections, attack) {
  let isOver = false;
  let count = 0;
  const run = async () => {
    while (!isOver) {
      await attack().catch(() => sleep(50)); // a refusal or a cut connection is an answer, too
      count += 1;
    }
  };
  const running = Promise.all(Array.from({ length: connections }, run));
  return async () => {
    isOver = true;
    await running;
    return count;
  };
}

const post = async (origin, { path, headers, body }) => {
  const answer = await fetch(origin + path, { method: "POST", headers, body, signal: AbortSignal.timeout(20_000) });
  await answer.arrayBuffer();
};

/** Bodies of 31 MB with thirty images whose header never comes, with the keys of accounts that have nothing. */
function sendImages({ origin, emptyKeys, wallets }) {
  const zeros = `data:image/jpeg;base64,${Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(775_000)]).toString("base64")}`;
  const content = Array.from({ length: 30 }, () => ({ type: "image_url", image_url: { url: zeros } }));
  const body = JSON.stringify({ model: "gpt-5.4", max_tokens: 16, messages: [{ role: "user", content }] });
  let next = 0;
  return repeat(3, () => {
    const headers = { ...wallets.plan.headers, authorization: `Bearer ${emptyKeys[next++ % emptyKeys.length]}` };
    return post(origin, { path: "/api/v1/chat/completions", headers, body });
  });
}

/** The dearest public page, without signing in. */
function loadPages({ origin }) {
  let next = 0;
  return repeat(4, async () => {
    const answer = await fetch(`${origin}/docs/api${next++ % 2 ? `?${next}` : ""}`, { signal: AbortSignal.timeout(20_000) });
    await answer.arrayBuffer();
  });
}

/** A header of 15 kB that a regex read again from each of its characters. */
function sendUserAgents({ origin, wallets }) {
  const agent = "Version/1 ".repeat(1_500);
  return repeat(4, () => post(origin, { path: "/keys", headers: { ...wallets.plan.headers, origin, "user-agent": agent }, body: "{}" }));
}

/** What Java's own client sends first. */
function offerUpgrades({ origin }) {
  const { port, hostname } = new URL(origin);
  const offer = "connection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQ";
  return repeat(4, () => {
    const socket = connect(Number(port), hostname);
    socket.write(`GET /api/health HTTP/1.1\r\nhost: x\r\n${offer}\r\n\r\n`);
    return new Promise((resolve, reject) => {
      socket.once("data", (bytes) => (bytes.toString().startsWith("HTTP/1.1 200 ") ? resolve() : reject(new Error("not answered"))));
      socket.once("error", reject).once("close", () => reject(new Error("closed unanswered")));
    });
  });
}
