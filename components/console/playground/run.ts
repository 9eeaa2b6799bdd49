// One run of a prompt, from the click to its exact cost.

import type { WhenLeft } from "@/lib/base/when-left";
import type { ModelPrice } from "@/lib/console/views/models";
import type { DrawnPayment } from "@/lib/console/views/payments";
import type { CostLine } from "@/lib/console/views/receipts";
import type { PromptFields } from "./code-lines";

/** A wallet's signed payment for a prompt: the body's `payment`. */
export interface SignedPayment extends Omit<DrawnPayment, "text"> {
  signature: string;
}

/** A function that the model calls. */
export interface ToolCall {
  id: string;
  name: string;
  /** As the model wrote them: JSON, or a text that was to become JSON. */
  arguments: string;
}

/** A size of texts, from which costs are estimated. */
export interface InputSize {
  bytes: number;
  messages: number;
}

/** The request of a run. */
export interface RunFields extends PromptFields {
  /** Of a conversation's turn: everything that was sent; `prompt` is empty then. */
  sent?: InputSize | undefined;
  payment?: SignedPayment | undefined;
}

/** The outcome of a payment sent with a run; nano-USD. */
export interface RunPayment {
  /** Null where the wallet's credit covered the run. */
  transaction: string | null;
  change: bigint;
  changeBelongsTo: "account" | "address";
}

/** The tokens that were charged, and the charge to the nano-dollar. */
export interface RunReceipt {
  inputTokens: number;
  outputTokens: number;
  inputCost: bigint;
  outputCost: bigint;
  /** By kind of token; empty until the receipt was read. */
  lines: readonly Pick<CostLine, "kind" | "tokens" | "due">[];
  /** The sum of the lines beyond the charge: the operator bears it. */
  borne: bigint;
}

/** The recorded state of a run; while it is under way, how long it may still go on. */
export type RunCost = { state: "charged"; receipt: RunReceipt } | { state: "in_progress"; endsInMs: number };

/** Why a run has no answer, or only part of one. */
export interface RunProblem {
  /** A code of the error catalogue; null when the request never reached the gateway. */
  code: string | null;
  /**
   * The cause where there is no code: `signed_out`, `stale_page`, `foreign_origin`, `unavailable`; or the reply that came instead of an
   * answer.
   */
  reason: string;
  message: string;
  requestId: string | null;
  /** With INSUFFICIENT_BALANCE. */
  deficit: bigint | null;
  affordableMaxTokens: number | null;
  /** With RATE_LIMIT_EXCEEDED. */
  retryAfterMs: number | null;
  /** The charge made nevertheless. */
  cost: bigint | null;
}

/** The prices of a model, USD per million tokens. */
export type RunPrice = Pick<ModelPrice, "inputPrice" | "outputPrice">;

/** The facts about a run's cost before it starts. */
export interface RunTerms {
  /** Its maximum cost, which is reserved while it runs; nano-USD. Null until it is known. */
  ceiling: bigint | null;
  price: RunPrice;
  /** Its end when it is stopped; null until that is known. */
  whenLeft: WhenLeft | null;
}

export interface Run extends RunTerms {
  /** Unix milliseconds of its start, and unique. */
  id: number;
  fields: RunFields;
  state: "waiting" | "writing" | "done" | "stopped" | "failed";
  text: string;
  /** The model's thoughts, where it tells them. */
  reasoning: string;
  toolCalls: readonly ToolCall[];
  /** Why the answer ended: `stop`, `length`, `tool_calls`, `content_filter`, …; null until it is complete. */
  finish: string | null;
  requestId: string | null;
  receipt: RunReceipt | null;
  /** It has left this page, and its cost is awaited. */
  isFinishing: boolean;
  /** Null where the balance paid, and until the answer is complete. */
  payment: RunPayment | null;
  problem: RunProblem | null;
  /** Since the click. */
  firstTokenMs: number | null;
  totalMs: number | null;
}

export const newRun = (id: number, fields: RunFields, { ceiling, price, whenLeft }: RunTerms): Run => ({
  id,
  fields,
  ceiling,
  price,
  whenLeft,
  state: "waiting",
  text: "",
  reasoning: "",
  toolCalls: [],
  finish: null,
  requestId: null,
  receipt: null,
  isFinishing: false,
  payment: null,
  problem: null,
  firstTokenMs: null,
  totalMs: null,
});

export const isRunning = ({ state }: Run): boolean => state === "waiting" || state === "writing";

/** It was stopped, or lost its connection: to the service the same. */
export const isLeft = ({ state, problem }: Run): boolean => state === "stopped" || (state === "failed" && problem?.reason === "broke_off");

/** It was left, and its page has not seen what it cost. */
export const isAbandoned = (run: Run): boolean => !run.receipt && isLeft(run);
