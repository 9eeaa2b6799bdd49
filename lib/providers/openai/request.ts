// A model call as a chat completions request, with the differences between its models. Options that the call leaves open are not sent.

import { callIdUpTo, hashOf, numbered, type WireCallId } from "../conversation/call-ids";
import type { ImagePart } from "../conversation/images";
import { type ChatMessage, type ContentPart, contentText, isPlain, type ToolCall } from "../conversation/messages";
import { normaliseConversation } from "../conversation/normalise";
import { shapeRules } from "../conversation/shape-rules";
import { objectSchema } from "../conversation/tool-schema";
import { openaiDetail } from "../image-bound/openai";
import { hasImages, imageUrl, wireBody } from "../image-bound/wire-images";
import type { ModelRoute, ProviderId } from "../model-route";
import type { RouteEntry } from "../provider-entry";
import { type SamplingField, samplingOptions } from "../sampling";
import type { ModelCall, ResponseFormat, Tool, ToolChoice, WireRequest } from "../types";
import { entryDialect, type OpenAIDialect, withEntryFields } from "./dialect";
import { deepseekThinking, openaiEffort } from "./effort";
import { thoughtFields } from "./reasoning";

/** The request of one chat completion; `provider` and `wireName` decide which options are sent. */
export function buildOpenAIRequest(
  call: ModelCall,
  wireName: string,
  apiKey: string,
  provider: ProviderId,
  entry?: RouteEntry,
): WireRequest {
  const body = openaiBody(call, { wireName, provider }, entry ? entryDialect(entry) : openaiDialect(wireName, provider));
  const json = JSON.stringify(entry ? withEntryFields(body, entry, call.cacheScope) : body);
  return {
    path: "chat/completions",
    headers: openaiHeaders(call, apiKey, provider),
    ...(isPlain(call.messages) ? { body: json } : wireBody(json, call.messages)),
  };
}

/** xAI keeps caches by server, and sends a conversation's requests to one: docs.x.ai, "Maximizing Cache Hits", read 2026-11-26. */
function openaiHeaders({ cacheScope }: ModelCall, apiKey: string, provider: ProviderId): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
  if (provider === "xai" && cacheScope !== undefined) headers["x-grok-conv-id"] = cacheScope;
  return headers;
}

/** One object of one shape for every call but for its sampling: each request creates one. Undefined fields are not serialized. */
function openaiBody(call: ModelCall, { wireName, provider }: ModelRoute, dialect: OpenAIDialect): object {
  const { limit } = dialect;
  // Without tools no tool option is sent: OpenAI answers 400 to `tool_choice` and `parallel_tool_calls` alone.
  const tools = call.tools?.length ? callableTools(call.tools, call.toolChoice, dialect) : undefined;
  return {
    model: wireName,
    messages: openaiMessages(call, { wireName, provider }, dialect),
    max_completion_tokens: limit === "max_completion_tokens" ? call.maxOutputTokens : undefined,
    max_tokens: limit === "max_tokens" ? call.maxOutputTokens : undefined,
    stop: dialect.stop && call.stop?.length ? call.stop : undefined,
    seed: dialect.seed === "seed" ? call.seed : undefined,
    random_seed: dialect.seed === "random_seed" ? call.seed : undefined,
    tools: tools?.map((tool) => openaiTool(tool, dialect)),
    tool_choice: tools && openaiToolChoice(call.toolChoice, dialect),
    parallel_tool_calls: tools && dialect.parallelToolCalls ? call.parallelToolCalls : undefined,
    reasoning_effort:
      tools && dialect.needsNoEffortForTools ? "none" : call.reasoning && openaiEffort(call, wireName, provider, dialect.efforts),
    thinking: dialect.thinks ? thinkingSwitch(call) : undefined,
    response_format: openaiResponseFormat(call.responseFormat, dialect),
    // Older models take "medium" only.
    verbosity: provider === "openai" && !dialect.sampling ? call.verbosity : undefined,
    // Never the project's own choice of a tier, which may cost more.
    service_tier: dialect.hasServiceTiers ? "default" : undefined,
    // Caches are kept apart by account (decisions/0029): https://api-docs.deepseek.com/quick_start/rate_limit, "KVCache isolation".
    user_id: provider === "deepseek" ? call.cacheScope : undefined,
    prompt_cache_key: provider === "openai" ? call.cacheScope : undefined,
    // Without breakpoints nothing is cached, so that no write is billed: https://developers.openai.com/api/docs/guides/prompt-caching.
    prompt_cache_options: dialect.billsCacheWrites && call.caching === "off" ? { mode: "explicit" } : undefined,
    stream: call.stream || undefined,
    stream_options: call.stream && dialect.streamOptions ? { include_usage: true } : undefined,
    ...samplingOf(call, dialect),
  };
}

