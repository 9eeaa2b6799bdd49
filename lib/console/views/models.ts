// A model with its prices, as a plain row that survives the way to a browser.

export interface ModelPrice {
  id: string;
  aliases: readonly string[];
  description: string;
  /** The provider's name as people know it. */
  provider: string;
  contextWindow: number;
  maxOutputTokens: number;
  /** USD for a million input tokens, exact: `2.625`. */
  inputPrice: string;
  /** USD for a million output tokens. */
  outputPrice: string;
}
