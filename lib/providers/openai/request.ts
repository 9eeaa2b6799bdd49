// A model call as a chat completions request, with the differences between its models. Options that the call leaves open are not sent.

import { createHash } from "node:crypto";
import { openaiDetail } from "../image-bound/openai";
import { hasImages, imageUrl, wireBody, withToolImages } from "../image-bound/wire-images";
import { type ImageDetail, type ImagePart, isPlain } from "../image-types";
import {
  type ChatMessage,
  type ContentPart,
  contentText,
  type ModelCall,
  type ModelRoute,
  type ProviderId,
  type ResponseFormat,
  type Tool,
  type ToolCall,
  type ToolChoice,
  type WireRequest,
} from "../types";
import { deepseekThinking, openaiEffort } from "./effort";

/** The request of one chat completion; `provider` and `wireName` decide which options are sent. */
export function buildOpenAIRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId): WireRequest {
  const json = JSON.stringify(openaiBody(call, { wireName, provider }, openaiDialect(wireName, provider)));
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

/** One object of one shape for every call, not assembled from parts: each request creates one. Undefined fields are not serialized. */
function openaiBody(call: ModelCall, { wireName, provider }: ModelRoute, dialect: OpenAIDialect): object {
  const { limit, takesSampling, takesPenalties } = dialect;
  // Without tools no tool option is sent: OpenAI answers 400 to `tool_choice` and `parallel_tool_calls` alone.
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
    reasoning_effort: tools && dialect.needsNoEffortForTools ? "none" : call.reasoning && openaiEffort(call, wireName, provider),
    thinking: dialect.thinks ? thinkingSwitch(call) : undefined,
    response_format: openaiResponseFormat(call.responseFormat, dialect),
    // Never the project's own choice of a tier, which may cost more.
    service_tier: dialect.hasServiceTiers ? "default" : undefined,
    // Caches are kept apart by account (decisions/0029): https://api-docs.deepseek.com/quick_start/rate_limit, "KVCache isolation".
    user_id: provider === "deepseek" ? call.cacheScope : undefined,
    prompt_cache_key: provider === "openai" ? call.cacheScope : undefined,
    // Without breakpoints nothing is cached, so that no write is billed: https://developers.openai.com/api/docs/guides/prompt-caching.
    prompt_cache_options: dialect.billsCacheWrites && call.caching === "off" ? { mode: "explicit" } : undefined,
    stream: call.stream || undefined,
    stream_options: call.stream ? { include_usage: true } : undefined,
  };
}

/** "Thinking mode does not support this tool_choice": the customer requested the tool, not the thinking. */
const thinkingSwitch = (call: ModelCall): object | undefined =>
  call.tools?.length && isForced(call.toolChoice) ? { type: "disabled" } : deepseekThinking(call);

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

function openaiMessages({ messages, responseFormat }: ModelCall, dialect: OpenAIDialect): object[] {
  const written = (isPlain(messages) ? messages : withToolImages(messages)).map((message) => openaiMessage(message, dialect));
  if (responseFormat?.type !== "json_schema" || dialect.takesJsonSchema) return written;
  // JSON mode must also be requested in a message: https://api-docs.deepseek.com/guides/json_mode
  const content = `Return JSON that conforms to this JSON Schema: ${JSON.stringify(responseFormat.schema)}`;
  return [{ role: "system", content }, ...written];
}

function openaiPart(part: ContentPart, dialect: OpenAIDialect): object {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: imageUrl(part), detail: dialect.imageDetail(part) } };
}

/** `system` everywhere: OpenAI reads it as its newer `developer` role, which compatible servers do not know. */
function openaiMessage(message: ChatMessage, dialect: OpenAIDialect): object {
  const content = contentText(message.content);
  switch (message.role) {
    case "assistant":
      return {
        role: "assistant",
        content: content === "" && message.toolCalls?.length ? null : content,
        tool_calls: message.toolCalls?.length ? message.toolCalls.map(openaiToolCall) : undefined,
        // Our answers do not include thoughts, so there are none to send back; DeepSeek accepts empty ones.
        reasoning_content: dialect.thinks ? "" : undefined,
      };
    case "tool":
      return { role: "tool", content, tool_call_id: shortId(message.toolCallId) };
    default:
      if (typeof message.content === "string" || !hasImages(message.content)) return { role: message.role, content };
      return { role: message.role, content: message.content.map((part) => openaiPart(part, dialect)) };
  }
}

function openaiToolCall({ id, name, arguments: text }: ToolCall): object {
  return { id: shortId(id), type: "function", function: { name, arguments: text } };
}

const maxIdLength = 40;

/** OpenAI answers 400 to a longer id, as in a conversation that began at Gemini: there the id carries a signature. */
function shortId(id: string): string {
  if (id.length <= maxIdLength) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

/**
 * How the models behind chat completions differ. Options that a provider answers with 400 are left out of the request: the customer is
 * served without them.
 */
interface OpenAIDialect {
  imageDetail: (image: ImagePart) => ImageDetail;
  /** OpenAI's reasoning models refuse `max_tokens`; DeepSeek and most compatible servers know only that. */
  limit: "max_completion_tokens" | "max_tokens";
  /** temperature and top_p */
  takesSampling: boolean;
  /** frequency_penalty, presence_penalty and stop */
  takesPenalties: boolean;
  takesSeed: boolean;
  takesParallelToolCalls: boolean;
  takesStrictTools: boolean;
  /** If false, the schema goes into a message and the format is json_object. */
  takesJsonSchema: boolean;
  hasServiceTiers: boolean;
  /** Writes into the prompt cache by itself, at a price of their own. */
  billsCacheWrites: boolean;
  /** Function tools are refused unless `reasoning_effort` is "none": for a limit too low for Responses, or a host without it. */
  needsNoEffortForTools: boolean;
  /** DeepSeek's thinking: it refuses a forced tool choice, and assistant messages without `reasoning_content`. */
  thinks: boolean;
}

function openaiDialect(wireName: string, provider: ProviderId): OpenAIDialect {
  const reasons = !takesSampling(wireName);
  const isDeepSeek = provider === "deepseek";
  const ownDetail = ({ detail, source }: ImagePart) => openaiDetail(wireName, detail, source.kind === "bytes" ? source : null);
  return {
    limit: provider === "openai" ? "max_completion_tokens" : "max_tokens",
    // "original" is OpenAI's alone.
    imageDetail: provider === "openai" ? ownDetail : ({ detail }) => (detail === "low" ? "low" : "high"),
    takesSampling: !reasons,
    takesPenalties: !reasons && (provider !== "xai" || xaiWithoutReasoning.test(wireName)),
    // DeepSeek's reference knows neither `seed` nor `parallel_tool_calls` nor json_schema, which it answers with "This
    // response_format type is unavailable now", and `strict` only at its beta address:
    // https://api-docs.deepseek.com/api/create-chat-completion, https://api-docs.deepseek.com/guides/tool_calls
    takesSeed: !isDeepSeek,
    takesParallelToolCalls: !isDeepSeek && !oSeries.test(wireName),
    takesStrictTools: !isDeepSeek,
    takesJsonSchema: !isDeepSeek,
    hasServiceTiers: provider === "openai",
    billsCacheWrites: billsCacheWrites({ provider, wireName }),
    needsNoEffortForTools: sinceGpt56.test(wireName),
    // All models but the oldest think unless told otherwise: https://api-docs.deepseek.com/guides/thinking_mode
    thinks: isDeepSeek && wireName !== "deepseek-chat",
  };
}

/** False for a model that reasons, and for one that searches. */
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
