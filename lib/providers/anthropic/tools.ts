// The customer's functions as Anthropic's tools, and the choice among them:
// https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/define-tools.

import type { ModelCall, Tool } from "../types";
import { takesForcedTools } from "./abilities";

interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
}

interface AnthropicToolChoice {
  type: "auto" | "none" | "any" | "tool";
  name?: string;
  disable_parallel_tool_use?: boolean;
}

interface Choice {
  tool_choice?: AnthropicToolChoice;
  /** For the system prompt, where the model takes no tool_choice that says it. */
  instruction?: string;
}

/** Nothing without tools: a tool_choice alone is answered with 400. */
export function anthropicTools(call: ModelCall, wireName: string): Choice & { tools?: AnthropicTool[] } {
  if (call.tools === undefined || call.tools.length === 0) return {};
  return { tools: call.tools.map(anthropicTool), ...chooseTool(call, wireName) };
}

/**
 * `strict` is left out: Anthropic holds a model only to a part of JSON Schema, to 20 tools and to 16 values that may be null
 * among all of them ("Schema complexity limits" of structured outputs), and answers 400 beyond, where OpenAI's strict tools,
 * which make each optional value nullable, go on.
 */
function anthropicTool({ name, description, parameters }: Tool): AnthropicTool {
  // The type is required, and absent in what OpenAI takes for a function without arguments.
  const input_schema = parameters === undefined ? { type: "object", properties: {} } : { type: "object", ...parameters };
  return { name, description, input_schema };
}

function chooseTool({ toolChoice, parallelToolCalls }: ModelCall, wireName: string): Choice {
  const disable_parallel_tool_use = parallelToolCalls === false ? true : undefined;
  if (toolChoice === undefined) return disable_parallel_tool_use ? { tool_choice: { type: "auto", disable_parallel_tool_use } } : {};
  // Of the four, `none` alone has no such field.
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (toolChoice === "auto") return { tool_choice: { type: "auto", disable_parallel_tool_use } };
  const name = toolChoice === "required" ? undefined : toolChoice.name;
  if (takesForcedTools(wireName)) return { tool_choice: { type: name === undefined ? "any" : "tool", name, disable_parallel_tool_use } };
  // Anthropic's own advice for these models: leave the choice to the model, and ask for the tool in words.
  const instruction = name === undefined ? "Answer by calling at least one of the tools." : `Answer by calling the tool ${name}.`;
  return { tool_choice: { type: "auto", disable_parallel_tool_use }, instruction };
}
