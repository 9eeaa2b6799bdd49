// A model call in the words of chat completions. What the call leaves open is not sent.

import type { ModelCall, ProviderId, ResponseFormat, ToolChoice, WireRequest } from "../types";
import { type OpenAIDialect, openaiDialect } from "./dialect";
import { openaiMessages } from "./messages";

/** The request of one chat completion; `provider` and `wireName` decide which of the options the model is told. */
export function buildOpenAIRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId): WireRequest {
  const dialect = openaiDialect(wireName, provider);
  return {
    path: "chat/completions",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: wireName,
      messages: openaiMessages(call, dialect),
      [dialect.limit]: call.maxOutputTokens,
      ...samplingOptions(call, dialect),
      ...toolOptions(call, dialect),
      response_format: openaiResponseFormat(call.responseFormat, dialect),
      stream: call.stream || undefined,
      stream_options: call.stream ? { include_usage: true } : undefined,
    }),
  };
}

function samplingOptions(call: ModelCall, dialect: OpenAIDialect): object {
  return {
    ...(dialect.takesSampling && { temperature: call.temperature, top_p: call.topP }),
    ...(dialect.takesPenalties && {
      frequency_penalty: call.frequencyPenalty,
      presence_penalty: call.presencePenalty,
      stop: call.stop?.length ? call.stop : undefined,
    }),
    seed: dialect.takesSeed ? call.seed : undefined,
  };
}

/** Nothing without tools: OpenAI answers 400 to `tool_choice` and `parallel_tool_calls` alone. */
function toolOptions({ tools = [], toolChoice, parallelToolCalls }: ModelCall, dialect: OpenAIDialect): object {
  if (tools.length === 0) return {};
  const isForced = toolChoice === "required" || typeof toolChoice === "object";
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: "function",
      function: { name, description, parameters, strict: dialect.takesStrictTools ? strict : undefined },
    })),
    tool_choice: openaiToolChoice(toolChoice),
    parallel_tool_calls: dialect.takesParallelToolCalls ? parallelToolCalls : undefined,
    reasoning_effort: dialect.needsNoEffortForTools ? "none" : undefined,
    // "Thinking mode does not support this tool_choice": the customer asked for the tool, not for the thinking.
    thinking: dialect.thinks && isForced ? { type: "disabled" } : undefined,
  };
}

function openaiToolChoice(choice: ToolChoice | undefined): object | string | undefined {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice;
}

function openaiResponseFormat(format: ResponseFormat | undefined, dialect: OpenAIDialect): object | undefined {
  if (format === undefined) return undefined;
  if (format.type === "json_object" || !dialect.takesJsonSchema) return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: { name, description, schema, strict } };
}
