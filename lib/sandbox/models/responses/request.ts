// Reads a Responses request. Reasoning is refused that was changed, or that another model wrote.
// Source: platform.openai.com/docs/api-reference/responses/create (read 2026-11-26), and error bodies quoted in public issue threads of its
// clients.

import { readImage } from "../openai/request";
import { canDecrypt } from "../thought-signature";
import { findToolProblem } from "../tool-order";
import type { SimulatedCall, SimulatedImage, SimulatedMessage } from "../vendor";

type Content = string | readonly { text?: string; refusal?: string; image_url?: string; detail?: string }[];

interface Item {
  /** A message may leave it out. */
  type?: string;
  role?: "user" | "system" | "developer" | "assistant";
  content?: Content;
  call_id?: string;
  name?: string;
  arguments?: string;
  input?: string;
  output?: Content;
  id?: string;
  encrypted_content?: string | null;
}

interface ResponsesRequest {
  model: string;
  input: string | Item[];
  instructions?: string | null;
  store?: boolean | null;
  include?: string[] | null;
  max_output_tokens?: number | null;
  temperature?: number | null;
  top_p?: number | null;
  reasoning?: { effort?: string | null; summary?: string | null } | null;
  tools?: { type: string; name: string; description?: string | null; parameters?: unknown }[] | null;
  tool_choice?: "none" | "auto" | "required" | { name: string } | null;
  parallel_tool_calls?: boolean | null;
  text?: { format?: { type: string; schema?: unknown }; verbosity?: string | null } | null;
  stream?: boolean | null;
  prompt_cache_key?: string | null;
  prompt_cache_options?: { mode?: string } | null;
}

/** Reads the body of `POST /v1/responses`. */
export function readResponsesCall(body: unknown): SimulatedCall | string {
  const request = body as ResponsesRequest;
  const { model, instructions, tool_choice: choice } = request;
  const items: Item[] = typeof request.input === "string" ? [{ role: "user", content: request.input }] : request.input;
  const given = items.flatMap(toMessage);
  const problem = findForeignReasoning(items, model) ?? findToolProblem(given, { mayWait: true });
  if (problem !== null) return problem;
  const format = request.text?.format;
  return {
    model,
    stream: request.stream ?? false,
    messages: instructions ? [{ role: "system", text: instructions }, ...given] : given,
    maxOutputTokens: request.max_output_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    tools: (request.tools ?? []).map(({ type, name, description, parameters }) => {
      return { name, description: description ?? undefined, parameters: parameters ?? undefined, isCustom: type === "custom" };
    }),
    toolChoice: typeof choice === "object" && choice !== null ? { mode: "required", names: [choice.name] } : { mode: choice ?? "auto" },
    parallelToolCalls: request.parallel_tool_calls ?? true,
    stop: [],
    json: format === undefined || format.type === "text" ? undefined : { schema: format.schema },
    cache: { isOff: request.prompt_cache_options?.mode === "explicit", scope: request.prompt_cache_key ?? undefined },
    wantsUsage: true,
    responses: {
      echo: echoOf(request),
      encryptsReasoning: request.include?.includes("reasoning.encrypted_content") ?? false,
      summarizes: Boolean(request.reasoning?.summary),
    },
  };
}

function findForeignReasoning(items: readonly Item[], model: string): string | null {
  for (const { type, id, encrypted_content: encrypted } of items) {
    if (type !== "reasoning" || (encrypted && canDecrypt(model, encrypted))) continue;
    return encrypted
      ? "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed."
      : `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
  }
  return null;
}

function toMessage({ type = "message", role = "user", content = "", output = "", ...item }: Item): SimulatedMessage[] {
  const call = { id: item.call_id ?? "", name: item.name ?? "", arguments: item.arguments ?? item.input ?? "" };
  switch (type) {
    case "message":
      return [{ role: role === "developer" ? "system" : role, text: textOf(content), images: imagesOf(content) }];
    case "function_call":
    case "custom_tool_call":
      return [{ role: "assistant", text: "", toolCalls: [call] }];
    case "reasoning":
      return []; // OpenAI bills what it decrypts; the simulation bills its summary
    default:
      return [{ role: "tool", text: textOf(output), images: imagesOf(output), callId: call.id }];
  }
}

const imagesOf = (content: Content): SimulatedImage[] =>
  typeof content === "string" ? [] : content.flatMap(({ image_url: url, detail }) => (url ? [readImage(url, detail)] : []));

const textOf = (content: Content): string =>
  typeof content === "string" ? content : content.map(({ text, refusal }) => text ?? refusal ?? "").join("");

/** What a response repeats of its request. */
function echoOf(request: ResponsesRequest): Record<string, unknown> {
  return {
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
  };
}
