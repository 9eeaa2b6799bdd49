// The figures: their targets, how they are judged and shown.

/** `least`: at least this; `most`: at most this; `below`: less than this; none: shown, to be compared with boards of others. */
export const musts = {
  requests_per_second: {},
  throughput_vs_raw: { least: 0.28 },
  hot_wallet_vs_raw: { least: 0.19 },
  added_p50_ms: {},
  added_p50_ms_10_connections: {},
  added_p50_ms_20_ms_model: {},
  p99_ms: {},
  throughput_vs_portkey: { least: 6 },
  added_p50_vs_portkey: { most: 1.15 },
  // Of the API's process and that of pages and jobs together.
  rss_mb: { below: 520 },
  chat_vs_prompt: { least: 0.9 },
  messages_vs_prompt: { least: 0.9 },
  responses_vs_prompt: { least: 0.9 },
  normaliser_share: { most: 0.03 },
  stream_added_ttft_ms: { most: 2 },
  stream_cpu_us_per_event: {},
  streams_1000_rss_mb: { below: 400 },
  refused_p95_ratio: { most: 1.5 },
  big_ledger_ratio: { least: 0.9 },
  start_s: { below: 8 },
  scan_200_blocks_10000_addresses_s: { below: 2 },
  safe_to_credited_base_p95_s: { most: 3 },
  safe_to_credited_solana_p95_s: { most: 3 },
  proof_to_settled_p50_ms: { most: 60 },
  x402_verify_settle_p50_ms: { most: 80 },
  payers_at_once_served_ratio: { least: 1 },
  webhooks_10000_a_minute_p95_s: { most: 2 },
  webhooks_received_ratio: { least: 1 },
  abuse_p50_ratio: { most: 1.5 },
  abuse_p99_ratio: { most: 3 },
  abuse_loop_p999_ms: { most: 100 },
};

/** The middle of these numbers; undefined when there are none. */
export function median(values) {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

function isMet({ least = -Infinity, most = Infinity, below = Infinity }, value) {
  // A figure that is not a number was not measured, and does not pass.
  return Number.isFinite(value) && value >= least && value <= most && value < below;
}

const wordOf = ({ least, most, below }) => (least !== undefined ? `>= ${least}` : most !== undefined ? `<= ${most}` : `< ${below}`);

/** Names of the figures that miss their target. */
export const missed = (figures) => Object.keys(figures).filter((name) => !isMet(musts[name], figures[name]));

const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "–");

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
  return rows.map((row) => line(row).join("  ").trimEnd()).join("\n");
}

/** The contestants of a lane side by side, each as its rounds' median; the first is the ruler of the others. */
export function laneTable(lane, rounds) {
  const [ruler] = Object.keys(rounds[0][lane]);
  const head = [lane, "requests/s", `÷ ${ruler}`, "p50 ms", `- ${ruler}`, "p99 ms", "CPU ms/req", "database CPU", "others' share"];
  const rows = Object.keys(rounds[0][lane]).map((name) => {
    const of = (read) => median(rounds.map((round) => read(round[lane][name], round[lane][ruler])));
    return [
      name,
      fixed(
        of(({ perSecond }) => perSecond),
        0,
      ),
      fixed(
        of((one, first) => one.perSecond / first.perSecond),
        2,
      ),
      fixed(
        of(({ p50Ms }) => p50Ms),
        2,
      ),
      fixed(
        of((one, first) => one.p50Ms - first.p50Ms),
        2,
      ),
      fixed(
        of(({ p99Ms }) => p99Ms),
        2,
      ),
      fixed(
        of(({ cpuMsPerRequest }) => cpuMsPerRequest),
        3,
      ),
      fixed(
        of(({ databaseCpuMsPerRequest }) => databaseCpuMsPerRequest),
        3,
      ),
      `${fixed(of(({ others }) => others) * 100, 0)} %`,
    ];
  });
  return table([head, ...rows]);
}

/** The figures beside their targets. */
export function figureTable(figures) {
  const rows = Object.entries(figures).map(([name, value]) => {
    const must = musts[name];
    const hasTarget = Object.keys(must).length > 0;
    return [name, fixed(value, 3), hasTarget ? wordOf(must) : "", isMet(must, value) ? (hasTarget ? "met" : "") : "MISSED"];
  });
  return table([["figure", "value", "must", ""], ...rows]);
}
