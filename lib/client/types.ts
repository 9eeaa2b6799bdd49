// Requests and answers of the service. Amounts are USD, as JSON numbers of at most 9 decimals, exact up to a million; to add them without
// rounding convert to whole nano-USD, `Math.round(amount * 1e9)`. Fields may be added, never changed.

import type { TokenKind } from "./model-types";
import type { Payment, PaymentMade } from "./payment-types";

export interface PromptRequest {
  /** A model's id or alias from `models()`. */
  model: string;
  prompt: string;
  /** Instructions to the model, before the prompt. */
  system?: string;
  /** The most tokens of the answer; the price of that many is part of the amount that is held. */
  maxTokens?: number;
  /** 0 to 2. */
  temperature?: number;
  /** USD: a prompt that could cost more is refused, and nothing is charged. */
  maxCost?: number;
  /** Lowers `maxTokens` to what the balance, the key's cap and `maxCost` allow, instead of a refusal. */
  clipToBalance?: boolean;
  /** Pays for this one prompt instead of the balance; create it with `signPayment`. */
  payment?: Payment;
}

export interface PromptAnswer {
  success: true;
  text: string;
  /** The catalogue's id of the model that answered. */
  model: string;
  usage: TokenUsage;
  cost: Cost;
  requestId: string;
  /** The output limit, when it was lowered. */
  clippedTo?: number;
  /** Only when a payment came with the request. */
  payment?: PaymentMade;
}

/** `totalTokens` is the sum of the others; reasoning counts as output. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

/** Cached tokens, cache writes and images are parts of the input, reasoning is part of the output. */
export interface UsageInKinds extends TokenUsage {
  cachedInputTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  imageTokens: number;
  reasoningTokens: number;
}

/** USD; `totalCost` is the exact sum of the others. */
export interface Cost {
  inputCost: number;
  outputCost: number;
  totalCost: number;
}

export type StreamEvent = { type: "delta"; text: string } | { type: "done"; answer: PromptAnswer };

/** USD. `available` is `balance` minus what is `held` for running requests. */
export interface Balance {
  balance: number;
  held: number;
  available: number;
  currency: "USD";
  /** The account's deposit addresses for USDC; null before its first sign-in, and for a chain that the service does not watch. */
  wallet: { base: string | null; solana: string | null } | null;
  /** Withdrawals that are not final yet, the oldest first; their money is no longer in the balance. */
  withdrawals: OpenWithdrawal[];
  requestId: string;
}

export interface OpenWithdrawal {
  id: string;
  chain: "base" | "solana";
  /** USD that arrive at the destination; the fee was taken with them. */
  amount: number;
  fee: number;
  state: "awaiting_approval" | "approved" | "signed" | "sent" | "confirmed";
  /** Why an approved one is not signed yet; `limit`: the service has reached its limit for 24 hours. */
  waitsFor:
    | "funds"
    | "chain"
    | "reserves"
    | "frozen"
    | "limit"
    | "signature"
    | "signer"
    | "fees"
    | "approval"
    | "waiting_time"
    | "wallet"
    | null;
  /** How many withdrawals are paid before it while it waits for the limit. */
  ahead: number | null;
}

/** USD per token. */
export interface TokenPrices {
  inputPerToken: number;
  outputPerToken: number;
  currency: "USD";
}

/** How a request ended: with a whole answer, cut off by the provider, or cancelled by its client. */
export type Outcome = "complete" | "partial" | "cancelled";

/** What a request cost and why, or what is held for it while it runs. A request that failed and cost nothing has no receipt. */
export type Receipt = ChargeReceipt | HoldReceipt;

export interface ChargeReceipt {
  /** The request that this receipt is for. */
  requestId: string;
  state: "charged";
  /** When it was charged, ISO 8601. */
  at: string;
  model: string;
  provider: string;
  /** The API key that the request came with. */
  keyId: string | null;
  usage: UsageInKinds;
  cost: Cost;
  /** Identifies the prices at which it was charged. */
  priceVersion: string;
  pricing: TokenPrices;
  costByKind: { kind: TokenKind; tokens: number; price: number; cost: number }[];
  outcome: Outcome;
  /** True when the service counted the tokens, because the provider's own count never arrived. */
  estimated: boolean;
  streamed: boolean;
  firstTokenMs: number | null;
  providerMs: number;
  /** `balance`, `payment` or `x402`. */
  paidBy: string;
  /** What happens to a stream of this model when its client leaves; null for a model that is no longer offered. */
  whenLeft: "cut" | "drained" | null;
  /** Null when the balance paid. */
  payment: ({ scheme: "proof" | "exact" } & PaymentMade) | null;
}

