// Streams: how much later the first token arrives than through bare Node, and how much memory a thousand open ones take.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureWithBooks } from "./books.mjs";
import { median } from "./figures.mjs";
import { renderPages } from "./gateway.mjs";
import { measure, runClient } from "./load.mjs";
import { startRaw } from "./peers.mjs";
import { deleteSandbox, seedSandbox, startService } from "./service.mjs";
import { startStreamUpstream } from "./upstream.mjs";

const CROWD = 16;
const OPEN_STREAMS = 1_000;
const PACE_MS = 1_000;

const client = fileURLToPath(new URL("./stream-client.mjs", import.meta.url));

export async function benchStreams(room, context) {
  const dataDir = join(context.cache, `streams-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  const firstToken = await benchFirstToken(room, context, dataDir);
  const open = await benchOpenStreams(room, context, dataDir);
  return { figures: { ...firstToken.figures, ...open.figures }, raw: { rounds: firstToken.rounds, open: open.result } };
}

/** The contestant with streamed requests; `lastEvent` is how the end of its streams begins. */
function streaming(contestant, lastEvent) {
  const body = JSON.stringify({ ...JSON.parse(contestant.plan.body), stream: true });
  return { ...contestant, plan: { ...contestant.plan, body, lastEvent } };
}

/** The load of measure(): streams one after another on each connection, or one on each (`isOnce`). */
async function runStreams({ name, origin }, plan, { connections, seconds, directory, isOnce = false }) {
  const planFile = join(directory, `${name}.plan.json`);
  writeFileSync(planFile, JSON.stringify({ origin, ...plan, connections, seconds, isOnce }));
  return runClient([process.execPath, client, planFile]);
}

async function benchFirstToken(room, { directory, cache, pace, say }, dataDir) {
  const upstream = await startStreamUpstream(room, directory);
  await seedSandbox(dataDir, { charges: 10, upstream, cache });
  const raw = await startRaw(room, { upstream, directory });
  const ours = await startService(room, { dataDir, upstream, directory });
  const contestants = [
    [streaming(raw, "data: [DONE]"), measure],
    [streaming(ours.wallets, "event: done\n"), measureWithBooks],
  ];
  const take = ([contestant, how], connections, seconds, tries) =>
    how(contestant, { connections, seconds, tries, directory, upstream, load: runStreams });
  say("warming up");
  for (const one of contestants) await take(one, CROWD, pace.warmUpSeconds, 1);
  const rounds = [];
  for (let number = 1; number <= pace.rounds; number++) {
    const round = { alone: {}, crowd: {} };
    for (const one of contestants) {
      const { name } = one[0];
      round.alone[name] = await take(one, 1, pace.aloneSeconds, pace.tries);
      round.crowd[name] = await take(one, CROWD, pace.aloneSeconds, pace.tries);
      const shown = ({ p50Ms, others }) => `${p50Ms.toFixed(2)} ms (others' share ${(others * 100).toFixed(0)} %)`;
      say(`round ${number}, first token, p50: ${name} ${shown(round.alone[name])} alone, ${shown(round.crowd[name])} of ${CROWD}`);
    }
    rounds.push(round);
  }
  for (const { stop } of [ours, raw, upstream]) await stop();
  const added = (of) => median(rounds.map((round) => of(round).ours.p50Ms - of(round).raw.p50Ms));
  const figures = { stream_added_ttft_ms: added(({ alone }) => alone), stream_added_ttft_crowd_ms: added(({ crowd }) => crowd) };
  return { figures, rounds };
}

async function benchOpenStreams(room, { directory, pace, say }, dataDir) {
  const upstream = await startStreamUpstream(room, directory, { paceMs: PACE_MS, tokens: pace.holdSeconds + 1 });
  const ours = await startService(room, { dataDir, upstream, directory });
  await renderPages(ours.origin);
  const load = { connections: OPEN_STREAMS, seconds: pace.holdSeconds, tries: 1, directory, upstream, load: runStreams, isOnce: true };
  const result = await measureWithBooks(streaming(ours.wallets, "event: done\n"), load);
  const { requests, charged, mostOpen, rssMb } = result;
  say(`${mostOpen} streams open at once for ${pace.holdSeconds} s: ${rssMb.toFixed(0)} MB, ${charged} charges`);
  if (requests !== OPEN_STREAMS || mostOpen !== OPEN_STREAMS || charged !== OPEN_STREAMS)
    throw new Error(`${OPEN_STREAMS} streams: ${requests} came to their end, ${mostOpen} were open at once, ${charged} were charged`);
  for (const { stop } of [ours, upstream]) await stop();
  return { figures: { streams_1000_rss_mb: rssMb }, result };
}
