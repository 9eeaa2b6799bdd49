// A model call as a Responses request. Options that the call leaves open are not sent, with two exceptions: `store`, since OpenAI stores
// an answer unless told otherwise, and `strict` of a function, which means true here when it is absent.

import { callIdUpTo } from "../conversation/call-ids";
import {
  type ChatMessage,
  type Content,
  type ContentPart,
  contentText,
  isPlain,
  type MessagePhase,
  type ReasoningBlock,
  type ToolCall,
  toolCallsOf,
} from "../conversation/messages";
import { normaliseConversation } from "../conversation/normalise";
import { shapeRules } from "../conversation/shape-rules";
import { objectSchema } from "../conversation/tool-schema";
import { openaiDetail } from "../image-bound/openai";
import { imageUrl, wireBody } from "../image-bound/wire-images";
import { isSameRoute, type ProviderId } from "../model-route";
import { openaiEffort } from "../openai/effort";
import { billsCacheWrites, takesSampling } from "../openai/request";
import type { ModelCall, ResponseFormat, Tool, WireRequest } from "../types";
import { readJsonObject } from "../wire-value";

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>;

/** The request of one response; `provider` and `wireName` decide whose reasoning goes along. */
export function buildResponsesRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId): WireRequest {
  const json = JSON.stringify(responsesBody(call, { wireName, provider }));
  return {
    path: "responses",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    ...(isPlain(call.messages) ? { body: json } : wireBody(json, call.messages)),
  };
}

interface Target {
  provider: ProviderId;
  wireName: string;
}

/** Undefined fields are not serialized. */
function responsesBody(call: ModelCall, target: Target): object {
  const reasons = !takesSampling(target.wireName);
  const tools = call.tools?.length ? call.tools : undefined;
  return {
    model: target.wireName,
    input: responsesInput(normaliseConversation(call.messages, shapeRules.responses, responsesCallId), target, reasons),
    store: false,
    include: reasons && call.returnsReasoning ? ["reasoning.encrypted_content"] : undefined,
    max_output_tokens: call.maxOutputTokens,
    temperature: reasons ? undefined : call.temperature,
    top_p: reasons ? undefined : call.topP,
    reasoning: reasons ? responsesReasoning(call, target) : undefined,
    tools: tools?.map(responsesTool),
    tool_choice: tools && responsesToolChoice(call, tools),
    parallel_tool_calls: tools && !oSeries.test(target.wireName) ? call.parallelToolCalls : undefined,
    text: responsesText(call, reasons),
    // Both as on chat completions.
    service_tier: target.provider === "openai" ? "default" : undefined,
    prompt_cache_key: target.provider === "openai" ? call.cacheScope : undefined,
    prompt_cache_options: billsCacheWrites(target) && call.caching === "off" ? { mode: "explicit" } : undefined,
    stream: call.stream || undefined,
  };
}

// As on chat completions, the o-series answers 400 to `parallel_tool_calls`.
const oSeries = /^(?:.*\/)?o\d+(?:-|$)/;

function responsesReasoning(call: ModelCall, { wireName, provider }: Target): object | undefined {
  const { reasoning, reasoningSummary } = call;
  const summary = reasoningSummary ?? (reasoning?.visible ? "auto" : undefined);
  const effort = reasoning && openaiEffort(call, wireName, provider);
  return effort === undefined && summary === undefined ? undefined : { effort, summary };
}

function responsesText({ responseFormat, verbosity }: ModelCall, reasons: boolean): object | undefined {
  const format = responseFormat && responsesTextFormat(responseFormat);
  // Older models take "medium" only.
  const wanted = reasons ? verbosity : undefined;
  return format || wanted ? { format, verbosity: wanted } : undefined;
}

function responsesTextFormat(format: ResponseFormat): object {
  if (format.type === "json_object") return { type: "json_object" };
  const { name, description, schema, strict = false } = format;
  return { type: "json_schema", name, description, schema, strict };
}

function responsesTool({ name, description, parameters, strict = false, custom }: Tool): object {
  if (custom) return { type: "custom", name, description: custom.description, format: custom.format };
  // A function without arguments still needs the field.
  return {
    type: "function",
    name,
    description,
    parameters: parameters ? objectSchema(parameters) : { type: "object", properties: {} },
    strict,
  };
}

