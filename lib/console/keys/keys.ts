// The owner's API keys: listing, creating and changing them. Every function takes the owner, and another account's key counts as
// missing.

import { isDeepStrictEqual } from "node:util";
import { lockAccount } from "@/lib/access/accounts";
import { alarmColumns, judgeSpend, type KeyAlarm } from "@/lib/access/alarms";
import { capPeriodStart } from "@/lib/access/cap-period";
import { endOldSecret, type KeyAccess, type Overlap, rotateKey } from "@/lib/access/key-access";
import { writeKeyUses } from "@/lib/access/key-cache";
import { findLiveKey, type KeyLine, listLiveKeys, listRevokedKeys } from "@/lib/access/key-list";
import {
  countKeysSince,
  countLiveKeys,
  createKey,
  findUnsignedCap,
  type KeyLimits,
  lockKey,
  renameKey,
  type SpendCap,
  setKeyState,
  setUnsignedCap,
  sumUnsignedCaps,
} from "@/lib/access/keys";
import { isSessionOpen } from "@/lib/access/sessions";
import { DAY_MS, dateOf, now, nowMs } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { inTransaction, type Transaction } from "@/lib/db/prisma";
import { countKeySpend, type KeyPeriod, readPeriodSpend, sumKeyCharges } from "@/lib/ledger/key-spend";
import { type HourSpend, readHourSpend } from "@/lib/ledger/spend-sums";
import { frozenRefusal, refuse } from "../answer";
import type { Owner } from "../owner";
import type { Answer } from "../views/answer";
import type { OwnKey } from "../views/keys";

/** The maximum number of unrevoked keys of an account. */
const MAX_KEYS = 100;
/** Within 24 hours: a revoked key's row is kept. */
const MOST_MADE_A_DAY = 200;
const PAGE_ROWS = 20;
/** The spend of a key without a cap covers this many days. */
const SPENT_DAYS = 30;

/** The owner's unrevoked keys, newest first. */
export async function listOwnKeys({ accountId }: Owner): Promise<OwnKey[]> {
  // A job records key uses only every few seconds; an owner who has just made a call must not read "never" here.
  await writeKeyUses();
  return withSpend(accountId, await listLiveKeys(accountId));
}

/** A page of the owner's revoked keys; `older` is the cursor of the next page, null at the end. */
export async function listOwnRevokedKeys({ accountId }: Owner, before: string | null): Promise<{ keys: OwnKey[]; older: KeyId | null }> {
  const lines = await listRevokedKeys(accountId, PAGE_ROWS, before);
  // A revoked key's cap no longer applies.
  const page = lines.slice(0, PAGE_ROWS).map((line) => ({ ...line, cap: null }));
  const keys = await withSpend(accountId, page);
  return { keys, older: lines.length > PAGE_ROWS ? (keys.at(-1)?.keyId ?? null) : null };
}

async function withSpend(accountId: Owner["accountId"], lines: readonly KeyLine[]): Promise<OwnKey[]> {
  const periods = lines.flatMap(({ keyId, cap }): KeyPeriod[] => (cap ? [{ keyId, ...cap }] : []));
  const since = new Date(nowMs() - SPENT_DAYS * DAY_MS);
  // A call under way when its key was revoked was charged within the hour.
  const uncapped = lines.filter(({ cap, revokedAt }) => !cap && !(revokedAt && revokedAt.getTime() < since.getTime() - DAY_MS));
  const uncappedIds = uncapped.map(({ keyId }) => keyId);
  const [inPeriod, lately, inHour] = await Promise.all([
    readPeriodSpend(periods),
    sumKeyCharges(accountId, uncappedIds, since),
    readHourSpend(lines.flatMap(({ keyId, revokedAt }) => (revokedAt ? [] : [keyId]))),
  ]);
  const hours = new Map(inHour.map((hour) => [hour.keyId, hour]));
  return lines.map(({ cap, allowedModels, ...line }) => ({
    ...line,
    ...hourOf(hours.get(line.keyId), line.alarm),
    cap: cap && { nanoUsd: cap.nanoUsd, period: cap.period, resetsAt: cap.periodEnd },
    spent: (cap ? inPeriod.get(line.keyId)?.spent : lately.get(line.keyId)) ?? ZERO_USD,
    held: inPeriod.get(line.keyId)?.held ?? ZERO_USD,
    models: allowedModels,
  }));
}

