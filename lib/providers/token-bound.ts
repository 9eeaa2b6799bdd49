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
import type { ChatMessage, ModelCall, TokenBoundId, ToolCall } from "./types";
import { readJsonObject } from "./wire-value";

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
 * What a provider says to a model that has tools. The longest that is documented: 804 tokens, Claude Opus 4.7
 * (https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview, "Tool use system prompt token count").
 */
export const TOKENS_FOR_TOOLS = 1_024;

/** What a provider says to a model that must answer in a schema; Anthropic documents that it says something, not how much. */
export const TOKENS_FOR_FORMAT = 1_024;

/** What stands around one tool's definition, call or result (DeepSeek's open templates: up to 28), and around one parameter. */
export const TOKENS_PER_TOOL = 32;
export const TOKENS_PER_PARAMETER = 24;

/**
 * Never less than the input tokens of a chat request, where the bound's tokenizer is the model's own. `claude` includes the
 * safety factor, up to `bytes`. Definitions, schemas and arguments count as their bytes whatever the bound is, since
 * providers write them anew (OpenAI as TypeScript, others as JSON or markup) and no tokenizer tells how long that is.
 */
export function inputBoundForCall(call: Pick<ModelCall, "messages" | "tools" | "responseFormat">, bound: TokenBoundId): number {
  const { messages, tools = [], responseFormat } = call;
  let tokens = TOKENS_PER_REQUEST;
  for (const message of messages) tokens += TOKENS_PER_MESSAGE + messageBound(message, bound);
  for (const tool of tools) tokens += TOKENS_PER_TOOL + jsonBound(JSON.stringify(tool));
  // Old calls bring the words along even where the request has no tools any more.
  if (tools.length > 0 || messages.some(isOfTools)) tokens += TOKENS_FOR_TOOLS;
  if (responseFormat !== undefined) tokens += TOKENS_FOR_FORMAT + jsonBound(JSON.stringify(responseFormat));
  return tokens;
}

function isOfTools(message: ChatMessage): boolean {
  return message.role === "tool" || (message.role === "assistant" && Boolean(message.toolCalls?.length));
}

function messageBound(message: ChatMessage, bound: TokenBoundId): number {
  const tokens = textBound(message.content, bound);
  switch (message.role) {
    case "assistant":
      return (message.toolCalls ?? []).reduce((sum, call) => sum + toolCallBound(call), tokens);
    case "tool":
      // Gemini takes results as JSON only: a text is a quoted string there.
      return TOKENS_PER_TOOL + jsonBound(message.toolCallId) + Math.max(tokens, textBound(JSON.stringify(message.content), bound));
    default:
      return tokens;
  }
}

function textBound(text: string, bound: TokenBoundId): number {
  const tokens = inputTokenBound(text, bound);
  if (bound !== "claude") return tokens;
  return Math.min(Math.ceil((tokens * safetyFactor.numerator) / safetyFactor.denominator), inputTokenBound(text, "bytes"));
}

/** Arguments count as the model wrote them, or as a provider writes them that reads them first: 1e20 has 21 digits then. */
function toolCallBound({ id, name, arguments: text }: ToolCall): number {
  const { parameters, rewritten } = readArguments(text);
  const bytes = Math.max(jsonBound(text), jsonBound(rewritten));
  return TOKENS_PER_TOOL + parameters * TOKENS_PER_PARAMETER + jsonBound(id) + jsonBound(name) + bytes;
}

function readArguments(text: string): { parameters: number; rewritten: string } {
  const value = readJsonObject(text);
  // What is no object, or too deep to be written again, goes as a quoted text to the providers that take objects only.
  return { parameters: value ? Object.keys(value).length : 0, rewritten: JSON.stringify(value ?? text) };
}

/** Bytes of a text that may be written as JSON in ASCII, where each UTF-16 unit beyond it takes six: é becomes \u00e9. */
function jsonBound(text: string): number {
  if (Buffer.byteLength(text) === text.length) return text.length;
  let beyondAscii = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) beyondAscii++;
  return countBytes(text) + 4 * beyondAscii;
}
