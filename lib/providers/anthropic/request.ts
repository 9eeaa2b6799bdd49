// A model call as a request to Anthropic's Messages API.

import { normaliseConversation } from "../conversation/normalise";
import { objectSchema } from "../conversation/tool-schema";
import { wireBody } from "../image-bound/wire-images";
import type { ProviderId } from "../model-route";
import type { ModelCall, ResponseFormat, Tool, WireRequest } from "../types";
import { anthropicCallId, anthropicMessages, anthropicSystem, type CacheControl, cacheControl } from "./messages";
import { claudeShape, readClaude, takesForcedTools, takesOutputFormat, takesSampling } from "./model-rules";
import { narrowSchema } from "./schema";
import { type AnthropicThinking, anthropicThinking } from "./thinking";

/** Options that Anthropic does not support (seed, penalties) are left out. */
export function buildAnthropicRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId = "anthropic"): WireRequest {
  const route = { provider, wireName };
  const { tools, tool_choice, instruction: toolInstruction } = anthropicTools(call, wireName);
  const { format, instruction: formatInstruction } = anthropicOutputFormat(call.responseFormat, wireName);
  const thinking = anthropicThinking(call, route);
  const messages = normaliseConversation(call.messages, claudeShape(route), anthropicCallId);
  return {
    path: "v1/messages",
    headers: { "content-type": "application/json", "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    ...wireBody(
      JSON.stringify({
        model: wireName,
        max_tokens: call.maxOutputTokens,
        system: anthropicSystem(messages, [toolInstruction, formatInstruction]),
        messages: anthropicMessages(messages, route),
        tools,
        tool_choice,
        thinking: thinking.config,
        output_config: format || thinking.effort ? { effort: thinking.effort, format } : undefined,
        stop_sequences: stopSequences(call.stop),
        // Never the priority tier, which has prices of its own: https://docs.anthropic.com/en/api/service-tiers.
        service_tier: "standard_only",
        stream: call.stream || undefined,
        ...sampling(call, wireName, thinking),
      }),
      call.messages,
    ),
  };
}

/**
 * Our temperature is 0 to 2, as at OpenAI; Anthropic's is 0 to 1. The numbers mean the same up to 1, so higher ones are capped
 * there: halving all of them would change every answer requested at 0.7 or 1. From Claude Opus 4.1 on, temperature and top_p
 * together get a 400, and older models advise against it: the temperature takes precedence.
 */
function sampling({ temperature, topP, topK }: ModelCall, wireName: string, { config }: AnthropicThinking): Sampling {
  // "Thinking isn't compatible with temperature or top_k modifications."
  if (!takesSampling(readClaude(wireName)) || (config !== undefined && config.type !== "disabled")) return {};
  return temperature === undefined ? { top_p: topP, top_k: topK } : { temperature: Math.min(temperature, 1), top_k: topK };
}

interface Sampling {
  temperature?: number | undefined;
  top_p?: number | undefined;
  top_k?: number | undefined;
}

/** "each stop sequence must contain non-whitespace": a blank one gets a 400, so OpenAI's usual "\n" is left out. */
function stopSequences(stop: ModelCall["stop"]): string[] | undefined {
  const sequences = stop?.filter((sequence) => sequence.trim() !== "") ?? [];
  return sequences.length === 0 ? undefined : sequences;
}

interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: Record<string, unknown>;
  cache_control?: CacheControl | undefined;
}

interface AnthropicToolChoice {
  type: "auto" | "none" | "any" | "tool";
  name?: string;
  disable_parallel_tool_use?: boolean;
}

interface Choice {
  tool_choice?: AnthropicToolChoice;
  /** For the system prompt, where the model accepts no tool_choice that says it. */
  instruction?: string;
}

/**
 * The customer's functions as Anthropic's tools, and the tool choice:
 * https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/define-tools. Neither is sent without tools: a lone tool_choice gets a 400.
 */
function anthropicTools(call: ModelCall, wireName: string): Choice & { tools?: AnthropicTool[] } {
  if (call.tools === undefined || call.tools.length === 0) return {};
  return { tools: call.tools.map(anthropicTool), ...chooseTool(call, wireName) };
}

/**
 * `strict` is left out: Anthropic enforces only a part of JSON Schema, for at most 20 tools and 16 nullable values among all of
 * them ("Schema complexity limits" of structured outputs), and beyond that answers 400, where OpenAI's strict tools, which make
 * each optional value nullable, still work.
 */
function anthropicTool({ name, description, parameters, cache }: Tool): AnthropicTool {
  // Anthropic requires a schema, which OpenAI's function without arguments does not have.
  const input_schema = parameters === undefined ? { type: "object", properties: {} } : objectSchema(parameters);
  return { name, description, input_schema, cache_control: cacheControl(cache) };
}

function chooseTool({ toolChoice, parallelToolCalls }: ModelCall, wireName: string): Choice {
  const disable_parallel_tool_use = parallelToolCalls === false ? true : undefined;
  if (toolChoice === undefined) return disable_parallel_tool_use ? { tool_choice: { type: "auto", disable_parallel_tool_use } } : {};
  // Only `none` has no such field.
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (toolChoice === "auto") return { tool_choice: { type: "auto", disable_parallel_tool_use } };
  const name = toolChoice === "required" ? undefined : toolChoice.name;
  if (takesForcedTools(readClaude(wireName)))
    return { tool_choice: { type: name === undefined ? "any" : "tool", name, disable_parallel_tool_use } };
  // Anthropic's own advice for these models: leave the choice to the model, and request the tool in the prompt.
  const instruction = name === undefined ? "Answer by calling at least one of the tools." : `Answer by calling the tool ${name}.`;
  return { tool_choice: { type: "auto", disable_parallel_tool_use }, instruction };
}

interface OutputFormat {
  format?: { type: "json_schema"; schema: Record<string, unknown> };
  /** For the system prompt. */
  instruction?: string;
}

const jsonOnly = "Answer with one JSON object and nothing else: no code fence, no words before or after it.";

/**
 * The output format: Anthropic's structured outputs where the model and the schema allow it, otherwise an instruction in the system
 * prompt (https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs). There is no "any JSON" mode. The format's name is
 * left out, since Anthropic has no field for it; its description goes into the schema.
 */
function anthropicOutputFormat(format: ResponseFormat | undefined, wireName: string): OutputFormat {
  if (format === undefined) return {};
  if (format.type === "json_object") return { instruction: jsonOnly };
  const schema = format.description === undefined ? format.schema : { description: format.description, ...format.schema };
  const narrowed = takesOutputFormat(readClaude(wireName)) ? narrowSchema(schema) : undefined;
  if (narrowed !== undefined) return { format: { type: "json_schema", schema: narrowed } };
  return { instruction: `${jsonOnly} It follows this JSON Schema: ${JSON.stringify(schema)}` };
}
