// Streams: how much later the first token arrives than through bare Node, what an event costs, and how much memory a thousand open
// streams take.

import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "undici";
import { checkLedger } from "./books.mjs";
import { median } from "./figures.mjs";
import { contest, measure } from "./load.mjs";
import { openModel, STREAM_EVENTS } from "./models.mjs";
import { startRaw, withUpstream } from "./peers.mjs";
import { startService, withBody } from "./service.mjs";

const OPEN_STREAMS = 1_000;
const PACE_MS = 1_000;
const TIMEOUT_MS = 10_000;
/** Between two connections at the start: a listener's backlog is short. */
const OPEN_EVERY_MS = 2;

export async function benchStreams(bench) {
  const model = await openModel(bench);
  const raw = await startRaw(bench);
  const ours = await startService({ ...bench, upstream: { ...bench.upstream, origin: model.origin } });
  const contestants = [streaming(withUpstream(raw, model), "data: [DONE]"), streaming(ours.wallets, "event: done\n")];
  const rounds = await contest(bench, {
    "1 stream": { connections: 1, contestants, load: readStreams },
    "16 streams": { connections: 16, contestants, load: readStreams },
  });
  await ours.stop();
  const open = await benchOpenStreams(bench, ours.dataDir);
  const figures = {
    stream_added_ttft_ms: median(rounds.map(({ "1 stream": lane }) => lane.ours.p50Ms - lane.raw.p50Ms)),
    stream_cpu_us_per_event: median(rounds.map(({ "16 streams": { ours } }) => (ours.cpuMsPerRequest * 1_000) / STREAM_EVENTS)),
    streams_1000_rss_mb: open.rssMb,
  };
  return { figures, raw: { rounds, open } };
}

async function benchOpenStreams(bench, dataDir) {
  const { pace, say, upstream } = bench;
  const model = await openModel(bench, { paceMs: PACE_MS, tokens: pace.holdSeconds });
  const ours = await startService({ ...bench, upstream: { ...upstream, origin: model.origin } }, { name: "ours-open", dataDir });
  const load = { connections: OPEN_STREAMS, seconds: 0, load: readStreams };
  const result = await measure(bench, streaming(ours.wallets, "event: done\n"), load);
  const { requests, charged, mostOpen, rssMb } = result;
  say(`${mostOpen} streams open at once for ${pace.holdSeconds} s: ${rssMb.toFixed(0)} MB, ${charged} charges`);
  if (requests !== OPEN_STREAMS || mostOpen !== OPEN_STREAMS || charged !== OPEN_STREAMS)
    throw new Error(`${OPEN_STREAMS} streams: ${requests} came to their end, ${mostOpen} were open at once, ${charged} were charged`);
  checkLedger(ours);
  return result;
}

/** The contestant with streamed requests; `lastEvent` is how the end of its streams begins. */
const streaming = (contestant, lastEvent) => ({ ...withBody(contestant, { stream: true }), lastEvent });

/** A load of `measure`: streams one after another on each connection; at least one, and new ones for `seconds`. */
async function readStreams(_, contestant, { connections, seconds }) {
  const seen = { requests: 0, failed: 0, open: 0, mostOpen: 0, firstMs: [] };
  const startedAt = performance.now();
  const readInTurn = async (place) => {
    await sleep(place * OPEN_EVERY_MS);
    // As many clients: a server gives an address only a share of its connections.
    const localAddress = `127.1.${place >> 8}.${place & 255}`;
    const client = new Client(contestant.origin, { localAddress, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
    for (let number = place; ; number += connections) {
      await readStream(client, contestant, { number, seen });
      if (performance.now() >= startedAt + seconds * 1_000) return client.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, place) => readInTurn(place)));
  seen.firstMs.sort((a, b) => a - b);
  const percentile = (share) => seen.firstMs[Math.floor((seen.firstMs.length - 1) * share)];
  const { requests, failed, mostOpen } = seen;
  return { seconds: (performance.now() - startedAt) / 1_000, requests, failed, mostOpen, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

/** One stream from its request to its end, and the time until its first event. */
async function readStream(client, { plan, lastEvent }, { number, seen }) {
  const authorization = plan.authorizations[number % plan.authorizations.length];
  const startedAt = performance.now();
  const { path, headers, body } = plan;
  const answer = await client.request({ method: "POST", path, headers: { ...headers, authorization }, body });
  let text = "";
  let hasBegun = false;
  for await (const chunk of answer.body.setEncoding("utf8")) {
    text += chunk;
    if (hasBegun || !text.includes("data:")) continue;
    hasBegun = true;
    seen.firstMs.push(performance.now() - startedAt);
    seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
  }
  seen.requests++;
  if (hasBegun) seen.open--;
  if (answer.statusCode !== 200 || !isWhole(text, lastEvent)) seen.failed++;
}

const isWhole = (text, lastEvent) =>
  text.endsWith("\n\n") && text.slice(text.lastIndexOf("\n\n", text.length - 3) + 2).startsWith(lastEvent);
