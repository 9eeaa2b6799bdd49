// Reads a chat completions request, at OpenAI, xAI and DeepSeek.
// Source: platform.openai.com/docs/api-reference/chat/create, docs.x.ai, api-docs.deepseek.com.

import { findToolProblem } from "../tool-order";
import type { SimulatedCall, SimulatedImage, SimulatedMessage, ToolChoice } from "../vendor";

type Content = string | null | undefined | readonly Part[];

interface Part {
  type: string;
  text?: string;
  image_url?: { url: string; detail?: string };
}

interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content?: Content;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[] | null;
  tool_call_id?: string;
}

interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean } | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  temperature?: number | null;
  stop?: string | string[] | null;
  tools?: { function?: { name: string; description?: string | null; parameters?: unknown } }[] | null;
  tool_choice?: "none" | "auto" | "required" | { function: { name: string } } | null;
  parallel_tool_calls?: boolean | null;
  response_format?: { type: string; json_schema?: { schema?: unknown } } | null;
  prompt_cache_options?: { mode?: string } | null;
  prompt_cache_key?: string | null;
  /** DeepSeek's. */
  user_id?: string | null;
}

/** Reads the body of `POST …/chat/completions`. */
export function readChatCall(body: unknown): SimulatedCall | string {
  const request = body as ChatRequest;
  const messages = request.messages.map(toSimulatedMessage);
  const problem = findToolProblem(messages);
  if (problem !== null) return problem;
  const { tool_choice: choice, response_format: format } = request;
  const stream = request.stream ?? false;
  return {
    model: request.model,
    stream,
    messages,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    tools: (request.tools ?? []).flatMap(({ function: tool }) =>
      tool ? [{ name: tool.name, description: tool.description ?? undefined, parameters: tool.parameters ?? undefined }] : [],
    ),
    toolChoice: readChoice(choice),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    stop: [request.stop ?? []].flat(),
    json: !format || format.type === "text" ? undefined : { schema: format.json_schema?.schema },
    // OpenAI's cache is off when only breakpoints may write and there are none; DeepSeek and OpenAI keep scopes apart.
    cache: {
      isOff: request.prompt_cache_options?.mode === "explicit",
      scope: request.user_id ?? request.prompt_cache_key ?? undefined,
    },
    wantsUsage: !stream || request.stream_options?.include_usage === true,
  };
}

const readChoice = (choice: ChatRequest["tool_choice"]): ToolChoice =>
  typeof choice === "object" && choice !== null ? { mode: "required", names: [choice.function.name] } : { mode: choice ?? "auto" };

function toSimulatedMessage({ role, content, tool_calls, tool_call_id }: ChatMessage): SimulatedMessage {
  const text = textOf(content);
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "assistant":
      return { role, text, toolCalls: tool_calls?.map((call) => ({ id: call.id, ...call.function })) };
    case "tool":
      return { role, text, images: imagesOf(content), callId: tool_call_id ?? "" };
    default:
      return { role, text, images: imagesOf(content) };
  }
}

function imagesOf(content: Content): SimulatedImage[] {
  if (typeof content === "string") return [];
  return (content ?? []).flatMap(({ image_url: image }) => (image ? [readImage(image.url, image.detail)] : []));
}

/** The image of a URL, which may be one with data. */
export function readImage(url: string, detail: string | undefined): SimulatedImage {
  const data = /^data:[^,]*;base64,/.exec(url);
  return { data: data ? url.slice(data[0].length) : null, detail: detail === "low" || detail === "original" ? detail : "high" };
}

function textOf(content: Content): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
}
