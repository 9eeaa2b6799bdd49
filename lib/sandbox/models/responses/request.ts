// Reads a Responses request as strictly as OpenAI does: unknown fields, calls without their results, reasoning that another model wrote, and
// what a model that does (or does not) reason refuses.

import { isReasoningModel } from "../openai/model-rules";
import { firstIssue } from "../schema-issue";
import type { BrokenRule, CallReading, SimulatedCall, SimulatedImage, SimulatedMessage, ToolChoice } from "../vendor";
import { canDecrypt } from "./encrypted";
import { type ResponsesItem, type ResponsesRequest, responsesRequest, withItemTypes } from "./fields";

/** Reads the body of `POST /v1/responses`. */
export function readResponsesCall(body: unknown): CallReading {
  const typed = withItemTypes(body);
  const parsed = responsesRequest.safeParse(typed);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, typed) } };
  const request: ResponsesRequest = parsed.data;
  const items = itemsOf(request);
  const rule = findModelRule(request) ?? findToolRule(request) ?? findCallRule(items) ?? findReasoningRule(items, request.model);
  const messages = toMessages(request, items);
  const broken = rule ?? findJsonRule(request, messages);
  if (broken !== null) return { refusal: { kind: "broken_rule", ...broken } };
  return { call: toCall(request, messages) };
}

const itemsOf = ({ input }: ResponsesRequest): readonly ResponsesItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;

function findModelRule({ model, temperature, top_p, reasoning, include, previous_response_id }: ResponsesRequest): BrokenRule | null {
  if (previous_response_id) {
    const message = `Previous response with id '${previous_response_id}' not found.`;
    return { message, param: "previous_response_id", code: "previous_response_not_found" };
  }
  const refused = isReasoningModel(model) ? { temperature, top_p } : { "reasoning.effort": reasoning?.effort };
  const param = Object.entries(refused).find(([, value]) => value !== undefined && value !== null)?.[0];
  if (param !== undefined) return { message: `Unsupported parameter: '${param}' is not supported with this model.`, param };
  if (!isReasoningModel(model) && include?.includes("reasoning.encrypted_content")) {
    return { message: "Encrypted content is not supported with this model.", param: "include" };
  }
  return null;
}

function findToolRule({ tools, tool_choice }: ResponsesRequest): BrokenRule | null {
  const param = "tool_choice";
  if (tool_choice === "required" && !tools?.length) {
    return { message: "Tool choice 'required' must be specified with 'tools' parameter.", param };
  }
  if (typeof tool_choice !== "object" || tool_choice === null) return null;
  const isKnown = tools?.some(({ type, name }) => type === tool_choice.type && name === tool_choice.name);
  return isKnown ? null : { message: `Tool choice '${tool_choice.type}' not found in 'tools' parameter.`, param };
}

/** Every call has a result of its own kind after it, and every result a call before it. */
function findCallRule(items: readonly ResponsesItem[]): BrokenRule | null {
  const open = new Map<string, string>();
  for (const item of items) {
    if (item.type === "function_call" || item.type === "custom_tool_call") open.set(item.call_id, item.type);
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue;
    const type = item.type.slice(0, -"_output".length);
    const kind = type.replaceAll("_", " ");
    if (open.get(item.call_id) !== type) {
      return { message: `No tool call found for ${kind} output with call_id ${item.call_id}.`, param: "input" };
    }
    open.delete(item.call_id);
  }
  const [left] = open;
  return left ? { message: `No tool output found for ${left[1].replaceAll("_", " ")} ${left[0]}.`, param: "input" } : null;
}

