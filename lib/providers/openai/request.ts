// A model call in the words of chat completions. What the call leaves open is not sent.

import type { ModelCall, ProviderId, ResponseFormat, Tool, ToolChoice, WireRequest } from "../types";
import { type OpenAIDialect, openaiDialect } from "./dialect";
import { openaiMessages } from "./messages";

/** The request of one chat completion; `provider` and `wireName` decide which of the options the model is told. */
export function buildOpenAIRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId): WireRequest {
  return {
    path: "chat/completions",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(openaiBody(call, wireName, openaiDialect(wireName, provider))),
  };
}

/** One object of one shape for every call, not put together from parts: each request makes one. What is undefined is not written. */
function openaiBody(call: ModelCall, wireName: string, dialect: OpenAIDialect): object {
  const { limit, takesSampling, takesPenalties } = dialect;
  // Nothing of tools without tools: OpenAI answers 400 to `tool_choice` and `parallel_tool_calls` alone.
  const tools = call.tools?.length ? call.tools : undefined;
  return {
    model: wireName,
    messages: openaiMessages(call, dialect),
    max_completion_tokens: limit === "max_completion_tokens" ? call.maxOutputTokens : undefined,
    max_tokens: limit === "max_tokens" ? call.maxOutputTokens : undefined,
    temperature: takesSampling ? call.temperature : undefined,
    top_p: takesSampling ? call.topP : undefined,
    frequency_penalty: takesPenalties ? call.frequencyPenalty : undefined,
    presence_penalty: takesPenalties ? call.presencePenalty : undefined,
    stop: takesPenalties && call.stop?.length ? call.stop : undefined,
    seed: dialect.takesSeed ? call.seed : undefined,
    tools: tools?.map((tool) => openaiTool(tool, dialect)),
    tool_choice: tools && openaiToolChoice(call.toolChoice),
    parallel_tool_calls: tools && dialect.takesParallelToolCalls ? call.parallelToolCalls : undefined,
    reasoning_effort: tools && dialect.needsNoEffortForTools ? "none" : undefined,
    // "Thinking mode does not support this tool_choice": the customer asked for the tool, not for the thinking.
    thinking: tools && dialect.thinks && isForced(call.toolChoice) ? { type: "disabled" } : undefined,
    response_format: openaiResponseFormat(call.responseFormat, dialect),
    stream: call.stream || undefined,
    stream_options: call.stream ? { include_usage: true } : undefined,
  };
}

function openaiTool({ name, description, parameters, strict }: Tool, dialect: OpenAIDialect): object {
  return { type: "function", function: { name, description, parameters, strict: dialect.takesStrictTools ? strict : undefined } };
}

const isForced = (choice: ToolChoice | undefined): boolean => choice === "required" || typeof choice === "object";

function openaiToolChoice(choice: ToolChoice | undefined): object | string | undefined {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice;
}

function openaiResponseFormat(format: ResponseFormat | undefined, dialect: OpenAIDialect): object | undefined {
  if (format === undefined) return undefined;
  if (format.type === "json_object" || !dialect.takesJsonSchema) return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: { name, description, schema, strict } };
}
