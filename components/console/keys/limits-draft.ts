// A key's limits while they are edited: as the fields hold them, and as the action takes them.

import { usdText } from "@/lib/base/money";
import type { KeyUse, OwnCap, OwnKey } from "@/lib/console/views/keys";
import type { ExpiryInput, LimitsInput } from "./key-actions";

export interface LimitsDraft {
  /** `keep` only for an existing key. */
  expiry: "keep" | "never" | "7" | "30" | "90" | "date";
  /** `2030-01-31`, used with `date`. */
  date: string;
  period: OwnCap["period"] | "none";
  amount: string;
  /** Output limits are lowered to fit balance and cap, down to `minTokens`. */
  clips: boolean;
  minTokens: string;
  alarm: "off" | "tell" | "pause";
  /** How many times its usual spend of an hour, and the least in USD. */
  factor: string;
  above: string;
  /** Null: every model. */
  models: readonly string[] | null;
  use: KeyUse;
  /** Addresses and CIDR blocks, separated by spaces; empty: any. */
  networks: string;
}

const MIN_TOKENS = "256";

const usualAlarm = { alarm: "tell", factor: "5", above: "1" } as const;

/** A new key has an end and a cap, unless its owner decides otherwise. */
export const newLimits: LimitsDraft = {
  expiry: "90",
  date: "",
  period: "month",
  amount: "5",
  clips: false,
  minTokens: MIN_TOKENS,
  ...usualAlarm,
  models: null,
  use: "spend_and_read",
  networks: "",
};

/** The key's current limits. Models no longer in the catalogue are omitted: they cannot be called. */
export function draftOf(
  { expiresAt, cap, clipMinTokens, alarm, models, scopes, networks }: OwnKey,
  catalogue: ReadonlySet<string>,
): LimitsDraft {
  return {
    expiry: expiresAt ? "keep" : "never",
    date: "",
    period: cap?.period ?? "none",
    amount: cap ? usdText(cap.nanoUsd) : "",
    clips: clipMinTokens !== null,
    minTokens: clipMinTokens === null ? MIN_TOKENS : String(clipMinTokens),
    ...(alarm
      ? { alarm: alarm.pauses ? "pause" : "tell", factor: String(alarm.factor), above: usdText(alarm.above) }
      : { ...usualAlarm, alarm: "off" }),
    models: models?.filter((id) => catalogue.has(id)) ?? null,
    use: readUse(scopes),
    networks: networks.join(" "),
  };
}

/** Whether a key has anything that most keys do not, besides its name and its spending limit. */
export function isAdvanced(draft: LimitsDraft): boolean {
  const expiry = draft.expiry === "keep" ? "keep" : newLimits.expiry;
  const usual: LimitsDraft = { ...newLimits, expiry, period: draft.period, amount: draft.amount };
  return JSON.stringify(inputOf(draft)) !== JSON.stringify(inputOf(usual));
}

function readUse(scopes: OwnKey["scopes"]): KeyUse {
  const reads = scopes.includes("account") ? "account" : scopes.includes("read") ? "read" : null;
  if (scopes.includes("prompt")) return reads ? `spend_and_${reads}` : "spend";
  return reads === "account" ? "read_account" : "read";
}

export function inputOf({ expiry, date, period, amount, clips, minTokens, alarm, factor, above, use, ...rest }: LimitsDraft): LimitsInput {
  return {
    ...rest,
    scopes: use,
    expiry: expiryOf(expiry, date),
    cap: period === "none" ? null : { amount, period },
    clip: clips ? { minTokens } : null,
    alarm: alarm === "off" ? null : { factor, above, pauses: alarm === "pause" },
  };
}

function expiryOf(expiry: LimitsDraft["expiry"], date: string): ExpiryInput {
  switch (expiry) {
    case "keep":
    case "never":
      return { kind: expiry };
    case "date":
      return { kind: "date", date };
    default:
      return { kind: "days", days: Number(expiry) };
  }
}
