// Each key's spending and holds in the period that its cap counts, and its recent charges. Both come from rows that the ledger wrote
// together with the charges.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";
import { readChargeMark } from "./roll-up";
import { firstIdSince, inSnapshot } from "./usage";

/** A key with the period that its cap counts now. */
export interface KeyPeriod {
  keyId: KeyId;
  period: string;
  periodStart: Date;
}

/** Nano-USD of one period; a hold must fit into the cap together with both. */
export interface PeriodSpend {
  spent: NanoUsd;
  held: NanoUsd;
}

/** Each key's spending and holds in its period; a key with neither is not in the map. */
export async function readPeriodSpend(periods: readonly KeyPeriod[]): Promise<Map<KeyId, PeriodSpend>> {
  const wanted = periods.map(({ keyId, period, periodStart }) => ({ keyId, period, periodStart }));
  const rows = await prisma().keySpend.findMany({
    where: { OR: wanted, NOT: { spent: 0, held: 0 } },
    select: { keyId: true, spent: true, held: true },
  });
  return new Map(rows.map(({ keyId, spent, held }) => [keyId as KeyId, { spent: nanoUsd(spent), held: nanoUsd(held) }]));
}

/**
 * The charges of each of these keys of the account since `since`, in nano-USD; a key without such a charge is not in the map. Reads only
 * the account's charges since then: an account may have many years of older ones.
 */
export async function sumKeyCharges(accountId: AccountId, keyIds: readonly KeyId[], since: Date): Promise<Map<KeyId, NanoUsd>> {
  const sums = await inSnapshot((snapshot) =>
    snapshot.charge.groupBy({
      by: ["keyId"],
      where: { accountId, requestId: { gte: firstIdSince(since.getTime()) }, at: { gte: since }, keyId: { in: [...keyIds] } },
      _sum: { inputCost: true, outputCost: true },
    }),
  );
  return new Map(sums.map(({ keyId, _sum }) => [keyId as KeyId, paid(_sum)]));
}

/** Nano-USD of summed charges. */
const paid = ({ inputCost, outputCost }: Record<"inputCost" | "outputCost", bigint | null>): NanoUsd =>
  nanoUsd((inputCost ?? 0n) + (outputCost ?? 0n));

/** The sum of a key's charges since the start of a period, up to a charge. */
export interface CountedSpend {
  periodStart: Date;
  spent: NanoUsd;
  /** The sequence number of that charge. */
  upTo: bigint;
}

/** Sums the spending of a key since its period began, without a lock: for an account with a million charges that takes a second. */
export async function countKeySpend(accountId: AccountId, { keyId, periodStart }: Omit<KeyPeriod, "period">): Promise<CountedSpend> {
  const upTo = await readChargeMark();
  const { _sum } = await prisma().charge.aggregate({
    where: {
      accountId,
      keyId,
      at: { gte: periodStart },
      seq: { lte: upTo },
      requestId: { gte: firstIdSince(periodStart.getTime()) },
    },
    _sum: { inputCost: true, outputCost: true },
  });
  return { periodStart, spent: paid(_sum), upTo };
}
