// Payments sent with a request: how long one takes from the signature to the money on the books, and whether fifty payers at once are
// all served. It uses the service that `npm start` runs, its own chain, which makes a block for each transaction, and PostgreSQL on a
// disk; the model answers at once.

import { startWithChains } from "./chains.mjs";
import { runProgram } from "./service.mjs";

export async function benchPayments(bench) {
  // All payers share one client address, whose rate limit is raised; the limit of concurrent requests stays.
  const service = await startWithChains(bench, { settings: { RATE_LIMIT_PER_MINUTE: "100000" } });
  const args = [service.origin, String(bench.pace.payments)];
  const { proof, x402 } = await runProgram(bench, { name: "payments-load", args, settings: { DATA_DIR: service.dataDir } });
  for (const [way, { alone, crowd }] of Object.entries({ proof, x402 })) {
    bench.say(
      `${way}: p50 ${alone.p50Ms.toFixed(1)} ms, p95 ${alone.p95Ms.toFixed(1)} ms; ${crowd.served} of ${crowd.payers} at once served`,
    );
    if (crowd.refused) bench.say(crowd.refused);
  }
  return {
    figures: {
      proof_to_settled_p50_ms: proof.alone.p50Ms,
      x402_verify_settle_p50_ms: x402.alone.p50Ms,
      payers_at_once_served_ratio: Math.min(...[proof, x402].map(({ crowd }) => crowd.served / crowd.payers)),
    },
    raw: { proof, x402 },
  };
}
