// The main contest: bare Node, Portkey, our server over a thousand wallets, on one wallet and with idempotency keys, and our Next
// route, in turn, round after round. Every ratio is taken within a round, so that background load on the machine matters less.

import { join } from "node:path";
import { checkLedger, measureWithBooks } from "./books.mjs";
import { median } from "./figures.mjs";
import { measure } from "./load.mjs";
import { startPortkey, startRaw } from "./peers.mjs";
import { deleteSandbox, seedSandbox, startNextHandler, startService } from "./service.mjs";

const CONNECTIONS = 64;

/** @returns figures, and the measurements behind them */
export async function benchGateway(room, { upstream, directory, cache, pace, say }) {
  const dataDir = join(cache, `sandbox-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, upstream, cache });
  const raw = await startRaw(room, { upstream, directory });
  const portkey = await startPortkey(room, { upstream, directory, cache });
  const ours = await startService(room, { dataDir, upstream, directory });
  await renderPages(ours.origin);
  const next = await startNextHandler(room, { service: ours, upstream, directory });

  let run = 0;
  const crowd = [
    [raw, measure],
    [portkey, measure],
    [ours.wallets, measureWithBooks],
    [ours.hot, measureWithBooks],
    [ours.idempotent, measureWithBooks],
    [next, measureWithBooks],
  ];
  const alone = [...crowd.slice(0, 2), [ours.client, measureWithBooks], [ours.inTurn, measureWithBooks]];
  const takeOnce = async ([contestant, take], connections, seconds, tries = pace.tries) => {
    run++;
    const made = typeof contestant === "function" ? contestant(`${process.pid}-${run}`) : contestant;
    const result = await take(made, { connections, seconds, directory, upstream, tries, check: false });
    return { name: made.name, ...result };
  };
  say("warming up");
  for (const one of crowd) await takeOnce(one, CONNECTIONS, pace.warmUpSeconds, 1);
  const { contest } = pace;
  const rounds = [];
  for (let number = 1; number <= contest.rounds; number++) {
    const round = { crowd: {}, alone: {} };
    for (const one of crowd) {
      const result = await takeOnce(one, CONNECTIONS, contest.seconds);
      round.crowd[result.name] = result;
      say(`round ${number}, 64 connections: ${result.name} ${Math.round(result.perSecond)}/s`);
    }
    for (const one of alone) {
      const result = await takeOnce(one, 1, contest.aloneSeconds);
      round.alone[result.name] = result;
      say(`round ${number}, 1 connection: ${result.name} p50 ${result.p50Ms} ms`);
    }
    checkLedger({ ...ours, name: `round ${number}` });
    rounds.push(round);
  }
  for (const { stop } of [next, ours, portkey, raw]) await stop();
  return { figures: figuresOf(rounds), raw: { rounds, contestants: summarise(rounds) } };
}

/** Renders pages once before memory is measured: one process serves both. */
export async function renderPages(origin) {
  for (const path of ["/", "/models", "/docs"]) {
    const page = await fetch(origin + path);
    await page.text();
    if (page.status >= 500) throw new Error(`The page ${path} answers ${page.status}`);
  }
}

function figuresOf(rounds) {
  const ratio = (of) => median(rounds.map(of));
  const added = ({ alone }, name) => alone[name].p50Ms - alone.raw.p50Ms;
  return {
    throughput_vs_portkey: ratio(({ crowd }) => crowd.ours.perSecond / crowd.portkey.perSecond),
    hot_wallet_vs_portkey: ratio(({ crowd }) => crowd["ours-hot"].perSecond / crowd.portkey.perSecond),
    throughput_vs_raw: ratio(({ crowd }) => crowd.ours.perSecond / crowd.raw.perSecond),
    added_p50_vs_portkey: ratio((round) => added(round, "ours") / added(round, "portkey")),
    added_p50_in_turn_vs_portkey: ratio((round) => added(round, "ours-in-turn") / added(round, "portkey")),
    rss_mb: Math.max(...rounds.map(({ crowd }) => crowd.ours.rssMb)),
  };
}

/** The median of each contestant's measurements. */
export function summarise(rounds) {
  const names = Object.keys(rounds[0].crowd);
  return Object.fromEntries(
    names.map((name) => {
      const of = (field) => median(rounds.map(({ crowd }) => crowd[name][field]));
      const alone = rounds[0].alone[name] ? median(rounds.map((round) => round.alone[name].p50Ms)) : undefined;
      const summary = { perSecond: of("perSecond"), p50Ms: of("p50Ms"), p99Ms: of("p99Ms"), cpuMsPerRequest: of("cpuMsPerRequest") };
      const rest = { databaseCpuMsPerRequest: of("databaseCpuMsPerRequest"), rssMb: of("rssMb"), others: of("others"), p50AloneMs: alone };
      return [name, { ...summary, ...rest }];
    }),
  );
}
