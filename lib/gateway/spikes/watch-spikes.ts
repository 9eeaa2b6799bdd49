// The alarm of a key that spends far more than usual: within seconds of the charges, once an hour, and with a pause if its owner wants one.

import { findAlarms, judgeSpend, type Spike } from "@/lib/access/alarms";
import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { prisma } from "@/lib/db/prisma";
import { type HourSpend, readHourSpend, sumSpend } from "@/lib/ledger/spend-sums";

/** Sums the charges since the last run, and raises the alarms of the charged keys. A job runs it. */
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
