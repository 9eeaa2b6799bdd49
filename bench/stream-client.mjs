// The client of the streams: opens one on each connection, measures the time until the first bytes of its first event, reads it to its
// end and opens the next, with the keys in turn. The last line of the output is the result as JSON.
// `node stream-client.mjs <plan file>`, written by streams.mjs

import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const TIMEOUT_MS = 10_000;
/** Between two connections at the start: a listener's backlog is short. */
const OPEN_EVERY_MS = 2;

const { origin, path, headers, body, authorizations, lastEvent, connections, seconds, isOnce } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);
const counts = { requests: 0, notOk: 0, socketErrors: 0, timeouts: 0 };
const firstMs = [];
let sent = 0;
let open = 0;
let mostOpen = 0;

/** One stream from its request to its end; resolves in any case. */
function readStream(agent) {
  const authorization = authorizations[sent++ % authorizations.length];
  const options = {
    method: "POST",
    agent,
    timeout: TIMEOUT_MS,
    headers: { ...headers, authorization, "content-length": Buffer.byteLength(body) },
  };
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let text = "";
    const opened = request(origin + path, options, (answer) => {
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        const hadBegun = text.includes("data:");
        text += chunk;
        if (hadBegun || !text.includes("data:")) return;
        firstMs.push(performance.now() - startedAt);
        mostOpen = Math.max(mostOpen, ++open);
      });
      answer.on("end", () => {
        counts.requests++;
        if (text.includes("data:")) open--;
        if (answer.statusCode !== 200 || !isWhole(text)) counts.notOk++;
        resolve();
      });
      answer.on("error", () => fail("socketErrors"));
    });
    const fail = (kind) => {
      counts[kind]++;
      resolve();
    };
    opened.on("timeout", () => opened.destroy(Object.assign(new Error("silent for too long"), { isTimeout: true })));
    opened.on("error", (error) => fail(error.isTimeout ? "timeouts" : "socketErrors"));
    opened.end(body);
  });
}

function isWhole(text) {
  return text.endsWith("\n\n") && text.slice(text.lastIndexOf("\n\n", text.length - 3) + 2).startsWith(lastEvent);
}

async function readStreams(place, until) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await sleep(place * OPEN_EVERY_MS);
  do await readStream(agent);
  while (!isOnce && performance.now() < until);
  agent.destroy();
}

const startedAt = performance.now();
const until = startedAt + seconds * 1000;
await Promise.all(Array.from({ length: connections }, (_, place) => readStreams(place, until)));

firstMs.sort((a, b) => a - b);
const percentile = (share) => firstMs[Math.min(firstMs.length - 1, Math.floor(firstMs.length * share))];
const latencies = { p50Ms: percentile(0.5), p99Ms: percentile(0.99), maxMs: firstMs.at(-1) };
process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - startedAt) / 1000, ...counts, ...latencies, mostOpen })}\n`);