function samplingOf(call: ModelCall, dialect: OpenAIDialect): Partial<Record<SamplingField, number>> {
  const sampling: Partial<Record<SamplingField, number>> = {};
  for (const [option, { field, takenWith }] of samplingOptions) {
    const value = call[option];
    if (value !== undefined && dialect[takenWith]) sampling[field] = value;
  }
  return sampling;
}

/** "Thinking mode does not support this tool_choice": the customer requested the tool, not the thinking. */
const thinkingSwitch = (call: ModelCall): object | undefined =>
  call.tools?.length && isForced(call.toolChoice) ? { type: "disabled" } : deepseekThinking(call);

function openaiTool({ name, description, parameters, strict }: Tool, dialect: OpenAIDialect): object {
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: parameters && objectSchema(parameters),
      strict: dialect.strictTools ? strict : undefined,
    },
  };
}

const isForced = (choice: ToolChoice | undefined): boolean => choice === "required" || typeof choice === "object";

/** Where no tool can be named, the model sees only the named one. */
function callableTools(tools: readonly Tool[], choice: ToolChoice | undefined, dialect: OpenAIDialect): readonly Tool[] {
  return typeof choice === "object" && dialect.toolChoice !== "named" ? tools.filter(({ name }) => name === choice.name) : tools;
}

function openaiToolChoice(choice: ToolChoice | undefined, { toolChoice }: OpenAIDialect): object | string | undefined {
  if (isForced(choice) && toolChoice !== "named") return toolChoice;
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice;
}

function openaiResponseFormat(format: ResponseFormat | undefined, dialect: OpenAIDialect): object | undefined {
  if (format === undefined) return undefined;
  if (format.type === "json_object" || !dialect.jsonSchema) return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: { name, description, schema, strict } };
}

function openaiMessages({ messages, responseFormat }: ModelCall, route: ModelRoute, dialect: OpenAIDialect): object[] {
  const wireId = dialect.toolCallIds === "short" ? shortCallId : openaiCallId;
  const written = normaliseConversation(messages, shapeRules[dialect.turns], wireId).map((message) =>
    openaiMessage(message, route, dialect),
  );
  if (responseFormat?.type !== "json_schema" || dialect.jsonSchema) return written;
  // JSON mode must also be requested in a message: https://api-docs.deepseek.com/guides/json_mode
  const content = `Return JSON that conforms to this JSON Schema: ${JSON.stringify(responseFormat.schema)}`;
  return [{ role: "system", content }, ...written];
}

function openaiPart(part: ContentPart, dialect: OpenAIDialect): object {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: imageUrl(part), detail: dialect.imageDetail(part) } };
}

/** `system` everywhere: OpenAI reads it as its newer `developer` role, which compatible servers do not know. */
function openaiMessage(message: ChatMessage, route: ModelRoute, dialect: OpenAIDialect): object {
  const content = contentText(message.content);
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        content: content === "" && message.toolCalls?.length ? null : content,
        tool_calls: message.toolCalls?.length ? message.toolCalls.map(openaiToolCall) : undefined,
        ...thoughtFields(message, route, dialect.reasoningContent),
      };
    case "tool":
      return { role: "tool", content, tool_call_id: message.toolCallId };
    default:
      if (typeof message.content === "string" || !hasImages(message.content)) return { role: message.role, content };
      return { role: message.role, content: message.content.map((part) => openaiPart(part, dialect)) };
  }
}

