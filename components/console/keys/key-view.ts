// What the components of this folder know of a key, and what they may ask for.

import type { Answered } from "../use-action";

export type CapPeriod = "day" | "week" | "month" | "total";

export interface KeyView {
  keyId: string;
  name: string;
  prefix: string;
  last4: string;
  state: "active" | "paused" | "expired" | "revoked";
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Nano-USD; `resetsAt` null: it never starts anew. */
  cap: { nanoUsd: bigint; period: CapPeriod; resetsAt: Date | null } | null;
  /** Nano-USD: in the cap's period, or in the last 30 days where there is no cap. */
  spent: bigint;
  /** Nano-USD: set aside for calls under way; it counts against the cap like what is spent. */
  held: bigint;
  /** Null: every model. */
  models: readonly string[] | null;
}

export interface ModelChoice {
  id: string;
  provider: string;
}

export type ExpiryInput = { kind: "keep" } | { kind: "never" } | { kind: "days"; days: number } | { kind: "date"; date: string };

export interface LimitsInput {
  expiry: ExpiryInput;
  cap: { amount: string; period: CapPeriod } | null;
  models: readonly string[] | null;
}

/** The key in clear and a line to try it with: nothing will ever show either of them again. */
export interface MadeKey {
  key: string;
  curl: string;
}

export interface KeyActions {
  create: (input: LimitsInput & { name: string }) => Promise<Answered<MadeKey>>;
  rename: (input: { keyId: string; name: string }) => Promise<Answered>;
  changeLimits: (input: LimitsInput & { keyId: string }) => Promise<Answered>;
  pause: (input: { keyId: string }) => Promise<Answered>;
  resume: (input: { keyId: string }) => Promise<Answered>;
  revoke: (input: { keyId: string }) => Promise<Answered>;
}