function findReasoningRule(items: readonly ResponsesItem[], model: string): BrokenRule | null {
  for (const item of items) {
    if (item.type !== "reasoning") continue;
    const encrypted = item.encrypted_content;
    if (!encrypted) {
      const message = `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
      return { message, param: "input" };
    }
    if (canDecrypt(model, encrypted)) continue;
    const shown = `${encrypted.slice(0, 4)}...${encrypted.slice(-4)}`;
    const message = `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    return { message, code: "invalid_encrypted_content" };
  }
  return null;
}

function findJsonRule({ text }: ResponsesRequest, messages: readonly SimulatedMessage[]): BrokenRule | null {
  if (text?.format?.type !== "json_object" || messages.some((message) => /json/i.test(message.text))) return null;
  const message = "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
  return { message, param: "input" };
}

function toMessages({ instructions }: ResponsesRequest, items: readonly ResponsesItem[]): SimulatedMessage[] {
  const given = items.flatMap(toMessage);
  return instructions ? [{ role: "system", text: instructions }, ...given] : given;
}

function toMessage(item: ResponsesItem): SimulatedMessage[] {
  switch (item.type) {
    case "message": {
      const role = item.role === "developer" ? "system" : item.role;
      return [{ role, text: textOf(item.content), images: imagesOf(item.content) }];
    }
    case "function_call":
      return [{ role: "assistant", text: "", toolCalls: [item] }];
    case "custom_tool_call":
      return [{ role: "assistant", text: "", toolCalls: [{ name: item.name, arguments: item.input }] }];
    case "reasoning":
      return []; // OpenAI bills what it decrypts; the simulation bills its summary
    default:
      return [{ role: "tool", text: textOf(item.output), images: imagesOf(item.output) }];
  }
}

function imagesOf(content: string | readonly object[]): SimulatedImage[] {
  if (typeof content === "string") return [];
  return content.flatMap((part): SimulatedImage[] => {
    if (!("image_url" in part) || typeof part.image_url !== "string") return [];
    const data = /^data:[^,]*;base64,/.exec(part.image_url);
    const detail = "detail" in part && (part.detail === "low" || part.detail === "original") ? part.detail : "high";
    return [{ data: data ? part.image_url.slice(data[0].length) : null, detail }];
  });
}

const textOf = (content: string | readonly object[]): string =>
  typeof content === "string"
    ? content
    : content.map((part) => ("text" in part ? String(part.text) : "refusal" in part ? String(part.refusal) : "")).join("");

function toCall(request: ResponsesRequest, messages: SimulatedMessage[]): SimulatedCall {
  const { tools, tool_choice, text } = request;
  const format = text?.format;
  return {
    model: request.model,
    stream: request.stream ?? false,
    messages,
    maxOutputTokens: request.max_output_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    tools: (tools ?? []).map((tool) =>
      tool.type === "custom"
        ? { name: tool.name, description: tool.description, isCustom: true }
        : { name: tool.name, description: tool.description ?? undefined, parameters: tool.parameters ?? undefined },
    ),
    toolChoice: readChoice(tool_choice),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    stop: [],
    json: format === undefined || format.type === "text" ? undefined : format.type === "json_object" ? {} : { schema: format.schema },
    cache: { isOff: request.prompt_cache_options?.mode === "explicit", scope: request.prompt_cache_key ?? undefined },
    wantsUsage: true,
    responses: {
      ...pickEcho(request),
      encryptsReasoning: request.include?.includes("reasoning.encrypted_content") ?? false,
      summarizes: Boolean(request.reasoning?.summary),
    },
  };
}

const readChoice = (choice: ResponsesRequest["tool_choice"]): ToolChoice =>
  typeof choice === "object" && choice !== null ? { mode: "required", names: [choice.name] } : { mode: choice ?? "auto" };

/** What a response repeats of its request. */
function pickEcho(request: ResponsesRequest): { echo: Record<string, unknown> } {
  return {
    echo: {
      background: false,
      instructions: request.instructions ?? null,
      max_output_tokens: request.max_output_tokens ?? null,
      metadata: {},
      parallel_tool_calls: request.parallel_tool_calls ?? true,
      previous_response_id: null,
      reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
      service_tier: "default",
      store: request.store ?? true,
      temperature: request.temperature ?? 1,
      text: { format: request.text?.format ?? { type: "text" }, verbosity: request.text?.verbosity ?? "medium" },
      tool_choice: request.tool_choice ?? "auto",
      tools: request.tools ?? [],
      top_p: request.top_p ?? 1,
      truncation: "disabled",
    },
  };
}
