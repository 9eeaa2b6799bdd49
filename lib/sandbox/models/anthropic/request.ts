// Reads a messages request. A thought is refused that was changed, or that another model made: both have another signature.
// Source: docs.anthropic.com/en/api/messages, docs.anthropic.com/en/api/versioning, docs.anthropic.com/en/docs/build-with-claude/prompt-caching,
// and error bodies quoted in public issue threads of its clients.

import type { IncomingHttpHeaders } from "node:http";
import { signThought } from "../thought-signature";
import { findToolProblem } from "../tool-order";
import type { CacheWishes, SimulatedCall, SimulatedImage, SimulatedMessage, ToolChoice } from "../vendor";

type Content = string | readonly Block[];

interface Marked {
  cache_control?: { ttl?: string } | null;
  content?: Content;
}

interface Block extends Marked {
  type: string;
  text?: string;
  source?: { type: string; data?: string };
  id?: string;
  name?: string;
  input?: object;
  tool_use_id?: string;
  thinking?: string;
  signature?: string;
}

interface Message {
  role: "user" | "assistant";
  content: Content;
}

interface Format {
  schema: unknown;
}

interface MessagesRequest {
  model: string;
  messages: Message[];
  max_tokens?: number;
  system?: Content;
  stream?: boolean;
  temperature?: number;
  stop_sequences?: string[];
  /** Anthropic's own tools have no schema. */
  tools?: ({ name: string; description?: string; input_schema?: unknown } & Marked)[];
  tool_choice?: { type: "auto" | "any" | "tool" | "none"; name?: string; disable_parallel_tool_use?: boolean };
  output_config?: { format?: Format | null };
  /** The field's name from before general availability. */
  output_format?: Format | null;
}

/** Reads the body of `POST /v1/messages`, or of a count of its tokens. */
export function readAnthropicCall(body: unknown, headers: IncomingHttpHeaders, isCount: boolean): SimulatedCall | string {
  const request = body as MessagesRequest;
  if (headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
  if (request.max_tokens === undefined && !isCount) return "max_tokens: Field required";
  const byMessage = request.messages.map(toSimulatedMessages);
  const spoken = byMessage.flat();
  const problem = findForgedThought(request) ?? findToolProblem(spoken);
  if (problem !== null) return problem;
  const { system, tool_choice: choice } = request;
  const format = request.output_config?.format ?? request.output_format;
  return {
    model: request.model,
    stream: request.stream ?? false,
    messages: system === undefined ? spoken : [{ role: "system", text: textOf(system) }, ...spoken],
    maxOutputTokens: request.max_tokens,
    temperature: request.temperature,
    // The caller does not answer Anthropic's own tools, so none is ever called here.
    tools: (request.tools ?? []).flatMap(({ name, description, input_schema: parameters }) =>
      parameters ? [{ name, description, parameters }] : [],
    ),
    toolChoice: readChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use !== true,
    stop: request.stop_sequences ?? [],
    json: format ? { schema: format.schema } : undefined,
    cache: readCacheWishes(
      request,
      byMessage.map(({ length }) => length),
    ),
    wantsUsage: true,
  };
}

function readChoice(choice: MessagesRequest["tool_choice"]): ToolChoice {
  if (choice?.type === "any") return { mode: "required" };
  if (choice?.type === "tool") return { mode: "required", names: [choice.name ?? ""] };
  return { mode: choice?.type === "none" ? "none" : "auto" };
}

const blocksOf = (content: Content | undefined): readonly Block[] => (typeof content === "object" ? content : []);

function findForgedThought({ messages, model }: MessagesRequest): string | null {
  for (const [index, { content }] of messages.entries()) {
    const at = blocksOf(content).findIndex(
      ({ type, thinking = "", signature }) => type === "thinking" && signature !== signThought(model, thinking),
    );
    if (at !== -1) return `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`;
  }
  return null;
}

/** One message for each tool result and one for the rest, in order. */
function toSimulatedMessages({ role, content }: Message): SimulatedMessage[] {
  if (typeof content === "string") return [{ role, text: content }];
  const results = content.flatMap(({ type, tool_use_id: callId = "", content: result = "" }): SimulatedMessage[] =>
    type === "tool_result" ? [{ role: "tool", callId, text: textOf(result), images: imagesOf(result) }] : [],
  );
  const others = content.filter(({ type }) => type !== "tool_result");
  if (others.length === 0) return results;
  const toolCalls = others.flatMap(({ type, id = "", name = "", input }) =>
    type === "tool_use" ? [{ id, name, arguments: JSON.stringify(input) }] : [],
  );
  return [...results, { role, text: textOf(others), images: imagesOf(others), ...(toolCalls.length > 0 && { toolCalls }) }];
}

const imagesOf = (content: Content): SimulatedImage[] =>
  blocksOf(content).flatMap(({ source }): SimulatedImage[] => (source ? [{ data: source.data ?? null, detail: "high" }] : []));

const textOf = (content: Content): string => (typeof content === "string" ? content : content.map(({ text = "" }) => text).join(""));

/** The lifetimes of the marks on these blocks and inside them. */
function lifetimesIn(blocks: readonly Marked[]): string[] {
  return blocks.flatMap(({ cache_control: mark, content }) => [...lifetimesIn(blocksOf(content)), ...(mark ? [mark.ttl ?? "5m"] : [])]);
}

/**
 * The caching that a request's marks ask for: each ends a prefix to be cached. Undefined without any. `counts` are the simulated messages
 * that each message became, after one for the system text where there is one.
 */
function readCacheWishes({ tools = [], system, messages }: MessagesRequest, counts: readonly number[]): CacheWishes | undefined {
  let position = system === undefined ? 0 : 1;
  const places = [
    { at: 0, lifetimes: lifetimesIn(tools) },
    { at: position, lifetimes: lifetimesIn(blocksOf(system)) },
    ...messages.map(({ content }, index) => {
      position += counts[index] ?? 0;
      return { at: position, lifetimes: lifetimesIn(blocksOf(content)) };
    }),
  ];
  const marked = places.filter(({ lifetimes }) => lifetimes.length > 0);
  const last = marked.at(-1);
  return last && { upTo: last.at, forHours: marked.some(({ lifetimes }) => lifetimes.includes("1h")) };
}