const openaiToolCall = ({ id, name, arguments: text }: ToolCall): object => ({ id, type: "function", function: { name, arguments: text } });

const openaiCallId = callIdUpTo(40);

/** Mistral's have nine letters and digits. */
const shortCallId: WireCallId = (id, copy) => (copy === 1 && /^[A-Za-z0-9]{9}$/.test(id) ? id : hashOf(numbered(id, copy)).slice(0, 9));

/** The dialect of a vendor's model. */
function openaiDialect(wireName: string, provider: ProviderId): OpenAIDialect {
  const reasons = !takesSampling(wireName);
  const isDeepSeek = provider === "deepseek";
  // All models but the oldest think unless told otherwise: https://api-docs.deepseek.com/guides/thinking_mode
  const thinks = isDeepSeek && wireName !== "deepseek-chat";
  const takesPenalties = !reasons && (provider !== "xai" || xaiWithoutReasoning.test(wireName));
  const ownDetail = ({ detail, source }: ImagePart) => openaiDetail(wireName, detail, source.kind === "bytes" ? source : null);
  return {
    limit: provider === "openai" ? "max_completion_tokens" : "max_tokens",
    // "original" is OpenAI's alone.
    imageDetail: provider === "openai" ? ownDetail : ({ detail }) => (detail === "low" ? "low" : "high"),
    sampling: !reasons,
    penalties: takesPenalties,
    stop: takesPenalties,
    // DeepSeek's reference knows neither `seed` nor `parallel_tool_calls` nor json_schema, which it answers with "This
    // response_format type is unavailable now", and `strict` only at its beta address:
    // https://api-docs.deepseek.com/api/create-chat-completion, https://api-docs.deepseek.com/guides/tool_calls
    seed: isDeepSeek ? "none" : "seed",
    parallelToolCalls: !isDeepSeek && !oSeries.test(wireName),
    strictTools: !isDeepSeek,
    jsonSchema: !isDeepSeek,
    toolChoice: "named",
    toolCallIds: "any",
    turns: "openai",
    streamOptions: true,
    efforts: undefined,
    hasServiceTiers: provider === "openai",
    billsCacheWrites: billsCacheWrites({ provider, wireName }),
    needsNoEffortForTools: sinceGpt56.test(wireName),
    thinks,
    reasoningContent: thinks,
  };
}

/** False for a model that reasons or searches. */
export const takesSampling = (wireName: string): boolean => !reasoning.test(wireName);

// OpenAI's reasoning models (o1, o3-mini, gpt-5, gpt-5.1 …, not gpt-5-chat) and its search previews answer 400 to any temperature,
// top_p or penalty except the default, and to `stop`: https://platform.openai.com/docs/guides/reasoning,
// https://platform.openai.com/docs/api-reference/chat/create ("Not supported with latest reasoning models").
const reasoning = /^(?:.*\/)?(?:o\d+(?:-|$)|gpt-(?:[5-9]|\d\d)(?!-chat)(?:[.-]|$)|gpt-4o(?:-mini)?-search-preview)/;

// The o-series answers 400 to `parallel_tool_calls`: https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning
const oSeries = /^(?:.*\/)?o\d+(?:-|$)/;

// From gpt-5.6 on: "Function tools with reasoning_effort are not supported in /v1/chat/completions. To use function tools,
// use /v1/responses or set reasoning_effort to 'none'", which is also the answer when no effort is set. From it on cache writes are billed.
const sinceGpt56 = /^(?:.*\/)?gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)(?:[.-]|$)/;

// "presencePenalty, frequencyPenalty and stop parameters are not supported by reasoning models": https://docs.x.ai/docs/guides/reasoning.
// Every current model reasons, except those whose name says that they do not.
const xaiWithoutReasoning = /non-reasoning/;

/** True where input is written into the cache by itself, at a price of its own. */
export const billsCacheWrites = ({ provider, wireName }: { provider: ProviderId; wireName: string }): boolean =>
  provider === "openai" && sinceGpt56.test(wireName);
