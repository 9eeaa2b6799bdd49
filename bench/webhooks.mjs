// Webhooks: how soon one process delivers 10,000 events a minute to 100 endpoints, of which one hangs and one answers 500, and how soon a
// credited deposit is received. Receivers and events are a program's, the delivering process is its child, and PostgreSQL writes to a disk.

import { runOnEmpty } from "./chains.mjs";

export async function benchWebhooks(room, context) {
  const { volume, deposits } = await runOnEmpty(room, context, "webhooks-load", {}, [
    String(context.pace.webhookSeconds),
    String(context.pace.deposits),
  ]);
  context.say(
    `${volume.received} of ${volume.sent} events in ${volume.seconds.toFixed(0)} s received by ${volume.endpoints} endpoints: p50 ` +
      `${volume.p50Ms.toFixed(0)} ms, p95 ${volume.p95Ms.toFixed(0)} ms, last ${volume.maxMs.toFixed(0)} ms, ${volume.repeated} twice; ` +
      `the process took ${(volume.cpuShare * 100).toFixed(0)} % of a core`,
  );
  context.say(`deposit credited to received: p50 ${deposits.p50Ms.toFixed(0)} ms, p95 ${deposits.p95Ms.toFixed(0)} ms`);
  return {
    figures: {
      webhooks_10000_a_minute_p95_s: volume.p95Ms / 1_000,
      webhooks_received_ratio: volume.received / volume.sent,
      credited_to_webhook_p95_s: deposits.p95Ms / 1_000,
    },
    raw: { volume, deposits },
  };
}
