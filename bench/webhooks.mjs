// Webhooks: how soon one process delivers 10,000 events a minute to 100 endpoints, of which one hangs and one answers 500. Receivers and
// events are a program's, the delivering process is its child, and PostgreSQL writes to a disk.

import { openDirectory, runProgram } from "./service.mjs";

export async function benchWebhooks(bench) {
  const settings = { DATA_DIR: openDirectory(bench, "webhooks") };
  const volume = await runProgram(bench, { name: "webhooks-load", args: [String(bench.pace.webhookSeconds)], settings });
  const { received, sent, p50Ms, p95Ms, maxMs, repeated } = volume;
  bench.say(`${received} of ${sent} received: p50 ${p50Ms} ms, p95 ${p95Ms} ms, last ${maxMs} ms, ${repeated} twice`);
  return { figures: { webhooks_10000_a_minute_p95_s: p95Ms / 1_000, webhooks_received_ratio: received / sent }, raw: volume };
}