function hourOf(hour: HourSpend | undefined, alarm: KeyAlarm | null): Pick<OwnKey, "spentInHour" | "spike"> {
  const spike = hour && alarm && judgeSpend(hour, alarm);
  return { spentInHour: hour?.spent ?? ZERO_USD, spike: hour && spike ? { spent: hour.spent, usual: spike.usual } : null };
}

interface NewKeyWish {
  name: string;
  expiry: Date | null;
  cap: SpendCap | null;
  /** Down to how many tokens output limits are lowered to fit balance and cap; null: not at all. */
  clip: number | null;
  /** Null: none. */
  alarm: KeyAlarm | null;
  models: readonly string[] | null;
  scopes: KeyAccess["scopes"];
  networks: KeyAccess["networks"];
}

/** The most that keys without a signature may spend together, each in its period; beside it the playground has gateway_unconfirmed_cap. */
const MOST_UNSIGNED = nanoUsd(5_000_000_000n);

/** Creates a key. Its text is in this answer and never shown again. */
export async function createOwnKey(owner: Owner, wish: NewKeyWish): Promise<Answer<{ key: string }>> {
  const made = await makeOwnKey(owner, { ...wish, unsigned: false });
  if (made === "needs_signature") throw new Error("assertion failed: a signed key needs no signature");
  return made;
}

/** The same; an unsigned key only if it fits within MOST_UNSIGNED. */
export async function makeOwnKey(
  { accountId, sessionId, isFrozen }: Owner,
  wish: NewKeyWish & { unsigned: boolean },
): Promise<Answer<{ key: string }> | "needs_signature"> {
  if (isFrozen) return frozenRefusal();
  const { name, expiry, cap, clip, alarm, models, scopes, networks, unsigned } = wish;
  const made = await inTransaction(async (transaction) => {
    const live = await countLiveKeys(accountId, transaction);
    // The lock may have been held by a request that ended the sessions, and paused the keys or closed the account.
    if (!(await isSessionOpen(sessionId, transaction))) return "signed_out";
    if (live >= MAX_KEYS) return "too_many";
    if ((await countKeysSince(accountId, dateOf(nowMs() - DAY_MS), transaction)) >= MOST_MADE_A_DAY) return "too_many_today";
    if (unsigned && !(await fitsUnsigned(accountId, null, cap?.nanoUsd ?? 0n, transaction))) return "needs_signature";
    return createKey(
      {
        accountId,
        name,
        clipMinTokens: clip,
        alarm,
        scopes,
        networks,
        unsigned,
        ...(expiry && { expiresAt: expiry }),
        ...(cap && { cap }),
        ...(models && { allowedModels: models }),
      },
      transaction,
    );
  });
  if (made === "needs_signature") return made;
  if (made === "signed_out") return signedOutMeanwhile();
  if (made === "too_many_today") return refuse(`You created ${MOST_MADE_A_DAY} keys in the last 24 hours. Try again later.`);
  if (made === "too_many") return refuse(`You have reached the limit of ${MAX_KEYS} keys. Revoke one you no longer use.`);
  return { ok: true, key: made.key };
}

const fitsUnsigned = async (accountId: AccountId, keyId: KeyId | null, most: bigint, transaction: Transaction): Promise<boolean> =>
  (await sumUnsignedCaps(accountId, keyId, transaction)) + most <= MOST_UNSIGNED;

/** Counts a key's cap among those that no wallet signed for; false, with nothing changed, when they would be too much together. */
export const countUnsigned = (accountId: AccountId, keyId: KeyId, cap: Pick<SpendCap, "nanoUsd"> | null): Promise<boolean> =>
  inTransaction(async (transaction) => {
    await lockAccount(accountId, transaction);
    const [before, after] = [(await findUnsignedCap(accountId, keyId, transaction)) ?? 0n, cap?.nanoUsd ?? 0n];
    const most = before > after ? before : after;
    const fits = await fitsUnsigned(accountId, keyId, most, transaction);
    if (fits) await setUnsignedCap(accountId, keyId, most, transaction);
    return fits;
  });

const signedOutMeanwhile = () => refuse("You have been signed out. Sign in again.");

const noSuchKey = () => refuse("Key not found or revoked. Reload the page.");

const doneOr = (done: boolean): Answer => (done ? { ok: true } : noSuchKey());

export async function renameOwnKey({ accountId, isFrozen }: Owner, { keyId, name }: { keyId: KeyId; name: string }): Promise<Answer> {
  return isFrozen ? frozenRefusal() : doneOr(await renameKey(accountId, keyId, name));
}

