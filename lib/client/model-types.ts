// The models on offer, with their prices.

export interface Model {
  id: string;
  object: "model";
  /** When its vendor released it: the start of that day in UTC, Unix seconds; 0 when that is not known. */
  created: number;
  /** The provider that runs it. */
  owned_by: string;
  description: string;
  outputModalities: ("text" | "embedding")[];
  inputModalities: ("text" | "image")[];
  contextWindow: number;
  maxOutputTokens: number;
  /** USD per 1,000 tokens. */
  pricing: { inputPer1K: number; outputPer1K: number; currency: "USD" };
  /** Of each kind of token that has a price of its own. */
  prices: ModelPrice[];
  aliases: string[];
  /** The first day without it, UTC; absent when no date is known. */
  retiresOn?: string;
  /** The model to use instead. */
  successor?: string;
}

export type TokenKind = "input" | "cache_read" | "cache_write" | "cache_write_1h" | "image" | "output" | "reasoning";

export interface ModelPrice {
  kind: TokenKind;
  /** USD per million tokens. */
  per1M: number;
  /** From that much input on, the price applies to the whole request; absent: from the first token. */
  fromInputTokens?: number;
}

export interface ModelList {
  object: "list";
  data: Model[];
  requestId: string;
}
