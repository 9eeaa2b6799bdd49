// The form of a key: its name, when it expires, what it may spend, which models it may call.

import { z } from "zod";
import { isNetwork } from "@/lib/access/client-address";
import type { KeyScope } from "@/lib/access/find-key";
import type { Overlap } from "@/lib/access/key-access";
import type { CapPeriod } from "@/lib/access/keys";
import { DAY_MS, HOUR_MS, now, nowMs } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { readUsdText } from "@/lib/base/typed/amount-text";
import { textLimits } from "@/lib/base/typed/text-limits";
import { findModel } from "@/lib/providers/catalogue";
import { textField } from "../answer";
import { readNameText } from "../name-text";
import type { KeyUse } from "../views/keys";

const MAX_YEARS = 10;

const keyName = textField((text) => {
  const name = readNameText(text);
  if (name === null) throw new RangeError("Give the key a name, such as where it will be used.");
  return name;
}, textLimits.keyName);

/** The last millisecond of a day, UTC: a key still works on its expiry day. */
function readLastDay(text: string): Date {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T23:59:59.999Z`) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text) throw new RangeError("Choose a day, like 2030-01-31.");
  if (at.getTime() <= nowMs()) throw new RangeError("This day has passed. Choose today or later.");
  const latest = now();
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS);
  if (at > latest) throw new RangeError(`Choose a day within the next ${MAX_YEARS} years, or let the key never expire.`);
  return at;
}

const never = z.strictObject({ kind: z.literal("never") }).transform(() => null);
const afterDays = z
  .strictObject({ kind: z.literal("days"), days: z.union([z.literal(7), z.literal(30), z.literal(90)]) })
  .transform(({ days }) => new Date(nowMs() + days * DAY_MS));
const onDate = z.strictObject({ kind: z.literal("date"), date: textField(readLastDay, textLimits.count) }).transform(({ date }) => date);
const kept = z.strictObject({ kind: z.literal("keep") }).transform(() => "keep" as const);

const cap = z
  .strictObject({ amount: textField(readUsdText), period: z.enum(["hour", "day", "week", "month", "total"] satisfies CapPeriod[]) })
  .transform(({ amount, period }) => ({ nanoUsd: amount, period }))
  .nullable();

const MAX_MIN_TOKENS = 1_000_000;

function readMinTokens(text: string): number {
  const tokens = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0;
  if (tokens < 1 || tokens > MAX_MIN_TOKENS) throw new RangeError("Enter a whole number of tokens, such as 256.");
  return tokens;
}

/** Null: requests are refused rather than clipped. */
const clip = z
  .strictObject({ minTokens: textField(readMinTokens, textLimits.count) })
  .transform(({ minTokens }) => minTokens)
  .nullable();

const MAX_FACTOR = 100;

function readFactor(text: string): number {
  const factor = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0;
  if (factor < 2 || factor > MAX_FACTOR) throw new RangeError(`Enter a whole number from 2 to ${MAX_FACTOR}.`);
  return factor;
}

/** Null: no alarm. */
const alarm = z
  .strictObject({ factor: textField(readFactor, textLimits.count), above: textField(readUsdText), pauses: z.boolean() })
  .nullable();

/** Names and aliases become catalogue names, without duplicates; null is every model. */
const models = z
  .array(z.string().max(200))
  .max(500)
  .transform((names, context) => {
    const unknown = names.find((name) => !findModel(name));
    if (names.length === 0) context.addIssue({ code: "custom", message: "Choose at least one model, or allow all models." });
    if (unknown !== undefined) {
      context.addIssue({ code: "custom", message: `There is no model called "${unknown.slice(0, 60)}". Choose one from the list.` });
    }
    return [...new Set(names.map((name) => findModel(name)?.id ?? name))];
  })
  .nullable();

const scopes = z.enum(["spend", "spend_and_read", "spend_and_account", "read", "read_account"]).transform((choice) => scopesOf[choice]);

const scopesOf = {
  spend: ["prompt"],
  spend_and_read: ["prompt", "read"],
  spend_and_account: ["prompt", "read", "account"],
  read: ["read"],
  read_account: ["read", "account"],
} as const satisfies Record<KeyUse, readonly KeyScope[]>;

const MAX_NETWORKS = 20;

/** Addresses and CIDR blocks, separated by spaces, commas or lines. */
function readNetworks(text: string): string[] {
  const entries = [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ""))];
  const bad = entries.find((entry) => !isNetwork(entry));
  if (bad !== undefined)
    throw new RangeError(`"${bad.slice(0, 60)}" is not an IP address or block. Enter one like 203.0.113.7 or 203.0.113.0/24.`);
  const every = entries.find((entry) => entry.endsWith("/0"));
  if (every !== undefined) throw new RangeError(`"${every}" allows every address. Leave the field empty instead.`);
  if (entries.length > MAX_NETWORKS) throw new RangeError(`Enter at most ${MAX_NETWORKS} addresses or ranges.`);
  return entries;
}

const networks = textField(readNetworks, textLimits.networks);

/** A new key. */
export const newKeyForm = z.strictObject({
  name: keyName,
  expiry: z.discriminatedUnion("kind", [never, afterDays, onDate]),
  cap,
  clip,
  alarm,
  models,
  scopes,
  networks,
});

const keyId = z
  .string("Key not found. Reload the page.")
  .regex(/^key_[0-9A-Za-z]{20}$/, "Key not found. Reload the page.")
  .transform((text) => text as KeyId);

/** Identifies the key to pause, resume or revoke. */
export const keyChoiceForm = z.strictObject({ keyId });

export const keyNameForm = z.strictObject({ keyId, name: keyName });

/** New limits for an existing key; `keep` leaves its expiry unchanged. */
export const keyLimitsForm = z.strictObject({
  keyId,
  expiry: z.discriminatedUnion("kind", [kept, never, afterDays, onDate]),
  cap,
  clip,
  alarm,
  models,
  scopes,
  networks,
});

const overlaps = { none: 0, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, as_before: "as_before" } as const;

/** For how long the old secret works after a rotation; at most 7 days. */
const overlap = z.enum(["none", "hour", "day", "week", "as_before"]).transform((choice): Overlap => overlaps[choice]);

/** Identifies the key to rotate, and how long its old secret works. */
export const keyRotationForm = z.strictObject({ keyId, overlap });

/** The keys page's URL parameters; invalid ones are ignored. */
export function readKeysView(query: Readonly<Record<string, unknown>>): { creates: boolean; revokedBefore: KeyId | null } {
  const before = keyId.safeParse(query.revoked);
  return { creates: query.create !== undefined, revokedBefore: before.success ? before.data : null };
}
