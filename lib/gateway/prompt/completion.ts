// A completion: the model's output (its text and the tool calls that it requests), its token count, and the cost.

import { assert } from "@/lib/base/assert";
import { type NanoUsd, usdText } from "@/lib/base/money";
import type { ChargeDetails } from "@/lib/ledger/commit/codec";
import {
  type ChatMessage,
  contentText,
  type MessagePhase,
  type ReasoningBlock,
  type ToolCall,
} from "@/lib/providers/conversation/messages";
import type { FinishReason, ProviderEvent, ReasoningEvent, TokenUsage } from "@/lib/providers/types";

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
  /** Of an estimate: the tokens that the provider probably bills, which may be more than are charged. */
  probable?: TokenUsage;
  provider: string;
  /** The provider's own id of the answer. */
  providerRequestId: string | null;
  firstTokenMs: number | null;
  providerMs: number;
}

/** A completion with its price for the customer. */
export interface PricedCompletion {
  completion: Completion;
  inputCost: NanoUsd;
  outputCost: NanoUsd;
}

/** Our own fields in the usage of a vendor's dialect: the charge, in USD. */
export function costFields({ inputCost, outputCost }: PricedCompletion): string {
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

/** UTF-8 bytes of all messages together, including their tool calls. */
export const countMessageBytes = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + Buffer.byteLength(contentText(message.content)) + countCallBytes(message), 0);

const countCallBytes = (message: ChatMessage): number =>
  message.role === "assistant" && message.toolCalls
    ? message.toolCalls.reduce((sum, call) => sum + Buffer.byteLength(call.id + call.name + call.arguments), 0)
    : 0;
