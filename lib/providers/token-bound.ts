// Upper bounds of input tokens: a request's maximum cost is set aside before the provider is called, so its token count must
// never be estimated too low, and must be found in microseconds.
//
// `o200k`, `cl100k` and `claude` are never below the count of o200k_base, cl100k_base and the tokenizer that Anthropic once
// published; token-bound/scan.ts states the facts behind that, and the tests check it against those tokenizers. `bytes` is never
// below the others, nor below any tokenizer that has a token for each byte.
//
// Current Claude, Gemini, Grok and DeepSeek models use other tokenizers than these. They get `claude`, which assumes the least about
// numbers, times a safety factor; when a provider still counts more than the bound, the gateway switches that model to `bytes` from
// then on.
//
// A text is counted as it is alone in a message. Texts of several messages never join into one pretoken, as chat formats put
// special tokens between them, so the bounds of messages add up. The name of a special token inside a text (<|endoftext|>) is plain
// text to providers and is counted as such.

import { runAtOnce, type Slices } from "@/lib/base/slices";
import { narrowSchemaInSlices } from "./anthropic/schema";
import { type ChatMessage, type Content, contentText, type ReasoningBlock, type ToolCall } from "./conversation/messages";
import { addedTokens } from "./conversation/normalise";
import { objectSchema } from "./conversation/tool-schema";
import { GeminiSchemas } from "./gemini/schema";
import type { WireFormatId } from "./model-route";
import { countBytes, countBytesInSlices } from "./token-bound/normal-form";
import { type ScanRules, scanTokens, scanTokensInSlices } from "./token-bound/scan";
import type { ModelCall, ResponseFormat, TokenBoundId, Tool } from "./types";
import { readJsonObject, readJsonObjectInSlices } from "./wire-value";

export const scanRules: Record<Exclude<TokenBoundId, "bytes">, ScanRules> = {
  o200k: { splitsCase: true, groupsDigits: true, normalises: false },
  cl100k: { splitsCase: false, groupsDigits: true, normalises: false },
  claude: { splitsCase: false, groupsDigits: false, normalises: true },
};

/**
 * Never less than the tokens that the bound's tokenizer makes of `text`, and never more than `bytes`, in linear time. The first call
 * unpacks the table (about 50 ms); call it with an empty text at start to get that done.
 * `bytes` is the UTF-8 length, or that of the NFKC form where a character grows in it (U+FDFA, Thai U+0E33): a normalising
 * tokenizer sees those bytes. Lone surrogates count as the three bytes of U+FFFD.
 */
export function inputTokenBound(text: string, bound: TokenBoundId): number {
  return bound === "bytes" ? countBytes(text) : scanTokens(text, scanRules[bound]);
}

/**
 * Role, separators and turn marks of one message. OpenAI documents 3 (cookbook, "How to count tokens"), others are similar;
 * the rest is margin.
 */
export const TOKENS_PER_MESSAGE = 8;

/** The separators between the parts of a message. */
export const TOKENS_PER_PART = 4;

/** The opening of the answer (OpenAI: 3) and what a provider puts around the whole conversation. */
export const TOKENS_PER_REQUEST = 16;

/**
 * For models whose tokenizer is not public. Claude's tokenizer of 4.7 and later makes up to 1.35 times as many tokens as its
 * predecessor (Anthropic), 1.2 to 1.5 times in independent measurements of English and code; the predecessor makes up to 1.2 times
 * as many as o200k. The bound is 5 to 50 percent above its own tokenizer, which counts about as many as o200k.
 */
const safetyFactor = { numerator: 7, denominator: 4 };

/**
 * The system prompt that a provider adds for tools. The longest documented: 804 tokens, Claude Opus 4.7
 * (https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview, "Tool use system prompt token count").
 */
export const TOKENS_FOR_TOOLS = 1_024;

/** The prompt that a provider adds for a schema; Anthropic documents that there is one, not how long it is. */
export const TOKENS_FOR_FORMAT = 1_024;

/** The text around one tool's definition, call or result (DeepSeek's open templates: up to 28), and around one parameter. */
export const TOKENS_PER_TOOL = 32;
export const TOKENS_PER_PARAMETER = 24;

type BoundedCall = Pick<ModelCall, "messages" | "tools" | "responseFormat"> & {
  /** How it may be written: some formats tell rules in descriptions for which their schemas have no keyword. */
  formats?: readonly WireFormatId[];
};

/**
 * Never less than the input tokens of a chat request, where the bound's tokenizer is the model's own. `claude` includes the
 * safety factor, up to `bytes`. Definitions, schemas and arguments count as their bytes with every bound, since providers rewrite
 * them (OpenAI as TypeScript, others as JSON or markup) and no tokenizer predicts the length of that.
 */
export const inputBoundForCall = (call: BoundedCall, bound: TokenBoundId): number => runAtOnce(inputBoundInSlices(call, bound));

/** The same in slices. It ends once the bound is `most` or above: no input is longer than a model's context window. */
export function* inputBoundInSlices(call: BoundedCall, bound: TokenBoundId, most = Number.POSITIVE_INFINITY): Slices<number> {
  const { messages, tools = [], responseFormat, formats = [] } = call;
  let tokens = TOKENS_PER_REQUEST + addedTokens(messages);
  // Before a long conversation may end the count: the narrowed schemas of Gemini are kept for the request.
  const schemas = formats.includes("gemini") ? new GeminiSchemas() : undefined;
  for (const tool of tools) tokens += yield* toolBound(tool, schemas);
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + (yield* messageBound(message, bound));
    if (tokens >= most) return tokens;
    yield;
  }
  // Earlier calls add the tool prompt even when the request has no tools any more.
  if (tools.length > 0 || messages.some(isOfTools)) tokens += TOKENS_FOR_TOOLS;
  if (responseFormat !== undefined) tokens += TOKENS_FOR_FORMAT + (yield* formatBound(responseFormat, formats, schemas));
  return tokens;
}

