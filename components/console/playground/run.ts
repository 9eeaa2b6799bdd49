// One run of a prompt, from the press of the button to its exact cost.

import type { DrawnPayment } from "@/lib/console/views/payments";
import type { PromptFields } from "./code-lines";

/** What a wallet signed to pay for a prompt: the body's `payment`. */
export interface SignedPayment extends Omit<DrawnPayment, "text"> {
  signature: string;
}

/** All that a run sends. */
export interface RunFields extends PromptFields {
  payment?: SignedPayment;
}

/** What became of a payment that came with a run; nano-USD. */
export interface RunPayment {
  /** Null where a credit of the wallet's covered the run. */
  transaction: string | null;
  change: bigint;
  changeBelongsTo: "account" | "address";
}

/** Counted by the provider, charged to the nano-dollar. */
export interface RunReceipt {
  inputTokens: number;
  outputTokens: number;
  inputCost: bigint;
  outputCost: bigint;
}

/** Why a run has no answer, or not the whole of one. */
export interface RunProblem {
  /** A code of the error catalogue; null when the request never reached the gateway. */
  code: string | null;
  /** What refused it, where there is no code: `signed_out`, `stale_page`, `foreign_origin`, `unavailable`; or what came in place of an answer. */
  reason: string;
  message: string;
  requestId: string | null;
  /** With INSUFFICIENT_BALANCE. */
  deficit: bigint | null;
  affordableMaxTokens: number | null;
  /** With RATE_LIMIT_EXCEEDED. */
  retryAfterMs: number | null;
  /** What was charged all the same. */
  cost: bigint | null;
}

export interface Run {
  number: number;
  fields: RunFields;
  state: "waiting" | "writing" | "done" | "stopped" | "failed";
  text: string;
  requestId: string | null;
  receipt: RunReceipt | null;
  /** Null where the balance paid, and until the answer is whole. */
  payment: RunPayment | null;
  problem: RunProblem | null;
  /** Since the press of the button. */
  firstTokenMs: number | null;
  totalMs: number | null;
  /** Nano-USD, when it began and when it had ended. */
  availableBefore: bigint;
  availableAfter: bigint | null;
}

export const newRun = (number: number, fields: RunFields, availableBefore: bigint): Run => ({
  number,
  fields,
  state: "waiting",
  text: "",
  requestId: null,
  receipt: null,
  payment: null,
  problem: null,
  firstTokenMs: null,
  totalMs: null,
  availableBefore,
  availableAfter: null,
});

export const isRunning = ({ state }: Run): boolean => state === "waiting" || state === "writing";
