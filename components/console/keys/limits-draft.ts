// A key's limits while they are edited: as the fields hold them, and as the action takes them.

import { usdText } from "@/lib/base/money";
import type { OwnCap, OwnKey } from "@/lib/console/views/keys";
import type { ExpiryInput, LimitsInput } from "./key-actions";

export interface LimitsDraft {
  /** `keep` only for an existing key. */
  expiry: "keep" | "never" | "7" | "30" | "90" | "date";
  /** `2030-01-31`, used with `date`. */
  date: string;
  period: OwnCap["period"] | "none";
  amount: string;
  /** Null: every model. */
  models: readonly string[] | null;
}

export const newLimits: LimitsDraft = { expiry: "never", date: "", period: "none", amount: "", models: null };

/** The key's current limits. Models no longer in the catalogue are omitted: they cannot be called. */
export function draftOf({ expiresAt, cap, models }: OwnKey, catalogue: ReadonlySet<string>): LimitsDraft {
  return {
    expiry: expiresAt ? "keep" : "never",
    date: "",
    period: cap?.period ?? "none",
    amount: cap ? usdText(cap.nanoUsd) : "",
    models: models?.filter((id) => catalogue.has(id)) ?? null,
  };
}

export function inputOf({ expiry, date, period, amount, models }: LimitsDraft): LimitsInput {
  return { expiry: expiryOf(expiry, date), cap: period === "none" ? null : { amount, period }, models };
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
