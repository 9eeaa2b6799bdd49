// The changes of an entry of the audit log, field by field, in the words of the forms that set it.

import type { AuditEntry, AuditValue } from "@/lib/audit/entries";
import { formatUsd, type NanoUsd } from "@/lib/base/money";
import { durationText } from "@/lib/base/text/duration-text";
import { utcText } from "@/lib/base/text/utc-text";
import { displayAddress, type WalletChain } from "@/lib/chains/wallet";
import type { ActivityChange } from "../views/activity";

/** Kinds whose sentence does not name the changed fields. */
const tellsFields =
  /^(key\.(created|changed|secret_rotated)|endpoint\.(created|changed|secret_rotated|deleted)|alarm\.changed|account\.limits_changed|withdrawal\.rules_changed)$/;

interface Field {
  label: string;
  /** The text for null; a field without it says nothing then. */
  none?: string;
  /** The text for null where it turns the field off; not listed for a new thing. */
  off?: string;
  /** The text for an empty list. */
  empty?: string;
  write?: (value: NonNullable<AuditValue>) => string;
}

const ERASED = "erased";

const from = (words: Readonly<Record<string, string>>) => (value: NonNullable<AuditValue>) => words[String(value)] ?? String(value);

const timeText = (value: NonNullable<AuditValue>, shape: Intl.DateTimeFormatOptions): string => utcText(new Date(String(value)), shape);

const day = { day: "numeric", month: "short", year: "numeric" } as const;

function walletText(stored: string): string {
  const [chain = "", address = ""] = stored.split(":");
  return displayAddress({ chain: chain as WalletChain, address });
}

/** In the order in which they are listed. */
const fields: Readonly<Record<string, Field>> = {
  name: { label: "Name", none: ERASED },
  expiresAt: { label: "Expires", none: "never", write: (value) => timeText(value, day) },
  cap: { label: "Spending limit", none: "none" },
  capPeriod: {
    label: "Limit resets",
    write: from({ hour: "every hour", day: "every day", week: "every week", month: "every month", total: "never" }),
  },
  models: { label: "Models", none: "all" },
  scopes: {
    label: "Permissions",
    write: (value) =>
      [value]
        .flat()
        .map(from({ prompt: "send prompts", read: "read its usage", account: "read the account" }))
        .join(", "),
  },
  networks: { label: "Allowed IP addresses", none: ERASED, empty: "all" },
  clipMinTokens: { label: "Shorten answers", off: "no", write: (value) => `down to ${value} tokens` },
  alarmFactor: { label: "Unusual spending", off: "off", write: (value) => `alert above ${value}× usual` },
  alarmAbove: { label: "Alert only above" },
  alarmPauses: { label: "Alert pauses the key" },
  types: { label: "Events", empty: "all" },
  state: { label: "State", write: from({ active: "on", disabled: "off", unconfirmed: "not confirmed" }) },
  disabledReason: {
    label: "Turned off because",
    write: from({
      owner: "you turned it off",
      gone: "it answered 410 Gone",
      failing: "every attempt failed for five days",
      unsubscribed: "its recipient unsubscribed",
    }),
  },
  oldWorksUntil: {
    label: "Old secret works until",
    write: (value) => `${timeText(value, { ...day, hour: "2-digit", minute: "2-digit" })} UTC`,
  },
  lowBalance: { label: "Threshold", none: "off" },
  ratePerMinute: { label: "Requests per minute", none: "default" },
  concurrency: { label: "Concurrent requests", none: "default" },
  dailyLimit: { label: "24-hour limit", none: "no limit" },
  waitSeconds: { label: "Waiting time", write: (value) => (Number(value) === 0 ? "none" : durationText(Number(value))) },
  destinations: {
    label: "Allowed wallets",
    empty: "every linked wallet",
    write: (value) => [value].flat().map(String).map(walletText).join(", "),
  },
};

/** The changed fields; all fields of a thing that is new or has ended. */
export function activityChanges({ kind, before, after }: Pick<AuditEntry, "kind" | "before" | "after">): ActivityChange[] {
  if (!tellsFields.test(kind)) return [];
  const isWhole = before === null || after === null;
  const hasAlarm = (after ?? before)?.alarmFactor !== null;
  return Object.entries(fields).flatMap(([name, field]) => {
    // The sentence already names a thing that is new or has ended.
    if (isWhole && (name === "name" || name === "state" || (name.startsWith("alarm") && !hasAlarm))) return [];
    const change = { name: field.label, before: textOf(field, before?.[name], isWhole), after: textOf(field, after?.[name], isWhole) };
    if (isWhole) return (change.before ?? change.after) === null ? [] : [change];
    if (change.after === null) return [];
    if (change.after === ERASED && change.before === ERASED) return [{ ...change, before: null }];
    return change.before === change.after ? [] : [change];
  });
}

/** Null: there is nothing to say. */
function textOf({ none, off, empty, write }: Field, value: AuditValue | undefined, isWhole: boolean): string | null {
  if (value === undefined) return null;
  if (value === null) return none ?? (isWhole ? null : off) ?? null;
  if (Array.isArray(value) && value.length === 0 && empty !== undefined) return empty;
  return (write ?? plain)(value);
}

function plain(value: NonNullable<AuditValue>): string {
  if (typeof value === "bigint") return formatUsd(value as NanoUsd);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? value.join(", ") : String(value);
}