/**
 * Pauses, resumes or revokes a key: every process obeys within a second. Revoking is final. A frozen account's keys can be paused and
 * revoked, since they may have leaked and that only removes rights.
 */
export async function setOwnKeyState(
  { accountId, sessionId, isFrozen }: Owner,
  keyId: KeyId,
  state: "active" | "paused" | "revoked",
): Promise<Answer> {
  if (state !== "active") return doneOr(await setKeyState(accountId, keyId, state));
  if (isFrozen) return frozenRefusal();
  const done = await inTransaction(async (transaction) => {
    await lockAccount(accountId, transaction);
    // As for a new key.
    return (await isSessionOpen(sessionId, transaction)) ? setKeyState(accountId, keyId, state, transaction) : "signed_out";
  });
  return done === "signed_out" ? signedOutMeanwhile() : doneOr(done);
}

interface LimitsWish extends Omit<NewKeyWish, "name" | "expiry"> {
  keyId: KeyId;
  expiry: KeyLimits["expiresAt"];
}

/**
 * Replaces a key's limits, in one commit, if they are still those of `before`, on which it was decided whether a signature is needed. A cap
 * with a new period includes what the key has already spent in it.
 */
export async function setOwnKeyLimits({ accountId, isFrozen }: Owner, wish: LimitsWish, before?: KeyLine): Promise<Answer> {
  if (isFrozen) return frozenRefusal();
  const outcome = await limitKey(accountId, wish, before);
  return outcome === "changed"
    ? refuse("This key was changed somewhere else. Reload the page and try again.")
    : doneOr(outcome === "limited");
}

/** Gives a key a new secret, which is in this answer and never shown again. */
export async function rotateOwnKey(
  { accountId, isFrozen }: Owner,
  { keyId, overlap }: { keyId: KeyId; overlap: Overlap },
): Promise<Answer<{ key: string }>> {
  if (isFrozen) return frozenRefusal();
  const key = await rotateKey(accountId, keyId, overlap);
  if (key !== null) return { ok: true, key };
  return overlap === "as_before" ? oldSecretEnded() : noSuchKey();
}

/** Ends the old secret's time; a frozen account may do it, since it only removes rights. */
export async function endOwnOldSecret({ accountId }: Owner, keyId: KeyId): Promise<Answer> {
  return (await endOldSecret(accountId, keyId)) ? { ok: true } : oldSecretEnded();
}

const oldSecretEnded = () => refuse("The old secret has already expired. Reload the page.");

/** Sets the limits in one commit; the key's spend is computed first. */
async function limitKey(accountId: AccountId, wish: LimitsWish, before?: KeyLine): Promise<"limited" | "unknown" | "changed"> {
  const { keyId, expiry, cap, models } = wish;
  const counted = cap && (await countKeySpend(accountId, { keyId, periodStart: capPeriodStart(cap.period, now()) }));
  const outcome = await inTransaction(async (transaction) => {
    await lockKey(accountId, keyId, transaction);
    if (before && !isDeepStrictEqual(powerOf(before), powerOf(await findLiveKey(accountId, keyId, transaction)))) return "changed";
    const [row] = await transaction.$queryRaw<{ outcome: "limited" | "unknown" | "recount" }[]>`
      SELECT console_limit_key(${accountId}, ${keyId}, ${expiry === "keep" ? null : expiry}::timestamptz, ${expiry === "keep"},
        ${cap?.nanoUsd ?? null}::bigint, ${cap?.period ?? null}, ${models}::text[],
        ${counted?.spent ?? null}::bigint, ${counted?.periodStart ?? null}::timestamptz, ${counted?.upTo ?? null}::bigint, ${now()}::timestamptz,
        ${otherColumns(wish)}::jsonb
      ) AS outcome`;
    return row?.outcome ?? "unknown";
  });
  return outcome === "recount" ? limitKey(accountId, wish, before) : outcome;
}

/** The owner's decisions about a key, without the effects of time. */
const powerOf = (key: KeyLine | null) =>
  key && { ...key, state: null, lastUsedAt: null, name: null, oldSecret: null, cap: key.cap && [key.cap.nanoUsd, key.cap.period] };

function otherColumns({ clip, alarm, scopes, networks }: LimitsWish): string {
  const { alarmFactor, ...rest } = alarmColumns(alarm);
  const above = rest.alarmAbove !== undefined ? { alarm_above: rest.alarmAbove.toString(), alarm_pauses: rest.alarmPauses } : {};
  return JSON.stringify({ clip_min_tokens: clip, scopes, networks, alarm_factor: alarmFactor, ...above });
}
