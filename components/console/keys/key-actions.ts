// The server actions that the components of this folder call. A proof is the signature that an action asked for.

import type { Answer } from "@/lib/console/views/answer";
import type { KeyUse, OwnCap, Snippet } from "@/lib/console/views/keys";
import type { ModelPrice } from "@/lib/console/views/models";
import type { SignedChallenge } from "../../wallet/wallet-types";

export type ModelChoice = Pick<ModelPrice, "id" | "provider">;

export type ExpiryInput = { kind: "keep" } | { kind: "never" } | { kind: "days"; days: number } | { kind: "date"; date: string };

export interface LimitsInput {
  expiry: ExpiryInput;
  cap: { amount: string; period: OwnCap["period"] } | null;
  clip: { minTokens: string } | null;
  alarm: { factor: string; above: string; pauses: boolean } | null;
  models: readonly string[] | null;
  scopes: KeyUse;
  networks: string;
}

/** For how long the old secret works after a rotation. */
export type Overlap = "none" | "hour" | "day" | "week" | "as_before";

/** The key in plain text and first calls with it: neither is ever shown again. */
export interface CreatedKey {
  key: string;
  snippets: readonly Snippet[];
}

export interface KeyActions {
  create: (input: LimitsInput & { name: string }, proof?: SignedChallenge) => Promise<Answer<CreatedKey>>;
  rename: (input: { keyId: string; name: string }) => Promise<Answer>;
  rotate: (input: { keyId: string; overlap: Overlap }, proof?: SignedChallenge) => Promise<Answer<CreatedKey>>;
  endOldSecret: (input: { keyId: string }) => Promise<Answer>;
  changeLimits: (input: LimitsInput & { keyId: string }, proof?: SignedChallenge) => Promise<Answer>;
  pause: (input: { keyId: string }) => Promise<Answer>;
  resume: (input: { keyId: string }, proof?: SignedChallenge) => Promise<Answer>;
  revoke: (input: { keyId: string }) => Promise<Answer>;
}
