// Transfers that are no request: money in, money out. Each is named by what caused it and is posted once, however often
// it is tried.

import type { PoolClient } from "pg";
import { now } from "@/lib/base/clock";
import type { NanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";

interface Transfer {
  /** The idempotency key of its cause, such as a deposit's place on its chain. */
  id: string;
  kind: "credit" | "reversal" | "refund";
  /** What each account gains (negative: loses), in nano-USD; sums to zero. */
  legs: readonly { account: string; amount: NanoUsd }[];
}

/**
 * Posts a transfer. Returns false, and changes nothing, when it was posted before.
 * @throws Error when the legs do not sum to zero, name an unknown account, or would take a customer below zero
 */
export async function postTransfer(transfer: Transfer, client: Pick<PoolClient, "query"> = pool()): Promise<boolean> {
  const legs = transfer.legs.map(({ account, amount }) => ({ account, amount: amount.toString() }));
  const { rows } = await client.query<{ posted: boolean }>("SELECT ledger_post($1, $2, $3, $4) AS posted", [
    transfer.id,
    transfer.kind,
    JSON.stringify(legs),
    now(),
  ]);
  return rows[0]?.posted === true;
}
