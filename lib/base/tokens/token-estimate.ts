// How many tokens a text has by its bytes, counted the same everywhere: in a quote, in the playground while an answer runs, and in a charge
// whose provider sent no count. Runs in a browser too.

/** Estimates err on the customer's side: English prose has at most four bytes per token. */
const BYTES_PER_TOKEN = 4;

/** The minimum overhead of each message (OpenAI's cookbook, "How to count tokens"): many empty ones are not free. */
const TOKENS_AROUND_MESSAGE = 3;

/** Tokens of a text of this many UTF-8 bytes. */
export const estimateTextTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** Tokens of messages that have this many UTF-8 bytes together. */
export const estimateMessageTokens = (bytes: number, messages: number): number =>
  estimateTextTokens(bytes) + messages * TOKENS_AROUND_MESSAGE;
