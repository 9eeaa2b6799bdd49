// What is sent to the service and what it answers. Amounts are USD, as JSON numbers of at most 9 decimals, exact up to a
// million; to add them without rounding take whole nano-USD, `Math.round(amount * 1e9)`. Fields may be added, never changed.

import type { Payment, PaymentMade } from "./payment-types";

export interface PromptRequest {
  /** A name or an alias of `models()`. */
  model: string;
  prompt: string;
  /** What the model is told to be or do, before the prompt. */
  system?: string;
  /** Most tokens of the answer; its ceiling is part of the price that is set aside. */
  maxTokens?: number;
  /** 0 to 2. */
  temperature?: number;
  /** USD: the prompt is refused, with nothing charged, when it could cost more. */
  maxCost?: number;
  /** Pays for this one prompt instead of the balance; `signPayment` makes it. */
  payment?: Payment;
}

export interface PromptAnswer {
  success: true;
  text: string;
  /** The catalogue's name of the model that answered. */
  model: string;
  usage: TokenUsage;
  cost: Cost;
  requestId: string;
  /** Only when a payment came with the request. */
  payment?: PaymentMade;
}

/** `totalTokens` is the sum of the others; reasoning counts as output. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

/** USD; `totalCost` is the exact sum of the others. */
export interface Cost {
  inputCost: number;
  outputCost: number;
  totalCost: number;
}

export type StreamEvent = { type: "delta"; text: string } | { type: "done"; answer: PromptAnswer };

export interface Model {
  id: string;
  object: "model";
  created: number;
  /** Who runs it. */
  owned_by: string;
  description: string;
  /** Tokens. */
  contextWindow: number;
  maxOutputTokens: number;
  /** USD for 1,000 tokens. */
  pricing: { inputPer1K: number; outputPer1K: number; currency: "USD" };
  aliases: string[];
}

export interface ModelList {
  object: "list";
  data: Model[];
  requestId: string;
}

/** USD. `available` is `balance` less what is `held` for requests that run. */
export interface Balance {
  balance: number;
  held: number;
  available: number;
  currency: "USD";
  /** Where USDC is paid in; null before the account's first sign-in, and for a chain that the service does not watch. */
  wallet: { base: string | null; solana: string | null } | null;
  requestId: string;
}

/** USD for one token. */
export interface TokenPrices {
  inputPerToken: number;
  outputPerToken: number;
  currency: "USD";
}

/** How a request ended: as a whole answer, broken off by the provider, or left by its client. */
export type Outcome = "complete" | "partial" | "cancelled";

/** What a request cost and why, or what is held for it while it runs. One that failed and cost nothing has no receipt. */
export type Receipt = ChargeReceipt | HoldReceipt;

export interface ChargeReceipt {
  /** Of the request that the receipt is for. */
  requestId: string;
  state: "charged";
  /** When it was charged, ISO 8601. */
  at: string;
  model: string;
  provider: string;
  /** The API key it was asked with. */
  keyId: string | null;
  /** Cached tokens are part of the input, reasoning tokens of the output. */
  usage: TokenUsage & { cachedInputTokens: number; reasoningTokens: number };
  cost: Cost;
  /** Names the prices at which it was charged. */
  priceVersion: string;
  pricing: TokenPrices;
  outcome: Outcome;
  /** True when the tokens are our count, because the provider's own never came. */
  estimated: boolean;
  streamed: boolean;
  firstTokenMs: number | null;
  providerMs: number;
  /** `balance`, `payment` or `x402`. */
  paidBy: string;
  /** What becomes of a stream of this model that its client leaves; null for a model that is no longer offered. */
  whenLeft: "cut" | "drained" | null;
  /** Null when the balance paid. */
  payment: ({ scheme: "proof" | "exact" } & PaymentMade) | null;
}

export interface HoldReceipt {
  requestId: string;
  state: "in_progress";
  /** When it began, ISO 8601. */
  at: string;
  keyId: string | null;
  /** USD that is held: the most that it can cost. */
  ceiling: number;
  /** ISO 8601; it has ended by then. */
  deadline: string;
}

/** What a prompt can cost, USD. */
export interface Quote {
  model: string;
  /** An upper bound. */
  inputTokens: number;
  maxOutputTokens: number;
  /** Tokens of reasoning that may come on top. */
  maxReasoningTokens: number;
  /** The most it can cost, which is held while it runs. */
  ceiling: number;
  /** What it may about cost; an estimate. */
  expected: number;
  available: number;
  /** True when `available` is enough. */
  covered: boolean;
  /** What a payment for it must at least be, USDC cents. */
  paymentCents: number;
  /** The most `maxTokens` for which it is. */
  affordableMaxTokens: number;
  /** False when the request's own `maxCost` is below the ceiling. */
  withinMaxCost: boolean;
  priceVersion: string;
  pricing: TokenPrices;
  /** Of the quote itself. */
  requestId: string;
}

export type Grouping = "day" | "model" | "key";
export type Groupings = readonly [Grouping, ...Grouping[]];

/** Which charges. A day like `2026-01-31` or an instant like `2026-01-31T09:30:00Z`; the last 30 days unless given. */
export interface UsageQuery<GroupBy extends Groupings | undefined = Groupings | undefined> {
  from?: string;
  /** A charge at this very instant is not among them. */
  to?: string;
  /** Sums instead of single requests. Days are UTC. */
  groupBy?: GroupBy;
  /** `nextCursor` of the page before, with the same query. */
  cursor?: string;
  /** Rows of a page, 1 to 1,000; 100 unless given. */
  limit?: number;
}

/** What a query's rows are: sums when it groups, else single requests. */
export type UsageRow<GroupBy extends Groupings | undefined> = GroupBy extends Groupings ? UsageGroup : UsageRequest;

export interface UsagePage<Row = UsageGroup | UsageRequest> {
  /** The span that was read, ISO 8601. */
  from: string;
  to: string;
  groupBy: Grouping[];
  /** The newest first. */
  rows: Row[];
  /** Of the whole span, not only of this page. */
  totals: UsageSums;
  /** Null on the last page. */
  nextCursor: string | null;
  requestId: string;
}

export interface UsageSums {
  /** How many. */
  requests: number;
  usage: TokenUsage;
  cost: Cost;
}

/** The charges that agree in what they are grouped by. */
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
  usage: TokenUsage;
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
 * seen in the newest block; confirming while blocks follow; credited, and in the balance; below_minimum, kept until its address
 * has the minimum; reversed when its chain dropped it.
 */
export type DepositState = "seen" | "confirming" | "credited" | "below_minimum" | "reversed";

/** USDC that came in. */
export interface Deposit {
  id: string;
  chain: "base" | "solana";
  state: DepositState;
  /** USD. */
  amount: number;
  /** The account's own, that it came in at. */
  address: string;
  /** Its hash on Base, its signature on Solana. */
  transaction: string;
  /** Null in a sandbox. */
  transactionUrl: string | null;
  /** The block on Base, the slot on Solana. */
  block: number;
  /** Up to `neededConfirmations`, which is how many it takes until it is credited, as far as can be told now. */
  confirmations: number;
  neededConfirmations: number;
  /** Nothing on its chain can undo it any more. */
  isFinal: boolean;
  /** ISO 8601. */
  seenAt: string;
  creditedAt: string | null;
  reversedAt: string | null;
}
