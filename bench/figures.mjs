// The figures: their targets, how they are judged and shown.

/** `least`: at least this; `most`: at most this; `below`: less than this. */
export const musts = {
  throughput_vs_portkey: { least: 6 },
  hot_wallet_vs_portkey: { least: 4 },
  throughput_vs_raw: { least: 0.28 },
  added_p50_vs_portkey: { most: 1.15 },
  added_p50_in_turn_vs_portkey: { most: 1.15 },
  chat_vs_prompt: { least: 0.9 },
  messages_vs_prompt: { least: 0.9 },
  responses_vs_prompt: { least: 0.9 },
  refused_p95_ratio: { most: 1.5 },
  two_processes_added_p50_ratio: { most: 1.1 },
  stream_added_ttft_ms: { most: 2 },
  big_ledger_ratio: { least: 0.9 },
  rss_mb: { below: 430 },
  streams_1000_rss_mb: { below: 400 },
  start_s: { below: 8 },
  scan_200_blocks_10000_addresses_s: { below: 2 },
  safe_to_credited_base_p95_s: { most: 3 },
  safe_to_credited_solana_p95_s: { most: 3 },
  new_address_ms_at_100000: { below: 50 },
  proof_to_settled_p50_ms: { most: 60 },
  x402_verify_settle_p50_ms: { most: 80 },
  payers_at_once_served_ratio: { least: 1 },
  webhooks_10000_a_minute_p95_s: { most: 2 },
  webhooks_received_ratio: { least: 1 },
  credited_to_webhook_p95_s: { most: 2 },
};

/** The middle of these numbers; undefined when there are none. */
export function median(values) {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  if (known.length === 0) return undefined;
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

function isMet({ least, most, below }, value) {
  // A figure that is not a number was not measured, and does not pass.
  if (!Number.isFinite(value)) return false;
  return (least === undefined || value >= least) && (most === undefined || value <= most) && (below === undefined || value < below);
}

const wordOf = ({ least, most, below }) => (least !== undefined ? `>= ${least}` : most !== undefined ? `<= ${most}` : `< ${below}`);

/** Names of the figures that miss their target. */
export const missed = (figures) => Object.keys(figures).filter((name) => musts[name] && !isMet(musts[name], figures[name]));

const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "–");

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The contestants side by side. */
export function contestantTable(contestants) {
  const head = [
    "64 connections",
    "requests/s",
    "p50 ms",
    "p99 ms",
    "CPU ms/req",
    "database CPU",
    "RSS MB",
    "p50 alone ms",
    "others' share",
  ];
  const rows = Object.entries(contestants).map(([name, one]) => [
    name,
    fixed(one.perSecond, 0),
    fixed(one.p50Ms, 2),
    fixed(one.p99Ms, 2),
    fixed(one.cpuMsPerRequest, 3),
    fixed(one.databaseCpuMsPerRequest, 3),
    fixed(one.rssMb, 0),
    fixed(one.p50AloneMs, 3),
    `${fixed(one.others * 100, 0)} %`,
  ]);
  return table([head, ...rows]);
}

/** The figures beside their targets. */
export function figureTable(figures) {
  const rows = Object.entries(figures).map(([name, value]) => {
    const must = musts[name];
    return [name, fixed(value, 3), must ? wordOf(must) : "", must ? (isMet(must, value) ? "met" : "MISSED") : ""];
  });
  return table([["figure", "value", "must", ""], ...rows]);
}
