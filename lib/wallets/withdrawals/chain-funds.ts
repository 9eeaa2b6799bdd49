// How much can leave on a chain, from the newest known reserve report. It is advice when an order is created, so that customers do not
// order withdrawals that would wait for funds forever; the chain itself decides when a payout is signed.

import { type ChainId, perChain } from "@/lib/base/chains";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

export type ChainFunds = Readonly<Record<ChainId, NanoUsd | null>>;

/**
 * nano-USD per chain: holdings in the report, plus arrivals since, less open withdrawals, less withdrawals paid since. Null without a
 * report: then nothing is restricted.
 */
export async function readChainFunds(): Promise<ChainFunds> {
  // Raw SQL: sums over four tables in one snapshot.
  const rows = await prisma().$queryRaw<{ chain: ChainId; left: bigint }[]>`
    SELECT h.chain, greatest(0, h.treasury + h.at_addresses
       + coalesce((SELECT sum(d.amount) FROM deposit d WHERE d.chain = h.chain AND d.finalized AND d.block > h.height), 0)
       + ledger_arrived_above(h.chain || '_chain', h.height)
       - coalesce((SELECT sum(w.amount) FROM withdrawal w WHERE w.chain = h.chain AND w.ended_at IS NULL), 0)
       -- An order is open for at most a week, plus the time its chain takes.
       - coalesce((SELECT sum(w.amount) FROM withdrawal w
           WHERE w.chain = h.chain AND w.state = 'final' AND w.requested_at > newest.at - interval '9 days' AND w.ended_at > newest.at), 0)
       )::bigint AS left
     FROM (SELECT r.id, r.at FROM reserve_report r WHERE r.state <> 'unknown' ORDER BY r.id DESC LIMIT 1) AS newest
     JOIN reserve_holding h ON h.report_id = newest.id`;
  const leftOn = (chain: ChainId): NanoUsd | null => {
    const row = rows.find((one) => one.chain === chain);
    return row ? nanoUsd(row.left) : null;
  };
  return perChain(leftOn);
}
