// An API key as its owner sees it.

import type { KeyLine } from "@/lib/access/key-list";
import type { CapPeriod } from "@/lib/access/keys";

/** What a key is for: which of the scopes it has. */
export type KeyUse = "spend" | "spend_and_read" | "spend_and_account" | "read" | "read_account";

/** Amounts in nano-USD. */
export interface OwnKey extends Omit<KeyLine, "cap" | "allowedModels"> {
  cap: OwnCap | null;
  /** In the cap's current period, or in the last 30 days for a key without a cap. */
  spent: bigint;
  /** Held in that period for running calls, which also count against the cap; 0 for a key without a cap. */
  held: bigint;
  /** When it spends far more than usual: the spending of the last 60 minutes, and the usual spending in this hour of the week. */
  spike: { spent: bigint; usual: bigint } | null;
  /** In the last 60 minutes. */
  spentInHour: bigint;
  /** Null: every model. */
  models: readonly string[] | null;
}

export interface OwnCap {
  nanoUsd: bigint;
  period: CapPeriod;
  /** Null: it never resets. */
  resetsAt: Date | null;
}

/** A first call with a key, for one client: the code to paste, in order. */
export interface Snippet {
  /** `curl`, `Claude Code` */
  client: string;
  blocks: { title: string; code: string }[];
}
