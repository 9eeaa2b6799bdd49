// A completion: the model's output (its text and the tool calls that it requests), the provider's token count, and the cost. We count
// tokens ourselves in the one case where the provider gave no count: a stream that ended before its usage arrived.

import { assert } from "@/lib/base/assert";
import { type NanoUsd, usdText } from "@/lib/base/money";
import { BYTES_PER_TOKEN, TOKENS_AROUND_MESSAGE } from "@/lib/base/token-estimate";
import type { ChargeDetails } from "@/lib/ledger/holds";
import {
  type ChatMessage,
  contentText,
  type FinishReason,
  type MessagePhase,
  type ModelCall,
  type ProviderEvent,
  type ReasoningBlock,
  type ReasoningEvent,
  type TokenUsage,
  type ToolCall,
} from "@/lib/providers/types";

export type OutputPiece = Exclude<ProviderEvent, { type: "finish" }>;

/** A reasoning block of an answer. */
export type OutputReasoning = Omit<ReasoningBlock, "madeBy"> & Partial<Pick<ReasoningBlock, "madeBy">>;

/** A model's output, gathered from its pieces. */
export interface Output {
  text: string;
  toolCalls: ToolCall[];
  reasoning: OutputReasoning[];
  /** Where a new phase of the text begins, at a provider that tells phases apart. */
  phases?: { from: number; phase: MessagePhase }[];
  /** Null while the output is incomplete. */
  finish: FinishReason | null;
  /** The stop sequence that ended it, where its provider says so. */
  stopSequence?: string | undefined;
}

/** An answer, whole or as far as it got. */
export interface Completion {
  output: Output;
  usage: TokenUsage;
  outcome: ChargeDetails["outcome"];
  /** True when the provider gave no count and ours is used. */
  estimated: boolean;
  /** What the provider probably bills for an estimated answer. */
  probable?: TokenUsage | undefined;
  provider: string;
  /** The provider's own id of the answer. */
  providerRequestId: string | null;
  firstTokenMs: number | null;
  providerMs: number;
}

/** What a request cost, as it was charged. */
export interface ChargeReceipt {
  completion: Completion;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

/** The fields of our own in the usage of a vendor's dialect: what was charged, in USD. */
export function costFields({ inputCost, outputCost }: ChargeReceipt): string {
  const details = `{"input_cost":${usdText(inputCost)},"output_cost":${usdText(outputCost)}}`;
  return `"cost":${usdText(inputCost + outputCost)},"cost_details":${details}`;
}

export const emptyOutput = (): Output => ({ text: "", toolCalls: [], reasoning: [], finish: null });

/** Appends a piece to the output. */
export function addPiece(output: Output, piece: OutputPiece): void {
  if (piece.type === "text") {
    if (piece.phase !== undefined) addPhase(output, piece.phase);
    output.text += piece.text;
    return;
  }
  if (piece.type === "reasoning") {
    addReasoning(output, piece);
    return;
  }
  const known = output.toolCalls[piece.index];
  if (known) {
    known.arguments += piece.arguments;
    return;
  }
  assert(piece.index === output.toolCalls.length && piece.id && piece.name, "a tool call begins with its id and name");
  output.toolCalls.push({ id: piece.id, name: piece.name, arguments: piece.arguments });
}

function addPhase(output: Output, phase: MessagePhase): void {
  output.phases ??= [];
  if (output.phases.at(-1)?.phase !== phase) output.phases.push({ from: output.text.length, phase });
}

function addReasoning({ reasoning, text: said, toolCalls }: Output, { kind, index, text, data, id, madeBy }: ReasoningEvent): void {
  const known = reasoning[index];
  if (!known) {
    assert(index === reasoning.length, "reasoning blocks come in order");
    const after = said === "" && toolCalls.length === 0 ? undefined : { characters: said.length, calls: toolCalls.length };
    reasoning.push({ kind, text, data: data ?? "", id, madeBy, after });
    return;
  }
  known.text += text;
  known.data ||= data ?? "";
  known.id ??= id;
}

/** The output in few pieces: the text, then each tool call whole, and each reasoning block where it stood between them. */
export function piecesOf(output: Output): OutputPiece[] {
  const { text, toolCalls, reasoning } = output;
  const pieces: OutputPiece[] = [];
  let characters = 0;
  let calls = 0;
  const addUntil = (end: { characters: number; calls: number }) => {
    if (end.characters > characters) pieces.push(...textPieces(output, characters, end.characters));
    characters = Math.max(characters, end.characters);
    for (; calls < end.calls; calls++) {
      const call = toolCalls[calls];
      if (call) pieces.push({ type: "tool_call", index: calls, ...call });
    }
  };
  for (const [index, { after, ...block }] of reasoning.entries()) {
    if (after) addUntil(after);
    pieces.push({ type: "reasoning", index, ...block });
  }
  addUntil({ characters: text.length, calls: toolCalls.length });
  return pieces;
}

/** A part of the text, in as many pieces as it has phases. */
function textPieces({ text, phases = [] }: Output, from: number, to: number): OutputPiece[] {
  if (phases.length === 0) return [{ type: "text", text: text.slice(from, to) }];
  const starts = [from, ...phases.map((one) => one.from).filter((start) => start > from && start < to)];
  return starts.map((start, index) => {
    const phase = phases.findLast((one) => one.from <= start)?.phase;
    return { type: "text", text: text.slice(start, starts[index + 1] ?? to), phase };
  });
}

/** Everything the model wrote, for our own count of it. */
export const writtenText = ({ text, toolCalls, reasoning }: Output): string =>
  reasoning.map((block) => block.text).join("") + text + toolCalls.map((call) => call.name + call.arguments).join("");

export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

type Input = Pick<ModelCall, "messages" | "tools" | "responseFormat">;

/** UTF-8 bytes of all messages together, including their tool calls. */
export const countMessageBytes = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(contentText(message.content)) + countCallBytes(message), 0);

