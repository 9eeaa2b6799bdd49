// What goes into the reference ledger and comes out of it. Amounts are nano-USD, times Unix milliseconds.

export type Period = "day" | "week" | "month" | "total";
export type ClaimOutcome = "replay" | "in_progress" | "mismatch";

export interface HoldAsk {
  request: string;
  account: string;
  key: string | null;
  ceiling: bigint;
  deadlineMs: number;
  idempotency: string | null;
  /** Hex. */
  hash: string | null;
}

export interface HoldResult {
  outcome: "held" | "insufficient" | "cap_reached" | "key_unusable" | "account_frozen" | ClaimOutcome;
  available: bigint | null;
  /** Spent and held of the key's period before this item. */
  spent: bigint | null;
  keyState: string | null;
  cap: bigint | null;
  period: Period | null;
  periodStart: number | null;
}

export interface SettleAsk {
  request: string;
  account: string;
  key: string | null;
  period: Period | null;
  periodStart: number | null;
  ceiling: bigint;
  inputCost: bigint;
  outputCost: bigint;
  /** False releases the hold. */
  charges: boolean;
  idempotency: string | null;
  body: string | null;
}

export interface SettleResult {
  outcome: "settled" | "released" | "late" | "already";
  inputCost: bigint | null;
  outputCost: bigint | null;
}

export interface KeyRow {
  id: string;
  account: string;
  state: "active" | "paused" | "revoked";
  expiresAtMs: number | null;
  cap: bigint | null;
  period: Period | null;
}

export interface ModelHold extends HoldAsk {
  period: Period | null;
  periodStart: number | null;
}

export interface ModelSpend {
  key: string;
  period: Period;
  periodStart: number;
  spent: bigint;
  held: bigint;
}
