// Transfers that belong to no request: money in, money out. Each is named by its cause and is posted once, however often it is tried.

import { now } from "@/lib/base/clock";
import type { NanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

interface Transfer {
  /** The idempotency key of its cause, such as a deposit's place on its chain. */
  id: string;
  kind: "credit" | "reversal" | "refund";
  /** The gain of each account (negative: its loss), in nano-USD; sums to zero. */
  legs: readonly { account: string; amount: NanoUsd }[];
}

/**
 * Posts a transfer in a separate commit, under the locks of the accounts that it names. Returns false, and changes nothing, when it was
 * posted before.
 * @throws Error when the legs do not sum to zero, name an unknown account, or would take a customer below zero
 */
export async function postTransfer({ id, kind, legs }: Transfer): Promise<boolean> {
  const json = JSON.stringify(legs.map(({ account, amount }) => ({ account, amount: amount.toString() })));
  const rows = await prisma().$queryRaw<
    { posted: boolean }[]
  >`SELECT ledger_post(${id}, ${kind}, ${json}::json, ${now()}::timestamptz) AS posted`;
  return rows[0]?.posted === true;
}
