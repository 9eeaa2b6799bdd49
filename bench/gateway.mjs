// The main contest: bare Node, Portkey, and our server over a thousand wallets and on one. Besides a crowd and one client alone it has
// the lanes of public boards: ten connections, and a model that takes 20 ms.

import { checkLedger } from "./books.mjs";
import { median } from "./figures.mjs";
import { CROWD, contest } from "./load.mjs";
import { openModel } from "./models.mjs";
import { startPortkey, startRaw, withUpstream } from "./peers.mjs";
import { startService, withBody } from "./service.mjs";

const SLOW_MS = 20;

export async function benchGateway(bench) {
  const slow = await openModel(bench, { waitMs: SLOW_MS });
  const raw = await startRaw(bench);
  const portkey = await startPortkey(bench);
  // DeepSeek takes the same requests as OpenAI.
  const ours = await startService(bench, { settings: { DEEPSEEK_API_KEY: "sk-bench", DEEPSEEK_BASE_URL: slow.origin } });
  const slowOnes = [withUpstream(raw, slow), withUpstream(portkey, slow), withBody(ours.wallets, { model: "deepseek-flash" })];
  const rounds = await contest(bench, {
    "64 connections": { connections: CROWD, contestants: [raw, portkey, ours.wallets, ours.hot] },
    "10 connections": { connections: 10, contestants: [raw, portkey, ours.wallets] },
    "10, a model of 20 ms": { connections: 10, contestants: slowOnes },
    "1 connection": { connections: 1, contestants: [raw, portkey, ours.hot] },
  });
  checkLedger(ours);
  return { figures: figuresOf(rounds), raw: { rounds } };
}

function figuresOf(rounds) {
  const of = (lane, read) => median(rounds.map((round) => read(round[lane])));
  const added = (ours) => (lane) => lane[ours].p50Ms - lane.raw.p50Ms;
  return {
    requests_per_second: of("64 connections", ({ ours }) => ours.perSecond),
    throughput_vs_raw: of("64 connections", ({ ours, raw }) => ours.perSecond / raw.perSecond),
    hot_wallet_vs_raw: of("64 connections", ({ raw, ...lane }) => lane["ours-hot"].perSecond / raw.perSecond),
    added_p50_ms: of("1 connection", added("ours-hot")),
    added_p50_ms_10_connections: of("10 connections", added("ours")),
    added_p50_ms_20_ms_model: of("10, a model of 20 ms", added("ours")),
    p99_ms: of("64 connections", ({ ours }) => ours.p99Ms),
    throughput_vs_portkey: of("64 connections", ({ ours, portkey }) => ours.perSecond / portkey.perSecond),
    added_p50_vs_portkey: of("1 connection", (lane) => added("ours-hot")(lane) / added("portkey")(lane)),
    rss_mb: Math.max(...rounds.map((round) => round["64 connections"].ours.togetherMb)),
  };
}
