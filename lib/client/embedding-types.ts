// Requests and answers of embeddings.

export interface EmbeddingRequest {
  /** A model whose `outputModalities` is embedding. */
  model: string;
  /** A text, several, or their tokens. */
  input: string | string[] | number[] | number[][];
  /** `float` (the default) for numbers, `base64` for the bytes of 32-bit floats, little-endian. */
  encoding_format?: "float" | "base64";
  /** How many numbers each embedding shall have, where the model can shorten it. */
  dimensions?: number;
  /** USD: a request that could cost more is refused, and nothing is charged. */
  maxCost?: number;
}

export interface Embeddings {
  object: "list";
  /** One for each input, in order. */
  data: { object: "embedding"; index: number; embedding: number[] | string }[];
  model: string;
  /** `cost` in USD. */
  usage: { prompt_tokens: number; total_tokens: number; cost: number };
  requestId: string;
}