const countCallBytes = (message: ChatMessage): number =>
  message.role === "assistant" && message.toolCalls
    ? message.toolCalls.reduce((sum, call) => sum + Buffer.byteLength(call.id + call.name + call.arguments), 0)
    : 0;

/** Tools and schemas are input as well, and may be most of it. */
const countInputBytes = ({ messages, tools, responseFormat }: Input): number =>
  countMessageBytes(messages) +
  (tools ? Buffer.byteLength(JSON.stringify(tools)) : 0) +
  (responseFormat ? Buffer.byteLength(JSON.stringify(responseFormat)) : 0);

/** What is counted of a prompt, and of an answer, at most: beyond it the count stays a lower bound. */
const MAX_CHARACTERS = 262_144;
/** The longest tokens that we know: of plain letters, with letters of other scripts, and of digits (Claude's; OpenAI's have three). */
const [MOST_LETTERS, MOST_OTHERS, MOST_DIGITS] = [41, 21, 16];

/**
 * Certainly no fewer tokens: tokenizers split a text into words and numbers before they look anything up, and
 * each of these is a token or more. Spaces and signs, which may belong to one, count nothing.
 */
export function leastTokens(text: string): number {
  let tokens = 0;
  let [letters, others, digits] = [0, 0, 0];
  const endWord = () => {
    tokens += Math.ceil((letters + others) / (others > 0 ? MOST_OTHERS : MOST_LETTERS));
    [letters, others] = [0, 0];
  };
  const endNumber = () => {
    tokens += Math.ceil(digits / MOST_DIGITS);
    digits = 0;
  };
  for (let at = 0; at < text.length && at < MAX_CHARACTERS; at++) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    // An apostrophe may be part of its word.
    const isWord = isLetter || code > 127 || (code === 39 && letters > 0);
    if (!isDigit && digits > 0) endNumber();
    if (!isWord && letters + others > 0) endWord();
    if (isDigit) digits += 1;
    else if (isLetter) letters += 1;
    else if (isWord && code > 127) others += 1;
  }
  endNumber();
  endWord();
  return tokens;
}

/** Certainly no more than was used: messages, tools and schemas by their words, and the text that was written. */
export function leastUsage({ messages, tools, responseFormat }: Input, text: string): TokenUsage {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const texts = [
    ...messages.map(({ content }) => contentText(content)),
    ...calls.map((call) => call.name + call.arguments),
    ...(tools ? [JSON.stringify(tools)] : []),
    ...(responseFormat ? [JSON.stringify(responseFormat)] : []),
  ];
  let [inputTokens, left] = [0, MAX_CHARACTERS];
  for (const one of texts) {
    if (left <= 0) break;
    inputTokens += leastTokens(one.slice(0, left));
    left -= one.length;
  }
  return { ...noUsage, inputTokens, outputTokens: leastTokens(text) };
}

const noUsage: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  imageTokens: 0,
  reasoningTokens: 0,
};

/** Estimated usage of an answer that broke off; never above the input bound that was held. Images count as `imageTokens`. */
export function estimateUsage(input: Input, text: string, inputBound: number, imageTokens = 0): TokenUsage {
  const inputTokens = Math.ceil(countInputBytes(input) / BYTES_PER_TOKEN) + input.messages.length * TOKENS_AROUND_MESSAGE + imageTokens;
  return { ...noUsage, inputTokens: Math.min(inputBound, inputTokens), outputTokens: estimateTokens(text) };
}