export interface HoldReceipt {
  requestId: string;
  state: "in_progress";
  /** When the request began, ISO 8601. */
  at: string;
  keyId: string | null;
  /** The USD held: the most that the request can cost. */
  ceiling: number;
  /** ISO 8601; the request has ended by then. */
  deadline: string;
}

/** What a prompt can cost, USD. */
export interface Quote {
  model: string;
  /** An upper bound. */
  inputTokens: number;
  maxOutputTokens: number;
  /** Reasoning tokens that may come on top. */
  maxReasoningTokens: number;
  /** The most that it can cost, which is held while it runs. */
  ceiling: number;
  /** Its probable cost; an estimate. */
  expected: number;
  available: number;
  /** True when `available` is enough. */
  covered: boolean;
  /** The minimum amount of a payment for it, USDC cents. */
  paymentCents: number;
  /** The most `maxTokens` that `available` covers. */
  affordableMaxTokens: number;
  /** What the key's cap leaves in its period; null without a cap. */
  capLeft: number | null;
  /** The output limit that `clipToBalance` would leave now; null when not even the minimum fits. */
  clippedTo: number | null;
  /** False when the request's own `maxCost` is below the ceiling. */
  withinMaxCost: boolean;
  priceVersion: string;
  pricing: TokenPrices;
  /** What happens to its stream when you leave it: the provider stops, too; or it runs to its end, and you pay for all of it. */
  whenLeft: "cut" | "drained";
  /** The id of the quote request itself. */
  requestId: string;
}

export type Grouping = "day" | "model" | "key";
export type Groupings = readonly [Grouping, ...Grouping[]];

/** Selects charges. A day like `2026-01-31` or an instant like `2026-01-31T09:30:00Z`; the last 30 days by default. */
export interface UsageQuery<GroupBy extends Groupings | undefined = Groupings | undefined> {
  from?: string;
  /** Exclusive. */
  to?: string;
  /** Groups charges into sums. Days are UTC. */
  groupBy?: GroupBy;
  /** `nextCursor` of the previous page, with the same query. */
  cursor?: string;
  /** Rows of a page, 1 to 1,000; 100 unless given. */
  limit?: number;
}

/** A query's rows: sums when it groups, otherwise single requests. */
export type UsageRow<GroupBy extends Groupings | undefined> = GroupBy extends Groupings ? UsageGroup : UsageRequest;

export interface UsagePage<Row = UsageGroup | UsageRequest> {
  /** The time range that was read, ISO 8601. */
  from: string;
  to: string;
  groupBy: Grouping[];
  /** The newest first. */
  rows: Row[];
  /** Of the whole time range, not only of this page. */
  totals: UsageSums;
  /** Null on the last page. */
  nextCursor: string | null;
  requestId: string;
}

export interface UsageSums {
  /** The number of requests. */
  requests: number;
  usage: UsageInKinds;
  cost: Cost;
}

/** The sums of the charges that share the grouped fields. */
export interface UsageGroup extends UsageSums {
  /** Like `2026-01-31`. */
  day?: string;
  model?: string;
  keyId?: string | null;
}

/** One charged request; `request(requestId)` has the whole receipt. */
export interface UsageRequest {
  requestId: string;
  /** When it was charged, ISO 8601. */
  at: string;
  model: string;
  keyId: string | null;
  usage: UsageInKinds;
  cost: Cost;
  outcome: Outcome;
  streamed: boolean;
}

export interface DepositQuery {
  /** `nextCursor` of the page before. */
  cursor?: string;
  /** Rows of a page, 1 to 1,000; 100 unless given. */
  limit?: number;
}

export interface DepositPage {
  /** The newest first. */
  rows: Deposit[];
  /** Null on the last page. */
  nextCursor: string | null;
  requestId: string;
}

/**
 * seen: in the newest block; confirming: while blocks follow; credited: in the balance; below_minimum: kept until its address has the
 * minimum; reversed: when its chain dropped it.
 */
export type DepositState = "seen" | "confirming" | "credited" | "below_minimum" | "reversed";

/** An incoming USDC transfer. */
export interface Deposit {
  id: string;
  chain: "base" | "solana";
  state: DepositState;
  /** USD. */
  amount: number;
  /** The account's deposit address that received it. */
  address: string;
  /** Its hash on Base, its signature on Solana. */
  transaction: string;
  /** Null in a sandbox. */
  transactionUrl: string | null;
  /** The block on Base, the slot on Solana. */
  block: number;
  /** Up to `neededConfirmations`, the number it takes to be credited, as far as known now. */
  confirmations: number;
  neededConfirmations: number;
  /** True when nothing on its chain can undo it any more. */
  isFinal: boolean;
  /** ISO 8601. */
  seenAt: string;
  creditedAt: string | null;
  reversedAt: string | null;
}
