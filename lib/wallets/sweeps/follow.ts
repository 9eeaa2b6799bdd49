// What became of sweeps that were sent: done once their block is final, signed anew once they can never move anything.

import { pool } from "@/lib/db/pool";
import { findRelayed } from "@/lib/relay/relayed";
import { endSweeps, retrySweeps, type SweepChain } from "./sweep";

interface Sent {
  relayedId: string;
  ids: string[];
}

/** One look at all sweeps of `chain` that are on their way. */
export async function followSweeps(chain: SweepChain): Promise<void> {
  const { rows } = await pool().query<Sent>(
    `SELECT relayed_id AS "relayedId", array_agg(id) AS ids FROM sweep WHERE chain = $1 AND state = 'relayed' GROUP BY relayed_id`,
    [chain],
  );
  if (rows.length === 0) return;
  const sweepsOf = new Map(rows.map(({ relayedId, ids }) => [relayedId, ids]));
  for (const { id, state, isFinal, block } of await findRelayed([...sweepsOf.keys()])) {
    if (!isFinal) continue;
    if (state === "succeeded" && block !== null) await endSweeps(chain, sweepsOf.get(id) ?? [], block);
    if (state === "failed" || state === "lost") await retrySweeps(id, state);
  }
}
