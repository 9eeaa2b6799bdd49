// A turn's body in the form of each client's own API. The service takes them all.

import type { ChatBody, ChatMessage } from "../chat/body";
import type { PromptFields } from "../code-lines";

/** The request as a body of POST /api/v1/prompt; null unless it is one text, with options that this body has fields for. */
export function promptBody({ model, messages, max_completion_tokens, temperature, ...more }: ChatBody): PromptFields | null {
  const [first, second, third] = messages;
  const [system, user] = first?.role === "system" ? [first.content, second] : [undefined, first];
  if ((system === undefined ? second : third) || user?.role !== "user" || typeof user.content !== "string") return null;
  if (more.tools || more.reasoning_effort || more.response_format) return null;
  return { model, system, prompt: user.content, maxTokens: max_completion_tokens, temperature };
}

/** Without the payment, which is good for one request. */
export const chatBody = ({ payment: _, ...body }: ChatBody): object => body;

/** Of OpenAI's Responses: developers.openai.com/api/reference/resources/responses. */
export function responsesBody({ model, messages, max_completion_tokens, temperature, reasoning_effort, tools, response_format }: ChatBody) {
  const [first] = messages;
  return {
    model,
    instructions: first?.role === "system" ? first.content : undefined,
    input: messages.flatMap(responsesItems),
    max_output_tokens: max_completion_tokens,
    temperature,
    reasoning: reasoning_effort && { effort: reasoning_effort, summary: "auto" },
    // Tools are strict there unless they say otherwise.
    tools: tools?.map(({ function: called }) => ({ type: "function", ...called, parameters: called.parameters ?? null, strict: false })),
    text: response_format && { format: { type: "json_schema", ...response_format.json_schema } },
    store: false,
  };
}

function responsesItems(message: ChatMessage): object[] {
  switch (message.role) {
    case "system":
      return [];
    case "tool":
      return [{ type: "function_call_output", call_id: message.tool_call_id, output: message.content }];
    case "user":
      return [{ role: "user", content: typeof message.content === "string" ? message.content : message.content.map(responsesPart) }];
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({ type: "function_call", call_id: id, ...called }));
      return [...(message.content === null ? [] : [{ role: "assistant", content: message.content }]), ...calls];
    }
  }
}

const responsesPart = (part: { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } }): object =>
  part.type === "text" ? { type: "input_text", text: part.text } : { type: "input_image", image_url: part.image_url.url, detail: "high" };

/** Anthropic requires a limit. */
const ANTHROPIC_MAX_TOKENS = 1_024;

/** Of Anthropic's Messages: platform.claude.com/docs/en/api/messages. */
export function anthropicBody({ model, messages, max_completion_tokens, temperature, reasoning_effort, tools, response_format }: ChatBody) {
  const [first] = messages;
  const config = {
    ...(reasoning_effort && reasoning_effort !== "none" && { effort: reasoning_effort === "minimal" ? "low" : reasoning_effort }),
    ...(response_format && { format: { type: "json_schema", schema: response_format.json_schema.schema } }),
  };
  return {
    model,
    max_tokens: max_completion_tokens ?? ANTHROPIC_MAX_TOKENS,
    system: first?.role === "system" ? first.content : undefined,
    messages: joinResults(messages.flatMap(anthropicMessages)),
    // Its own range ends at 1.
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    thinking: reasoning_effort === "none" ? { type: "disabled" } : undefined,
    output_config: Object.keys(config).length > 0 ? config : undefined,
    tools: tools?.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      input_schema: parameters ?? { type: "object", properties: {} },
    })),
  };
}

interface AnthropicMessage {
  role: "user" | "assistant";
  content: string | object[];
}

function anthropicMessages(message: ChatMessage): AnthropicMessage[] {
  switch (message.role) {
    case "system":
      return [];
    case "tool":
      return [{ role: "user", content: [{ type: "tool_result", tool_use_id: message.tool_call_id, content: message.content }] }];
    case "user":
      return [{ role: "user", content: typeof message.content === "string" ? message.content : message.content.map(anthropicPart) }];
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
        ...{ type: "tool_use", id, name },
        input: readArguments(given),
      }));
      if (calls.length === 0) return [{ role: "assistant", content: message.content ?? "" }];
      return [{ role: "assistant", content: [...(message.content ? [{ type: "text", text: message.content }] : []), ...calls] }];
    }
  }
}

/** Anthropic takes all results of an answer's calls in one message. */
function joinResults(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const joined: AnthropicMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last && isResults(last) && isResults(message) && Array.isArray(last.content) && Array.isArray(message.content)) {
      last.content = [...last.content, ...message.content];
    } else joined.push({ ...message });
  }
  return joined;
}

const isResults = ({ role, content }: AnthropicMessage): boolean =>
  role === "user" && Array.isArray(content) && content.every((part) => "tool_use_id" in part);

function readArguments(text: string): unknown {
  try {
    return JSON.parse(text || "{}") as unknown;
  } catch {
    return {}; // what a model wrote need not be JSON
  }
}

function anthropicPart(part: { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } }): object {
  if (part.type === "text") return part;
  const [, mediaType = "image/png", data = ""] = /^data:([^;,]+);base64,(.*)$/s.exec(part.image_url.url) ?? [];
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}
