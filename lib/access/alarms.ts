// The alarm of a key: how far above its usual spend of an hour its owner is told, and whether it is paused then.

import { now } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";

export interface KeyAlarm {
  /** How many times its usual spend. */
  factor: number;
  /** Never for less than this in an hour, nano-USD. */
  above: NanoUsd;
  pauses: boolean;
}

/** The alarms of those keys that are active, have one, and are not muted. */
export async function findAlarms(keyIds: readonly KeyId[]): Promise<Map<KeyId, KeyAlarm>> {
  if (keyIds.length === 0) return new Map();
  const rows = await prisma().apiKey.findMany({
    where: {
      ...{ id: { in: [...keyIds] }, state: "active", alarmFactor: { not: null } },
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

/** Sets a key's alarm; null: none. False when the account has no such key, or the key is revoked. */
export async function setKeyAlarm(accountId: AccountId, keyId: KeyId, alarm: KeyAlarm | null): Promise<boolean> {
  const { count } = await prisma().apiKey.updateMany({
    where: { accountId, id: keyId, state: { not: "revoked" } },
    data: alarm ? { alarmFactor: alarm.factor, alarmAbove: alarm.above, alarmPauses: alarm.pauses } : { alarmFactor: null },
  });
  return count === 1;
}
