// An owner's keys as a list shows them: never the key itself, and never another account's key.

import { now } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { type Database, type Prisma, prisma } from "@/lib/db/prisma";
import type { KeyAlarm } from "./alarms";
import { capPeriodEnd, capPeriodStart } from "./cap-period";
import type { KeyScope } from "./find-key";
import type { CapPeriod } from "./keys";

/** The state by which a call with the key would be judged now; a paused key that has also expired is expired. */
export type KeyState = "active" | "paused" | "expired" | "revoked";

export interface KeyLine {
  keyId: KeyId;
  name: string;
  prefix: string;
  last4: string;
  state: KeyState;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** A null `periodEnd`: the cap never resets. */
  cap: { nanoUsd: NanoUsd; period: CapPeriod; periodStart: Date; periodEnd: Date | null } | null;
  /** Null: every model. */
  allowedModels: readonly string[] | null;
  /** Down to how many tokens output limits are lowered to fit balance and cap; null: not at all. */
  clipMinTokens: number | null;
  /** Null: none. */
  alarm: KeyAlarm | null;
  scopes: readonly KeyScope[];
  /** In CIDR form; empty: any. */
  networks: readonly string[];
  /** The secret before the last rotation, while it still works. */
  oldSecret: { last4: string; until: Date } | null;
}

/** The account's keys that are not revoked, the newest first. */
export async function listLiveKeys(accountId: AccountId): Promise<KeyLine[]> {
  const rows = await prisma().apiKey.findMany({
    where: { accountId, state: { not: "revoked" } },
    orderBy: { id: "desc" },
    select: columns,
  });
  const at = now();
  return rows.map((row) => readRow(row, at));
}

/** Null when the account has no such key, or it is revoked. */
export async function findLiveKey(accountId: AccountId, keyId: KeyId, database: Database): Promise<KeyLine | null> {
  const row = await database.apiKey.findFirst({ where: { id: keyId, accountId, state: { not: "revoked" } }, select: columns });
  return row && readRow(row, now());
}

/** Revoked keys, the newest first, from after the key `before`. Returns one more than `limit` when there is another page. */
export async function listRevokedKeys(accountId: AccountId, limit: number, before: string | null): Promise<KeyLine[]> {
  const rows = await prisma().apiKey.findMany({
    where: { accountId, state: "revoked", ...(before !== null && { id: { lt: before } }) },
    orderBy: { id: "desc" },
    take: limit + 1,
    select: columns,
  });
  const at = now();
  return rows.map((row) => readRow(row, at));
}

const columns = {
  id: true,
  name: true,
  prefix: true,
  last4: true,
  state: true,
  allowedModels: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
  revokedAt: true,
  capNanoUsd: true,
  capPeriod: true,
  clipMinTokens: true,
  alarmFactor: true,
  alarmAbove: true,
  alarmPauses: true,
  scopes: true,
  networks: true,
  oldLast4: true,
  oldUntil: true,
} satisfies Prisma.ApiKeySelect;

function readRow(
  {
    id,
    state,
    capNanoUsd,
    capPeriod,
    allowedModels,
    alarmFactor,
    alarmAbove,
    alarmPauses,
    oldLast4,
    oldUntil,
    ...line
  }: Prisma.ApiKeyGetPayload<{ select: typeof columns }>,
  at: Date,
): KeyLine {
  const isExpired = state !== "revoked" && line.expiresAt !== null && line.expiresAt <= at;
  return {
    ...line,
    keyId: id as KeyId,
    state: isExpired ? "expired" : (state as KeyState),
    cap: capNanoUsd === null || capPeriod === null ? null : readCap(nanoUsd(capNanoUsd), capPeriod as CapPeriod, at),
    // The column is NULL when every model is allowed, and Prisma reads NULL as an empty list. A key that allows no model does not exist.
    allowedModels: allowedModels.length > 0 ? allowedModels : null,
    scopes: line.scopes as KeyScope[],
    oldSecret: oldLast4 !== null && oldUntil !== null && oldUntil > at ? { last4: oldLast4, until: oldUntil } : null,
    alarm: alarmFactor === null ? null : { factor: alarmFactor, above: nanoUsd(alarmAbove), pauses: alarmPauses },
  };
}

function readCap(cap: NanoUsd, period: CapPeriod, at: Date): KeyLine["cap"] {
  const periodStart = capPeriodStart(period, at);
  return { nanoUsd: cap, period, periodStart, periodEnd: capPeriodEnd(period, periodStart) };
}