function responsesToolChoice({ toolChoice }: ModelCall, tools: readonly Tool[]): object | string | undefined {
  if (typeof toolChoice !== "object") return toolChoice;
  const { name } = toolChoice;
  return { type: tools.some((tool) => tool.name === name && tool.custom) ? "custom" : "function", name };
}

function responsesInput(messages: readonly ChatMessage[], target: Target, reasons: boolean): object[] {
  const calls = toolCallsOf(messages);
  const customIds = new Set(calls.filter(({ custom }) => custom).map(({ id }) => id));
  return messages.flatMap((message, index): object[] => {
    if (message.role === "assistant") return assistantItems(message, target, messages[index + 1]?.role === "assistant");
    if (message.role === "tool") {
      const type = customIds.has(message.toolCallId) ? "custom_tool_call_output" : "function_call_output";
      return [{ type, call_id: message.toolCallId, output: plainContent(message.content, target) }];
    }
    if (message.role === "user") return [{ role: "user", content: inputParts(message.content, target) }];
    // OpenAI's reasoning models have a name of their own for it.
    return [{ role: reasons ? "developer" : "system", content: plainContent(message.content, target) }];
  });
}

/** A string where it holds all that there is. */
const plainContent = (content: Content, target: Target): string | object[] =>
  typeof content === "string" ? content : inputParts(content, target);

const inputParts = (content: Content, target: Target): object[] =>
  typeof content === "string" ? [{ type: "input_text", text: content }] : content.map((part) => inputPart(part, target));

function inputPart(part: ContentPart, { provider, wireName }: Target): object {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const { source, detail } = part;
  // "original" is OpenAI's alone.
  const foreign = detail === "low" ? "low" : "high";
  const own = provider === "openai" ? openaiDetail(wireName, detail, source.kind === "bytes" ? source : null) : foreign;
  return { type: "input_image", image_url: imageUrl(part), detail: own };
}

/** Its text, its calls, and each reasoning block where it stood between them; at the end only where an answer follows. */
function assistantItems(message: AssistantMessage, target: Target, isContinued: boolean): object[] {
  const { toolCalls = [], reasoning = [], phase } = message;
  const text = contentText(message.content);
  const items: object[] = [];
  const thoughts = new Set<object>();
  let characters = 0;
  let calls = 0;
  const addUntil = (end: { characters: number; calls: number }): void => {
    if (end.characters > characters) items.push(messageItem(text.slice(characters, end.characters), phase));
    characters = Math.max(characters, end.characters);
    for (; calls < end.calls; calls++) {
      const call = toolCalls[calls];
      if (call) items.push(callItem(call));
    }
  };
  for (const block of reasoning.filter((one) => isReadableBy(one, target))) {
    if (block.after) addUntil(block.after);
    const thought = reasoningItem(block);
    thoughts.add(thought);
    items.push(thought);
  }
  addUntil({ characters: text.length, calls: toolCalls.length });
  // A message is never nothing at all, and a thought never alone: "… was provided without its required following item".
  if (text === "" && toolCalls.length === 0) return [messageItem(text, phase)];
  return isContinued ? items : items.slice(0, items.findLastIndex((item) => !thoughts.has(item)) + 1);
}

const messageItem = (text: string, phase: MessagePhase | undefined): object => ({
  role: "assistant",
  content: [{ type: "output_text", text }],
  phase,
});

/** Nothing is stored at OpenAI, so an item without its encrypted content names nothing; and only its maker can decrypt it. */
const isReadableBy = ({ kind, data, madeBy }: ReasoningBlock, target: Target): boolean =>
  kind === "encrypted" && data !== "" && isSameRoute(madeBy, target);

function reasoningItem({ id, text, data }: ReasoningBlock): object {
  return { type: "reasoning", id, summary: text === "" ? [] : [{ type: "summary_text", text }], encrypted_content: data };
}

function callItem({ id: call_id, name, arguments: text, custom }: ToolCall): object {
  if (!custom) return { type: "function_call", call_id, name, arguments: text };
  const input = readJsonObject(text)?.input;
  return { type: "custom_tool_call", call_id, name, input: typeof input === "string" ? input : text };
}

const responsesCallId = callIdUpTo(64);
