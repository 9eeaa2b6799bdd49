// Decides which functions an answer calls and with which arguments: those that the request forces or a directive names, in response to a
// user message. A tool result never leads to another call, so that every conversation ends.

import { randomBase62 } from "@/lib/base/ids";
import type { Behaviour } from "./behaviour";
import { sampleOf } from "./schema-sample";
import { countTokens, splitIntoTokens } from "./tokens";
import { type AnsweredCall, type SimulatedCall, type SimulatedTool, turnsOf } from "./vendor";

export interface ToolPlan {
  calls: AnsweredCall[];
  /** Messages about directives that the request does not allow. */
  problems: string[];
}

/** The calls of the answer to `call`, ignoring the request's output limit. */
export function planToolCalls(call: SimulatedCall, behaviour: Behaviour): ToolPlan {
  const { toolChoice } = call;
  if (turnsOf(call).at(-1)?.role !== "user" || toolChoice.mode === "none") return { calls: [], problems: [] };
  const callable = call.tools.filter(({ name }) => toolChoice.names?.includes(name) ?? true);
  if (toolChoice.mode !== "required" && behaviour.tools === undefined) return { calls: [], problems: [] };
  const names = behaviour.tools ?? [];
  const unknown = names.filter((name) => !callable.some((tool) => tool.name === name));
  if (unknown.length > 0) return { calls: [], problems: unknown.map((name) => `\`tool\` names ${name}, which the request does not have`) };
  const requested = names.length === 0 ? callable.slice(0, 1) : names.flatMap((name) => callable.find((tool) => tool.name === name) ?? []);
  if (requested.length === 0) return { calls: [], problems: ["`tool` needs a request with tools"] };
  const tools = call.parallelToolCalls ? requested : requested.slice(0, 1);
  return { calls: tools.map((tool) => toCall(tool, behaviour.toolArguments)), problems: [] };
}

function toCall(tool: SimulatedTool, given: string | undefined): AnsweredCall {
  const sample = tool.isCustom ? "A simulated input." : JSON.stringify(tool.parameters === undefined ? {} : sampleOf(tool.parameters));
  const pieces = splitIntoTokens(given ?? sample, Number.POSITIVE_INFINITY);
  return { id: randomBase62(24), name: tool.name, pieces, isWhole: true, isCustom: tool.isCustom };
}

/** Billed tokens of a tool call in an answer. */
export const countCall = ({ name, pieces }: AnsweredCall): number => countTokens(name) + pieces.length;

/** The part of `calls` that fits into `limit` tokens: the last one's arguments may be cut off. */
export function cutCalls(calls: readonly AnsweredCall[], limit: number): AnsweredCall[] {
  const kept: AnsweredCall[] = [];
  let left = limit;
  for (const call of calls) {
    left -= countTokens(call.name);
    if (left < 0) break;
    kept.push({ ...call, pieces: call.pieces.slice(0, left), isWhole: call.pieces.length <= left });
    left -= call.pieces.length;
    if (left < 0) break;
  }
  return kept;
}

/** The arguments for vendors that send an object instead of text; an empty object when they were cut off or are absent. */
export function readArguments({ pieces }: AnsweredCall): object {
  try {
    const value: unknown = JSON.parse(pieces.join(""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {}; // cut off by the limit, or invalid JSON from a directive
  }
}
