// What is asked of the ledger when a hold is placed, and what it can answer.

import type { KeyRefusal } from "@/lib/access/authenticate";
import { capPeriodEnd } from "@/lib/access/cap-period";
import { AppError } from "@/lib/base/errors";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { submitToCommit } from "./commit-batch";
import type { HoldItem } from "./commit-items";
import type { CommitRow } from "./commit-statements";

export type HoldDecision =
  | { outcome: "held"; period: string | null; periodStart: Date | null }
  | { outcome: "insufficient"; available: NanoUsd }
  | { outcome: "cap_reached"; cap: NanoUsd; spent: NanoUsd; resetsAt: Date | null }
  | { outcome: "key_unusable"; reason: KeyRefusal }
  | { outcome: "replay" }
  | { outcome: "account_frozen" | "in_progress" | "mismatch" };

export type HoldRefusal = Exclude<HoldDecision, { outcome: "held" | "replay" }>;

/** Decides one hold together with those that arrive beside it. */
export const submitHold = (hold: HoldItem): Promise<HoldDecision> => submitToCommit({ kind: "hold", hold }).then(readDecision);

/** @throws Error for an outcome that is none of a hold */
export function readDecision(row: CommitRow): HoldDecision {
  switch (row.outcome) {
    case "held":
      return { outcome: "held", period: row.period, periodStart: row.period_start };
    case "insufficient":
      return { outcome: "insufficient", available: nanoUsd(row.available ?? 0n) };
    case "cap_reached":
      return {
        outcome: "cap_reached",
        cap: nanoUsd(row.cap ?? 0n),
        spent: nanoUsd(row.spent ?? 0n),
        resetsAt: capPeriodEnd(row.period, row.period_start),
      };
    case "key_unusable":
      return { outcome: "key_unusable", reason: readKeyState(row.key_state) };
    case "replay":
      return { outcome: row.outcome };
    case "account_frozen":
    case "in_progress":
    case "mismatch":
      return { outcome: row.outcome };
    default:
      throw new Error(`the ledger decided a hold as "${row.outcome}"`);
  }
}

function readKeyState(state: string | null): KeyRefusal {
  if (state === "revoked" || state === "expired") return state;
  return state === "paused" || state === "frozen" ? "disabled" : "unknown";
}

/** The error for a ledger that could not be reached: nothing was charged. */
export function ledgerUnavailable(cause: unknown): AppError {
  return new AppError("INTERNAL_ERROR", {
    message: "The request could not be booked and was not sent to the model",
    details: { reason: "internal", retryable: true },
    cause,
  });
}
