// Payments sent with a request: how long one takes from the signature to the money on the books, and whether fifty payers at once are
// all served. It uses the service that `npm start` runs, its own chain, which makes a block for each transaction, and PostgreSQL on a
// disk; the model answers at once.

import { join } from "node:path";
import { chainsOf, runProgram } from "./chains.mjs";
import { deleteSandbox, seedSandbox, startService } from "./service.mjs";

export async function benchPayments(room, context) {
  const dataDir = join(context.cache, `payments-${process.pid}`);
  room.onClose(() => deleteSandbox(dataDir));
  await seedSandbox(dataDir, { charges: 10, ...context });
  // All payers share one client address, whose rate limit is raised; the limit of concurrent requests stays.
  const service = await startService(room, { dataDir, ...context, settings: { RATE_LIMIT_PER_MINUTE: "100000" } });
  await chainsOf(service, dataDir);
  const paid = await runProgram(room, context, {
    name: "payments-load",
    args: [service.origin, String(context.pace.payments)],
    settings: { DATA_DIR: dataDir },
  });
  for (const way of ["proof", "x402"]) {
    const { alone, crowd } = paid[way];
    context.say(
      `${way}: ${alone.count} one after the other, p50 ${alone.p50Ms.toFixed(1)} ms, p95 ${alone.p95Ms.toFixed(1)} ms; ` +
        `${crowd.served} of ${crowd.payers} payers at once served within ${crowd.lastMs.toFixed(0)} ms`,
    );
  }
  await service.stop();
  return {
    figures: {
      proof_to_settled_p50_ms: paid.proof.alone.p50Ms,
      x402_verify_settle_p50_ms: paid.x402.alone.p50Ms,
      payers_at_once_served_ratio: Math.min(...["proof", "x402"].map((way) => paid[way].crowd.served / paid[way].crowd.payers)),
    },
    raw: paid,
  };
}
