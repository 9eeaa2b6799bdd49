// What a model has put out: its text and the tool calls that it asks for, gathered from the pieces they come in.

import { assert } from "@/lib/base/assert";
import type { FinishReason, ProviderEvent, ToolCall } from "@/lib/providers/types";

export type OutputPiece = Exclude<ProviderEvent, { type: "finish" }>;

export interface Output {
  text: string;
  toolCalls: ToolCall[];
  /** Null while it has not ended. */
  finish: FinishReason | null;
}

export const emptyOutput = (): Output => ({ text: "", toolCalls: [], finish: null });

/** Adds a piece to what there is. */
export function addPiece(output: Output, piece: OutputPiece): void {
  if (piece.type === "text") {
    output.text += piece.text;
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

/** The output as few pieces: its text, then each tool call whole. */
export function piecesOf({ text, toolCalls }: Output): OutputPiece[] {
  const calls = toolCalls.map((call, index): OutputPiece => ({ type: "tool_call", index, ...call }));
  return text === "" ? calls : [{ type: "text", text }, ...calls];
}

/** Everything the model wrote, for our own count of it. */
export const writtenText = ({ text, toolCalls }: Output): string => text + toolCalls.map((call) => call.name + call.arguments).join("");
