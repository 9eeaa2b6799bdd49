// Reasoning options in Anthropic's words: a budget, or adaptive thinking with an effort, by the model's generation. A combination that a
// model answers with 400 is served without thinking.

import { budgetOf, effortOf, nearestEffort, thinksNot } from "../effort";
import type { ModelRoute } from "../model-route";
import type { ModelCall, ReasoningOptions } from "../types";
import { hasReasoningOf } from "./messages";
import { type Claude, readClaude, thinkingOff, thinkingStyle } from "./model-rules";

type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface AnthropicThinking {
  config?:
    | { type: "enabled"; budget_tokens: number }
    | { type: "adaptive"; display?: "summarized" | "omitted" | undefined }
    | { type: "disabled" | "between_tools" };
  /** `output_config.effort` */
  effort?: Effort | undefined;
}

/** Nothing for a call that says nothing: the model does as it does by itself. */
export function anthropicThinking(call: ModelCall, route: ModelRoute): AnthropicThinking {
  const { reasoning } = call;
  const claude = readClaude(route.wireName);
  const style = thinkingStyle(claude);
  if (reasoning === undefined || claude === undefined || style === "none") return {};
  return style === "budget" ? thinkWithBudget(call, reasoning, route) : thinkWithEffort(call, reasoning, claude);
}

const MIN_BUDGET = 1_024;

/** Up to Claude 4.5. These have no effort that is not in beta, so one alone changes nothing. */
function thinkWithBudget(call: ModelCall, reasoning: ReasoningOptions, route: ModelRoute): AnthropicThinking {
  if (thinksNot(reasoning) || reasoning.mode === "default" || isForced(call)) return {};
  if (call.maxOutputTokens <= MIN_BUDGET || hasOpenTurn(call, route)) return {};
  const wanted = budgetOf(reasoning, call) ?? Math.floor(call.maxOutputTokens / 2);
  return { config: { type: "enabled", budget_tokens: Math.max(MIN_BUDGET, wanted) } };
}

/** "Thinking may not be enabled when tool_choice forces tool use." */
const isForced = ({ tools, toolChoice }: ModelCall): boolean =>
  Boolean(tools?.length) && (toolChoice === "required" || typeof toolChoice === "object");

/**
 * A turn that began without thinking must end without it: an answer to be continued, or calls whose message begins with no thought of this
 * model ("Expected `thinking` or `redacted_thinking`, but found `tool_use`").
 */
function hasOpenTurn({ messages }: ModelCall, route: ModelRoute): boolean {
  const last = messages.findLast(({ role }) => role !== "system");
  if (last?.role === "assistant") return true;
  if (last?.role !== "tool") return false;
  const caller = messages.findLast(({ role }) => role === "assistant");
  return caller !== undefined && !hasReasoningOf(caller, route);
}

function thinkWithEffort(call: ModelCall, reasoning: ReasoningOptions, claude: Claude): AnthropicThinking {
  const wanted = effortOf(reasoning, call);
  if (thinksNot(reasoning)) return turnOff(reasoning, claude);
  const effort = wanted && nearestEffort(wanted, effortsOf(claude));
  if (reasoning.mode === "default" || isForced(call)) return { effort };
  return { config: { type: "adaptive", display: displayOf(reasoning, claude) }, effort };
}

/** Since Claude 4.7 thoughts are left out unless they are asked for. */
function displayOf({ visible }: ReasoningOptions, { version }: Claude): "summarized" | "omitted" | undefined {
  if (visible === undefined || version < 407) return undefined;
  return visible ? "summarized" : "omitted";
}

/** `xhigh` came with Claude Opus 4.7. */
const effortsOf = ({ version }: Claude): readonly Effort[] =>
  version < 407 ? ["low", "medium", "high", "max"] : ["low", "medium", "high", "xhigh", "max"];

/** `disabled` is accepted at `high` or below; a model that always thinks is asked to think little. */
function turnOff({ effort: given }: ReasoningOptions, claude: Claude): AnthropicThinking {
  const effort = given === undefined || given === "none" ? undefined : nearestEffort(given, ["low", "medium", "high"]);
  switch (thinkingOff(claude)) {
    case "absent":
      return { effort };
    case "disabled":
      return { config: { type: "disabled" }, effort };
    case "between_tools":
      return { config: { type: "between_tools" }, effort };
    case "never":
      return { effort: "low" };
  }
}
