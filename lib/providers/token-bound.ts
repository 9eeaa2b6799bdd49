// Upper bounds of input tokens: what a request may cost at most is set aside before the provider is asked, so the number of
// its tokens must never be found too low, and must be found in microseconds.
//
// `o200k`, `cl100k` and `claude` are never below the count of o200k_base, cl100k_base and the tokenizer that Anthropic once
// published; token-bound/scan.ts says on which facts that rests, and the tests hold it against those tokenizers. `bytes` is
// never exceeded by the others and never below any tokenizer that has a token for each byte.
//
// Today's Claude, Gemini, Grok and DeepSeek use other tokenizers than these. Their models take `claude`, which knows the
// least about numbers, times a safety factor; a model whose provider still counts more than the bound said is switched to
// `bytes` by the gateway from then on.
//
// A text is counted as it stands alone in a message. Texts of several messages are never joined to one pretoken, as chat
// formats put special tokens between them, so the bounds of messages add up. A special token's name inside a text
// (<|endoftext|>) is plain text to providers and is counted as such.

import { countBytes } from "./token-bound/normal-form";
import { type ScanRules, scanTokens } from "./token-bound/scan";
import type { ChatMessage, TokenBoundId } from "./types";

const rules: Record<Exclude<TokenBoundId, "bytes">, ScanRules> = {
  o200k: { splitsCase: true, groupsDigits: true, normalises: false },
  cl100k: { splitsCase: false, groupsDigits: true, normalises: false },
  claude: { splitsCase: false, groupsDigits: false, normalises: true },
};

/**
 * Never less than the tokens that the bound's tokenizer makes of `text`, and never more than `bytes`, in linear time. The first call
 * unpacks the table (some 50 ms); a call with an empty text at start gets that done.
 * `bytes` is the UTF-8 length, or that of the NFKC form where a character grows in it (U+FDFA, Thai U+0E33): a tokenizer
 * that normalises sees those bytes. Lone surrogates count as the three bytes of U+FFFD.
 */
export function inputTokenBound(text: string, bound: TokenBoundId): number {
  return bound === "bytes" ? countBytes(text) : scanTokens(text, rules[bound]);
}

/**
 * Role, separators and turn marks of one message. OpenAI documents 3 (cookbook, "How to count tokens"), others are alike;
 * the rest is room.
 */
export const TOKENS_PER_MESSAGE = 8;

/** What opens the answer (OpenAI: 3) and what a provider puts around the whole. */
export const TOKENS_PER_REQUEST = 16;

/**
 * For the models whose tokenizer is not public. Claude's tokenizer of 4.7 and later makes up to 1.35 times as many tokens as
 * the one before (Anthropic), 1.2 to 1.5 times in independent measurements of English and code, and that one up to 1.2 times
 * as many as o200k. The bound lies 5 to 50 percent above its own tokenizer, which counts about as many as o200k.
 */
const safetyFactor = { numerator: 7, denominator: 4 };

/**
 * Never less than the input tokens of a chat request with these messages, where the bound's tokenizer is the model's own.
 * `claude` includes the safety factor, up to `bytes`.
 */
export function inputBoundForMessages(messages: readonly Pick<ChatMessage, "content">[], bound: TokenBoundId): number {
  let tokens = TOKENS_PER_REQUEST;
  for (const { content } of messages) tokens += TOKENS_PER_MESSAGE + messageBound(content, bound);
  return tokens;
}

function messageBound(text: string, bound: TokenBoundId): number {
  const tokens = inputTokenBound(text, bound);
  if (bound !== "claude") return tokens;
  return Math.min(Math.ceil((tokens * safetyFactor.numerator) / safetyFactor.denominator), inputTokenBound(text, "bytes"));
}
