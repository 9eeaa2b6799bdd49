// Decides which functions an answer calls and with which arguments: those that the request forces or a directive asks for, in
// answer to a user. A function's result is never answered by another call, so that every conversation ends.

import { randomBase62 } from "@/lib/base/ids";
import type { Behaviour } from "./behaviour";
import { sampleOf } from "./schema-sample";
import { countTokens, splitIntoTokens } from "./tokens";
import type { AnsweredCall, SimulatedCall, SimulatedTool } from "./vendor";

export interface ToolPlan {
  calls: AnsweredCall[];
  /** What a directive asked for and the request does not allow, in words. */
  problems: string[];
}

/** The calls of the answer to `call`, without regard to the request's limit of output. */
export function planToolCalls(call: SimulatedCall, behaviour: Behaviour): ToolPlan {
  const { toolChoice } = call;
  if (call.messages.at(-1)?.role !== "user" || toolChoice.mode === "none") return { calls: [], problems: [] };
  const callable = call.tools.filter(({ name }) => toolChoice.names?.includes(name) ?? true);
  if (toolChoice.mode !== "required" && behaviour.tools === undefined) return { calls: [], problems: [] };
  const names = behaviour.tools ?? [];
  const unknown = names.filter((name) => !callable.some((tool) => tool.name === name));
  if (unknown.length > 0) return { calls: [], problems: unknown.map((name) => `\`tool\` names ${name}, which the request does not have`) };
  const asked = names.length === 0 ? callable.slice(0, 1) : names.flatMap((name) => callable.find((tool) => tool.name === name) ?? []);
  if (asked.length === 0) return { calls: [], problems: ["`tool` needs a request with tools"] };
  const tools = call.parallelToolCalls ? asked : asked.slice(0, 1);
  return { calls: tools.map((tool) => toCall(tool, behaviour.toolArguments)), problems: [] };
}

function toCall(tool: SimulatedTool, given: string | undefined): AnsweredCall {
  const text = given ?? JSON.stringify(tool.parameters === undefined ? {} : sampleOf(tool.parameters));
  return { id: randomBase62(24), name: tool.name, pieces: splitIntoTokens(text, Number.POSITIVE_INFINITY), isWhole: true };
}

/** Tokens that a tool call of an answer is billed as. */
export const countCall = ({ name, pieces }: AnsweredCall): number => countTokens(name) + pieces.length;

/** As much of `calls` as `limit` tokens hold: the last one may break off in its arguments. */
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

/** The arguments as the vendors send them that send no text; an empty object where they broke off or are none. */
export function readArguments({ pieces }: AnsweredCall): object {
  try {
    const value: unknown = JSON.parse(pieces.join(""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {}; // Cut by the limit, or said to be no JSON by a directive.
  }
}
