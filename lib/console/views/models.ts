// A model with its prices, as a plain serializable row.

export interface ModelPrice {
  id: string;
  aliases: readonly string[];
  description: string;
  /** The provider's display name. */
  provider: string;
  contextWindow: number;
  maxOutputTokens: number;
  /** USD per million input tokens, exact: `2.625`. */
  inputPrice: string;
  /** USD per million output tokens. */
  outputPrice: string;
}
