// The tokenizer of the simulated models: a word with the character before it, a number, a run of punctuation or of white space is a token,
// long ones several. That is 4 to 5 characters of English per token. It is no vendor's tokenizer, and coarser than any: its count stays
// below the real ones', and so below the token bounds that holds use, and below the UTF-8 bytes.

const TOKEN = /[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]{1,16}|[^\r\n\p{L}\p{N}]?\p{N}{1,8}| ?[^\s\p{L}\p{N}]{1,64}[\r\n]*|\s{1,128}/gu;

/** Tokens per chat message in addition to its text; real chat formats take 3 to 7. */
const TOKENS_PER_MESSAGE = 4;

/** Tokens of `text`, at least 1. */
export function countTokens(text: string): number {
  return Math.max(1, text.match(TOKEN)?.length ?? 0);
}

interface CountedMessage {
  text: string;
  toolCalls?: readonly { name: string; arguments: string }[];
}

/** Billed tokens of a prompt: a tool counts as its JSON, a tool call as its name and arguments. */
export function countInputTokens(messages: readonly CountedMessage[], tools: readonly object[] = []): number {
  const ofMessages = messages.reduce((sum, message) => sum + countMessage(message), 0);
  return tools.reduce<number>((sum, tool) => sum + countTokens(JSON.stringify(tool)), ofMessages);
}

function countMessage({ text, toolCalls = [] }: CountedMessage): number {
  const ofCalls = toolCalls.reduce((sum, call) => sum + countTokens(call.name) + countTokens(call.arguments), 0);
  return countTokens(text) + ofCalls + TOKENS_PER_MESSAGE;
}

/** Splits `text` into its tokens, at most `limit` of them. Joined, they give the text or its beginning. */
export function splitIntoTokens(text: string, limit: number): string[] {
  const tokens: string[] = text.match(TOKEN) ?? [];
  return tokens.length > limit ? tokens.slice(0, limit) : tokens;
}

/** Repeats `sentence` until it is at least `tokens` tokens long. */
export function repeatToTokens(sentence: string, tokens: number): string {
  return sentence.repeat(Math.ceil(tokens / countTokens(sentence)) + 1);
}
