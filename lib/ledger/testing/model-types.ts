// Inputs and outputs of the reference ledger. Amounts are nano-USD, times Unix milliseconds.

export type Period = "hour" | "day" | "week" | "month" | "total";
export type ClaimOutcome = "replay" | "in_progress" | "mismatch";

export interface HoldRequest {
  request: string;
  account: string;
  key: string | null;
  ceiling: bigint;
  deadlineMs: number;
  idempotency: string | null;
  /** Hex. */
  hash: string | null;
}

export type HoldResult =
  | { outcome: "held" | "account_frozen" | ClaimOutcome }
  | { outcome: "insufficient"; available: bigint }
  /** `spent`: spent and held in the key's period before this item; `resetsAt` in Unix milliseconds. */
  | { outcome: "cap_reached"; cap: bigint; spent: bigint; resetsAt: number | null }
  | { outcome: "key_unusable"; keyState: string };

export interface SettleRequest {
  request: string;
  account: string;
  key: string | null;
  ceiling: bigint;
  inputCost: bigint;
  outputCost: bigint;
  /** False releases the hold. */
  charges: boolean;
  /** The answer was never delivered: the operator bears its cost. */
  isLost?: boolean;
  /** It is sent after it was charged; a stream was sent before. */
  isWhole?: boolean;
  idempotency: string | null;
  body: string | null;
}

export interface SettleResult {
  outcome: "settled" | "released" | "late" | "already";
  inputCost: bigint;
  outputCost: bigint;
}

export interface KeyRow {
  id: string;
  account: string;
  state: "active" | "paused" | "revoked";
  expiresAtMs: number | null;
  cap: bigint | null;
  period: Period | null;
}

export interface ModelHold extends HoldRequest {
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

export interface ModelCharge {
  account: string;
  key: string | null;
  input: bigint;
  output: bigint;
  loss: bigint;
  atMs: number;
  late: boolean;
  period: Period | null;
}
