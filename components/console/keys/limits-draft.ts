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
  /** Output limits are lowered to fit balance and cap, down to `minTokens`. */
  clips: boolean;
  minTokens: string;
  /** Null: every model. */
  models: readonly string[] | null;
}

const MIN_TOKENS = "256";

export const newLimits: LimitsDraft = {
  ...{ expiry: "never", date: "", period: "none", amount: "", clips: false, minTokens: MIN_TOKENS },
  models: null,
};

/** The key's current limits. Models no longer in the catalogue are omitted: they cannot be called. */
export function draftOf({ expiresAt, cap, clipMinTokens, models }: OwnKey, catalogue: ReadonlySet<string>): LimitsDraft {
  return {
    expiry: expiresAt ? "keep" : "never",
    date: "",
    period: cap?.period ?? "none",
    amount: cap ? usdText(cap.nanoUsd) : "",
    clips: clipMinTokens !== null,
    minTokens: clipMinTokens === null ? MIN_TOKENS : String(clipMinTokens),
    models: models?.filter((id) => catalogue.has(id)) ?? null,
  };
}

export function inputOf({ expiry, date, period, amount, clips, minTokens, models }: LimitsDraft): LimitsInput {
  return {
    expiry: expiryOf(expiry, date),
    cap: period === "none" ? null : { amount, period },
    clip: clips ? { minTokens } : null,
    models,
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