/**
 * As the client wrote it, or with the schema that OpenAI and Anthropic take, or Gemini: a description then tells the variants of its root,
 * or rules without a keyword, as well.
 */
function* toolBound(tool: Tool, schemas: GeminiSchemas | undefined): Slices<number> {
  let most = jsonBound(JSON.stringify(tool));
  yield;
  const { parameters } = tool;
  if (parameters === undefined) return TOKENS_PER_TOOL + most;
  const object = objectSchema(parameters);
  if (object.properties !== parameters.properties) most = Math.max(most, jsonBound(JSON.stringify({ ...tool, parameters: object })));
  yield;
  if (schemas) most = Math.max(most, jsonBound(JSON.stringify({ ...tool, parameters: yield* schemas.inSlices(parameters) })));
  yield;
  return TOKENS_PER_TOOL + most;
}

function* formatBound(format: ResponseFormat, formats: readonly WireFormatId[], schemas: GeminiSchemas | undefined): Slices<number> {
  const given = jsonBound(JSON.stringify(format));
  yield;
  if (format.type !== "json_schema") return given;
  const { schema } = format;
  const forms = [
    schemas && (yield* schemas.inSlices(schema)),
    formats.includes("anthropic") ? yield* narrowSchemaInSlices(schema) : undefined,
  ];
  yield;
  return Math.max(given, ...forms.map((form) => (form ? jsonBound(JSON.stringify({ ...format, schema: form })) : 0)));
}

function isOfTools(message: ChatMessage): boolean {
  return message.role === "tool" || (message.role === "assistant" && Boolean(message.toolCalls?.length));
}

function* messageBound(message: ChatMessage, bound: TokenBoundId): Slices<number> {
  const tokens = yield* contentBound(message.content, bound);
  switch (message.role) {
    case "assistant":
      return tokens + (message.toolCalls ? yield* toolCallsBound(message.toolCalls) : 0) + reasoningBound(message.reasoning);
    case "tool": {
      // Gemini accepts results as JSON only: there a text is a quoted string.
      const quoted = yield* textBound(JSON.stringify(contentText(message.content)), bound);
      return TOKENS_PER_TOOL + jsonBound(message.toolCallId) + Math.max(tokens, quoted);
    }
    default:
      return tokens;
  }
}

/** Parts may be joined or kept apart: apart, they have at least as many tokens, up to one for each border. */
function* contentBound(content: Content, bound: TokenBoundId): Slices<number> {
  if (typeof content === "string") return yield* textBound(content, bound);
  let tokens = 0;
  for (const part of content) {
    // Images have bounds of their own: image-bound/bound.ts.
    tokens += TOKENS_PER_PART + (part.type === "text" ? yield* textBound(part.text, bound) : 0);
    yield;
  }
  return tokens;
}

/** A signed or encrypted thought is read as the thought that it holds, which is shorter than its bytes. */
const reasoningBound = (blocks: readonly ReasoningBlock[] = []): number =>
  blocks.reduce((sum, { text, data }) => sum + TOKENS_PER_PART + Math.max(countBytes(text), countBytes(data)), 0);

function* textBound(text: string, bound: TokenBoundId): Slices<number> {
  const tokens = yield* inputTokenBoundInSlices(text, bound);
  if (bound !== "claude") return tokens;
  return Math.min(Math.ceil((tokens * safetyFactor.numerator) / safetyFactor.denominator), yield* inputTokenBoundInSlices(text, "bytes"));
}

/** Shorter texts take some tenth of a millisecond. */
const MAX_CHARACTERS_AT_ONCE = 8_192;

/** `inputTokenBound` of a text of any length, in slices. */
export function* inputTokenBoundInSlices(text: string, bound: TokenBoundId): Slices<number> {
  if (text.length <= MAX_CHARACTERS_AT_ONCE) return inputTokenBound(text, bound);
  return yield* bound === "bytes" ? countBytesInSlices(text) : scanTokensInSlices(text, scanRules[bound]);
}

function* toolCallsBound(calls: readonly ToolCall[]): Slices<number> {
  let tokens = 0;
  for (const call of calls) {
    tokens += yield* toolCallBound(call);
    yield;
  }
  return tokens;
}

/** The larger of the arguments as the model wrote them and as a provider re-serializes them: 1e20 then has 21 digits. */
function* toolCallBound({ id, name, arguments: text }: ToolCall): Slices<number> {
  const value = text.length <= MAX_CHARACTERS_AT_ONCE ? readJsonObject(text) : yield* readJsonObjectInSlices(text);
  yield;
  // Text that is not an object, or too deep to stringify, is sent as a quoted string to providers that accept objects only.
  const rewritten = JSON.stringify(value ?? text);
  yield;
  const parameters = value ? Object.keys(value).length : 0;
  const bytes = Math.max(jsonBound(text), jsonBound(rewritten));
  return TOKENS_PER_TOOL + parameters * TOKENS_PER_PARAMETER + jsonBound(id) + jsonBound(name) + bytes;
}

/** Bytes of a text that may be written as ASCII JSON, where each non-ASCII UTF-16 unit takes six: é becomes \u00e9. */
function jsonBound(text: string): number {
  if (Buffer.byteLength(text) === text.length) return text.length;
  let beyondAscii = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) beyondAscii++;
  return countBytes(text) + 4 * beyondAscii;
}
