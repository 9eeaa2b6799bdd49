// A model with its prices, as a plain serializable row.

import type { KindName } from "@/lib/base/tokens/token-kinds";

export interface ListedModelPrice {
  kind: KindName;
  /** USD per million tokens, exact. */
  per1M: string;
  /** The price applies from that much input on, to the whole request; absent in the first tier. */
  fromInputTokens?: number;
}

export interface ModelPrice {
  id: string;
  /** Absent for a model that answers prompts. */
  type?: "embedding" | undefined;
  aliases: readonly string[];
  description: string;
  /** The provider's display name. */
  provider: string;
  takesImages: boolean;
  contextWindow: number;
  maxOutputTokens: number;
  /** USD per million input tokens, exact: `2.625`. */
  inputPrice: string;
  /** USD per million output tokens. */
  outputPrice: string;
  /** Of each kind of token that has a price of its own, input and output included, and of each length of the prompt. */
  prices: readonly ListedModelPrice[];
  /** The day on which its vendor released it, as YYYY-MM-DD. */
  releasedOn?: string | undefined;
  /** The first day without it, UTC: `2027-01-14`; absent when no date is known. */
  retiresOn?: string | undefined;
  /** From that day on another host, or a simulated provider, serves it here. */
  isServedOn?: boolean | undefined;
  /** The model to use instead. */
  successor?: string | undefined;
}
