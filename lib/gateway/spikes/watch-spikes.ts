// The alarm of a key that spends far more than usual: within seconds of the charges, once an hour, and with a pause if its owner wants one.

import { findAlarms, type KeyAlarm } from "@/lib/access/alarms";
import { now } from "@/lib/base/clock";
import { type NanoUsd, parseUsd, ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { prisma } from "@/lib/db/prisma";
import { type HourSpend, readHourSpend, sumSpend } from "@/lib/ledger/spend-sums";

/** Nothing is known of a new account: only much money is an alarm, and no reason to pause. */
const NEW_ACCOUNT_ABOVE = parseUsd("10");

export interface Spike {
  /** What the key usually spends in such an hour, or its account; zero for a new one. */
  usual: NanoUsd;
  /** False for a new account. */
  mayPause: boolean;
}

/** Whether this is a spike; null when it is not. */
export function judgeSpend({ spent, usualOfKey, usualOfAccount }: HourSpend, { factor, above }: KeyAlarm): Spike | null {
  const usual = usualOfKey ?? usualOfAccount;
  if (usual === null) {
    const line = above > NEW_ACCOUNT_ABOVE ? above : NEW_ACCOUNT_ABOVE;
    return spent > line ? { usual: ZERO_USD, mayPause: false } : null;
  }
  return spent > above && spent > usual * BigInt(factor) ? { usual, mayPause: true } : null;
}

/** Sums what was charged since, and raises the alarms of the keys that were. A job runs it. */
export async function watchSpikes(): Promise<void> {
  const charged = await sumSpend();
  const alarms = await findAlarms(charged);
  for (const spend of await readHourSpend([...alarms.keys()])) {
    const alarm = alarms.get(spend.keyId);
    const spike = alarm && judgeSpend(spend, alarm);
    if (spike) await raise(spend, spike);
  }
}

async function raise({ accountId, keyId, spent }: HourSpend, { usual, mayPause }: Spike): Promise<void> {
  const [row] = await prisma().$queryRaw<{ outcome: "raised" | "paused" | null }[]>`
    SELECT gateway_raise_spike(${accountId}, ${keyId}, ${spent}::bigint, ${usual}::bigint, ${mayPause}, ${now()}::timestamptz) AS outcome`;
  if (row?.outcome) log().warn({ accountId, keyId, outcome: row.outcome }, "a key spent far more than usual");
}
