// Sign-ups: accounts that are opened by a first sign-in. Each takes deposit addresses, and they cost nothing, so one network opens only so
// many in a day. All networks together have no limit, which anybody could use up for everybody: their rate is an alarm for the operator.

import { DAY_MS, HOUR_MS, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { lockName, prisma, type Transaction } from "@/lib/db/prisma";
import { siteOf } from "./client-address";

const LIVE_PER_DAY = 50;
/** All of a sandbox's people are on one machine, and so are its tests. */
const SANDBOX_PER_DAY = 100_000;

const perDay = (): number => config().SIGN_UPS_PER_NETWORK_A_DAY ?? (config().MODE === "live" ? LIVE_PER_DAY : SANDBOX_PER_DAY);

/**
 * Counts a sign-up in its transaction, so that one which opens nothing does not count. Returns the wait in milliseconds when the client's
 * network has opened its accounts of 24 hours.
 */
export async function countSignUp(clientAddress: string, transaction: Transaction): Promise<{ retryAfterMs: number } | null> {
  const network = siteOf(clientAddress);
  await lockName(`sign-ups of ${network}`, transaction);
  const at = nowMs();
  const where = { network, at: { gt: new Date(at - DAY_MS) } };
  const { _count: count, _min: oldest } = await transaction.signUp.aggregate({ where, _count: true, _min: { at: true } });
  if (count >= perDay()) {
    metrics().limited.inc({ limit: "sign_ups" });
    return { retryAfterMs: (oldest.at?.getTime() ?? at) + DAY_MS - at };
  }
  await transaction.signUp.create({ data: { network, at: new Date(at) } });
  return null;
}

/** Forgets the networks of sign-ups that are older than a day. A job runs it. */
export const deleteOldSignUps = async (): Promise<void> =>
  void (await prisma().signUp.deleteMany({ where: { at: { lte: new Date(nowMs() - DAY_MS) } } }));

const READ_EVERY_MS = 5_000;
const rate = processSingleton("sign-up rate", () => ({ readAtMs: Number.NEGATIVE_INFINITY, isUsual: true }));

/**
 * False while the sign-ups of the last hour are more than SIGN_UP_ALARM_PER_HOUR; at most some seconds old. Logged once, when it begins.
 */
export async function areSignUpsUsual(): Promise<boolean> {
  const known = rate();
  if (nowMs() - known.readAtMs < READ_EVERY_MS) return known.isUsual;
  known.readAtMs = nowMs();
  const { SIGN_UP_ALARM_PER_HOUR: alarmAbove } = config();
  const inAnHour = await prisma().signUp.count({ where: { at: { gt: new Date(nowMs() - HOUR_MS) } } });
  metrics().signUpsInAnHour.set(inAnHour);
  const isUsual = inAnHour <= alarmAbove;
  if (known.isUsual && !isUsual) log().warn({ inAnHour, alarmAbove }, "unusually many accounts are being opened");
  known.isUsual = isUsual;
  return isUsual;
}
