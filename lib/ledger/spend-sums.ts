// The spending of keys by minute and by hour, summed by a job behind the charges, and the usual spending of each key. Minutes are kept for
// two hours, hours for five weeks.

import { dateOf, HOUR_MS, now } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";
import { readChargeMark } from "./roll-up";

/** Sequence numbers per statement. */
const SLICE = 50_000n;

/** Sums everything committed so far. Returns the keys that were charged since the last call, here or in another process. */
export async function sumSpend(): Promise<KeyId[]> {
  const mark = await readChargeMark();
  const charged = new Set<KeyId>();
  for (let reached = -1n; reached < mark; ) {
    const [row] = await prisma().$queryRaw<{ summed: bigint; keys: KeyId[] | null }[]>`
      SELECT summed, keys FROM ledger_sum_spend(${mark}::bigint, ${SLICE}::bigint, ${now()}::timestamptz)`;
    for (const key of row?.keys ?? []) charged.add(key);
    reached = row?.summed ?? mark;
  }
  return [...charged];
}

export interface HourSpend {
  keyId: KeyId;
  accountId: AccountId;
  /** In the last 60 minutes, nano-USD. */
  spent: NanoUsd;
  /** The median of what the key spent in this hour of the week; null for a key without a past. */
  usualOfKey: NanoUsd | null;
  /** The same of its account. */
  usualOfAccount: NanoUsd | null;
}

/** The spending of these keys in the last 60 minutes, and the usual; a key that spent nothing is absent. */
export async function readHourSpend(keyIds: readonly KeyId[]): Promise<HourSpend[]> {
  if (keyIds.length === 0) return [];
  const rows = await prisma().$queryRaw<
    { key_id: KeyId; account_id: AccountId; spent: bigint; of_key: bigint[]; of_account: bigint[] }[]
  >`SELECT * FROM ledger_spend_of_hour(${keyIds}::text[], ${now()}::timestamptz)`;
  return rows.map((row) => ({
    keyId: row.key_id,
    accountId: row.account_id,
    spent: nanoUsd(row.spent),
    usualOfKey: medianOf(row.of_key),
    usualOfAccount: medianOf(row.of_account),
  }));
}

/** The middle one; of an even number the higher of both, which raises fewer alarms. Null without any. */
function medianOf(amounts: readonly bigint[]): NanoUsd | null {
  const sorted = amounts.map(BigInt).sort((one, other) => (one < other ? -1 : 1));
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : nanoUsd(middle);
}

/** Deletes sums that nobody needs any more. A job runs it. */
export async function deleteOldSums(): Promise<void> {
  const before = (hours: number) => dateOf(now().getTime() - hours * HOUR_MS);
  await prisma().spendSum.deleteMany({
    where: {
      OR: [
        { width: "minute", start: { lt: before(2) } },
        { width: "hour", start: { lt: before(36 * 24) } },
      ],
    },
  });
}
