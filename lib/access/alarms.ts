// The alarm of a key: how far above its usual spend of an hour its owner is told, and whether it is paused then.

import { now } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, parseUsd, ZERO_USD } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

export interface KeyAlarm {
  /** How many times its usual spend. */
  factor: number;
  /** Never for less than this in an hour, nano-USD. */
  above: NanoUsd;
  pauses: boolean;
}

/** New accounts have no past: only large spend raises an alarm, and it never pauses the key. */
const NEW_ACCOUNT_ABOVE = parseUsd("10");

/** A key's spending in the last 60 minutes, and the medians of this hour of the week; null for a key, or an account, without a past. */
interface SpendOfHour {
  spent: NanoUsd;
  usualOfKey: NanoUsd | null;
  usualOfAccount: NanoUsd | null;
}

export interface Spike {
  /** The usual spending of the key in such an hour, or else of its account; zero for a new account. */
  usual: NanoUsd;
  /** False for a new account. */
  mayPause: boolean;
}

/** Whether this is a spike; null when it is not. */
export function judgeSpend({ spent, usualOfKey, usualOfAccount }: SpendOfHour, { factor, above }: KeyAlarm): Spike | null {
  const usual = usualOfKey ?? usualOfAccount;
  if (usual === null) {
    const line = above > NEW_ACCOUNT_ABOVE ? above : NEW_ACCOUNT_ABOVE;
    return spent > line ? { usual: ZERO_USD, mayPause: false } : null;
  }
  return spent > above && spent > usual * BigInt(factor) ? { usual, mayPause: true } : null;
}

/** The alarms of those keys that are active, have one, and are not muted. */
export async function findAlarms(keyIds: readonly KeyId[]): Promise<Map<KeyId, KeyAlarm>> {
  if (keyIds.length === 0) return new Map();
  const rows = await prisma().apiKey.findMany({
    where: {
      id: { in: [...keyIds] },
      state: "active",
      alarmFactor: { not: null },
      OR: [{ alarmMutedUntil: null }, { alarmMutedUntil: { lte: now() } }],
    },
    select: { id: true, alarmFactor: true, alarmAbove: true, alarmPauses: true },
  });
  return new Map(
    rows.flatMap(({ id, alarmFactor: factor, alarmAbove, alarmPauses: pauses }) =>
      factor === null ? [] : [[id as KeyId, { factor, above: nanoUsd(alarmAbove), pauses }]],
    ),
  );
}

export const alarmColumns = (alarm: KeyAlarm | null) =>
  alarm ? { alarmFactor: alarm.factor, alarmAbove: alarm.above, alarmPauses: alarm.pauses } : { alarmFactor: null };
