// Every price that was ever charged, named by the hash of its content. A charge names its price version, so a receipt can
// be recomputed for ever.

import { now } from "@/lib/base/clock";
import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";

interface PriceVersion {
  id: string;
  model: string;
  /** Nano-USD per token. */
  inputPrice: NanoUsd;
  outputPrice: NanoUsd;
}

/** Records prices before the first charge at them; those already known stay as they are. */
export async function recordPriceVersions(versions: readonly PriceVersion[]): Promise<void> {
  await pool().query(
    `INSERT INTO price_version (id, model, input_price, output_price, recorded_at)
     SELECT v.id, v.model, v.input_price, v.output_price, $5
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v(id, model, input_price, output_price)
     ORDER BY v.id -- two releases that start side by side list them differently, and would wait for each other for ever
     ON CONFLICT (id) DO NOTHING`,
    [
      versions.map((v) => v.id),
      versions.map((v) => v.model),
      versions.map((v) => v.inputPrice.toString()),
      versions.map((v) => v.outputPrice.toString()),
      now(),
    ],
  );
}
