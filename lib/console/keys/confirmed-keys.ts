// Keys, with a signature where they gain power. An owner who signed within 15 minutes is not asked again for keys that together can spend
// little and that end.

import type { KeyAlarm } from "@/lib/access/alarms";
import { isWithinNetworks } from "@/lib/access/client-address";
import { findLiveKey, type KeyLine } from "@/lib/access/key-list";
import { type CapPeriod, type SpendCap, setUnsignedCap } from "@/lib/access/keys";
import type { Proof } from "@/lib/access/proofs";
import { DAY_MS, now, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { KeyId } from "@/lib/base/ids";
import { formatUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";
import { frozenRefusal } from "../answer";
import type { Owner } from "../owner";
import { checkConfirmation, isFresh, statementList, statementName } from "../step-up";
import type { Answer, Refusal } from "../views/answer";
import { countUnsigned, createOwnKey, makeOwnKey, rotateOwnKey, setOwnKeyLimits, setOwnKeyState } from "./keys";

type Power = Pick<KeyLine, "scopes" | "networks" | "allowedModels" | "expiresAt" | "alarm"> & { cap: SpendCap | null };

/** Creates a key. */
export async function createConfirmedKey(owner: Owner, wish: Parameters<typeof createOwnKey>[1], proof: Proof | null) {
  const power: Power = { ...wish, allowedModels: wish.models, expiresAt: wish.expiry };
  const statement = `Create the API key '${statementName(wish.name)}' at ${config().SERVICE_NAME}. ${powerText(power)}`;
  if (owner.isFrozen) return frozenRefusal();
  const made = mayBeUnsigned(owner, power, proof) ? await makeOwnKey(owner, { ...wish, unsigned: true }) : "needs_signature";
  if (made !== "needs_signature") return made;
  return (await checkConfirmation(owner, statement, proof)) ?? createOwnKey(owner, wish);
}

/** Replaces a key's limits; only a change that gives it more power is signed. */
export async function setConfirmedLimits(owner: Owner, wish: Parameters<typeof setOwnKeyLimits>[1], proof: Proof | null): Promise<Answer> {
  const before = await findKey(owner, wish.keyId);
  if (before) {
    const expiresAt = wish.expiry === "keep" ? before.expiresAt : wish.expiry;
    const power: Power = { ...wish, allowedModels: wish.models, expiresAt };
    if (isMore(power, before)) {
      const alarm = isWeaker(power.alarm, before.alarm) ? ` ${alarmText(power.alarm)}` : "";
      const statement = `Change the limits of the API key ${nameOf(before)} at ${config().SERVICE_NAME}. ${powerText(power)}${alarm}`;
      const refusal = await confirm({ owner, keyId: wish.keyId, power, statement, proof });
      if (refusal) return refusal;
    }
  }
  return setOwnKeyLimits(owner, wish, before ?? undefined);
}

/** Gives a key a new secret. */
export async function rotateConfirmedKey(owner: Owner, wish: Parameters<typeof rotateOwnKey>[1], proof: Proof | null) {
  const key = await findKey(owner, wish.keyId);
  const statement = key && `Give the API key ${nameOf(key)} at ${config().SERVICE_NAME} a new secret. ${powerText(key)}`;
  const refusal = statement && (await confirm({ owner, keyId: wish.keyId, power: key, statement, proof }));
  return refusal || rotateOwnKey(owner, wish);
}

/** Lets a paused key spend again. */
export async function resumeConfirmedKey(owner: Owner, keyId: KeyId, proof: Proof | null): Promise<Answer> {
  const key = await findKey(owner, keyId);
  const statement = key && `Resume the API key ${nameOf(key)} at ${config().SERVICE_NAME}. ${powerText(key)}`;
  const refusal = statement && (await confirm({ owner, keyId, power: key, statement, proof }));
  return refusal || setOwnKeyState(owner, keyId, "active");
}

const findKey = ({ accountId }: Owner, keyId: KeyId): Promise<KeyLine | null> => findLiveKey(accountId, keyId, prisma());

const nameOf = ({ name, last4 }: KeyLine): string => `'${statementName(name)}' (ends in ${last4})`;

interface Confirmation {
  owner: Owner;
  keyId: KeyId;
  /** The key's power after the change. */
  power: Power;
  statement: string;
  proof: Proof | null;
}

async function confirm({ owner, keyId, power, statement, proof }: Confirmation): Promise<Refusal | null> {
  if (owner.isFrozen) return frozenRefusal();
  const { accountId } = owner;
  if (mayBeUnsigned(owner, power, proof) && (await countUnsigned(accountId, keyId, power.cap))) return null;
  const refusal = await checkConfirmation(owner, statement, proof);
  if (refusal) return refusal;
  await setUnsignedCap(accountId, keyId, null);
  return null;
}

const MOST_DAYS = 90;

/** As far as this key alone can tell: the most that all of them can spend together is checked where they are counted. */
function mayBeUnsigned(owner: Owner, { scopes, cap, expiresAt }: Power, proof: Proof | null): boolean {
  if (proof !== null || !isFresh(owner)) return false;
  // A cap by the hour is not little, however small: a day has many.
  const spendsLittle = !scopes.includes("prompt") || (cap !== null && cap.period !== "hour");
  return spendsLittle && expiresAt !== null && expiresAt.getTime() <= nowMs() + MOST_DAYS * DAY_MS;
}

function isMore(after: Power, before: KeyLine): boolean {
  const capGrows =
    before.cap !== null && (after.cap === null || after.cap.period !== before.cap.period || after.cap.nanoUsd > before.cap.nanoUsd);
  const endsLater = before.expiresAt !== null && (after.expiresAt === null || after.expiresAt > before.expiresAt);
  const wasAllowed = (list: readonly string[]) => (entry: string) => list.includes(entry);
  const isWithin = (network: string) => isWithinNetworks(network, before.networks);
  const networksGrow = before.networks.length > 0 && (after.networks.length === 0 || !after.networks.every(isWithin));
  const modelsGrow = before.allowedModels !== null && !after.allowedModels?.every(wasAllowed(before.allowedModels));
  return (
    capGrows ||
    endsLater ||
    networksGrow ||
    modelsGrow ||
    isWeaker(after.alarm, before.alarm) ||
    !after.scopes.every(wasAllowed(before.scopes))
  );
}

/** Whether an alarm is heard later, or stops less, than another. */
const isWeaker = (alarm: KeyAlarm | null, than: KeyAlarm | null): boolean =>
  than !== null && (alarm === null || alarm.factor > than.factor || alarm.above > than.above || (than.pauses && !alarm.pauses));

const periodText: Record<CapPeriod, string> = { hour: "an hour", day: "a day", week: "a week", month: "a month", total: "in total" };

/** A key's power, in one line. */
function powerText({ scopes, cap, networks, allowedModels, expiresAt }: Power): string {
  const spends = cap ? `spend up to ${formatUsd(cap.nanoUsd)} ${periodText[cap.period]}` : "spend the whole balance";
  const reads = scopes.includes("account") ? "read the whole account" : scopes.includes("read") ? "read its own usage" : null;
  const does = [scopes.includes("prompt") ? spends : null, reads].filter((one) => one !== null).join(" and ");
  const calls = scopes.includes("prompt") && allowedModels ? `, with ${statementList(allowedModels, "models")}` : "";
  const from = networks.length > 0 ? `, from ${statementList(networks, "networks")}` : "";
  const until = expiresAt && expiresAt > now() ? `, until ${expiresAt.toISOString().slice(0, 10)}` : "";
  return `It can ${does}${calls}${from}${until}.`;
}

function alarmText(alarm: KeyAlarm | null): string {
  if (!alarm) return "It has no spending alert.";
  const { factor, above, pauses } = alarm;
  return `Its spending alert triggers above ${formatUsd(above)} and ${factor} times its usual spend${pauses ? ", and pauses it" : ""}.`;
}
