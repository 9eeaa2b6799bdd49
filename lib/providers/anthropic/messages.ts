// The conversation of a call as Anthropic's system prompt and messages: which blocks they are made of, where a prefix to be cached ends,
// and which thoughts go back.

import { numbered, type WireCallId } from "../conversation/call-ids";
import type { ImagePart } from "../conversation/images";
import {
  type CacheLifetime,
  type ChatMessage,
  type Content,
  contentText,
  type ReasoningBlock,
  type TextPart,
  type ToolCall,
} from "../conversation/messages";
import { isBlankText } from "../conversation/normalise";
import { isSameRoute, type ModelRoute } from "../model-route";
import { readJsonObject } from "../wire-value";

export interface CacheControl {
  type: "ephemeral";
  ttl?: "1h" | undefined;
}

interface ImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string } | { type: "url"; url: string };
  cache_control?: { type: "ephemeral"; ttl?: "1h" | undefined } | undefined;
}

/** https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching; five minutes are the default. */
export const cacheControl = (lifetime: CacheLifetime | undefined): CacheControl | undefined =>
  lifetime && { type: "ephemeral", ttl: lifetime === "1h" ? "1h" : undefined };

type TextBlock = { type: "text"; text: string; cache_control?: CacheControl | undefined };
type Block =
  | TextBlock
  | ImageBlock
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: object; cache_control?: CacheControl | undefined }
  | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | (TextBlock | ImageBlock)[] | undefined;
      is_error?: boolean | undefined;
      cache_control?: CacheControl | undefined;
    };

interface AnthropicMessage {
  role: "user" | "assistant" | "system";
  content: string | Block[];
}

/** The system messages before the first turn; our own instructions follow. */
export function anthropicSystem(
  messages: readonly ChatMessage[],
  instructions: readonly (string | undefined)[],
): string | TextBlock[] | undefined {
  const turns = messages.findIndex(({ role }) => role !== "system");
  const given = messages.slice(0, turns === -1 ? messages.length : turns).map(({ content }) => content);
  const all = [...given, ...instructions.filter((text) => text !== undefined)];
  if (all.length === 0) return undefined;
  if (all.every((content) => typeof content === "string")) return all.join("\n\n");
  const blocks = all.flatMap(textBlocks);
  return blocks.length === 0 ? undefined : blocks;
}

/**
 * The messages from the first turn on. Tool calls are blocks of the assistant's message, and their results are blocks of the single user
 * message that follows (https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/handle-tool-calls).
 */
export function anthropicMessages(messages: readonly ChatMessage[], route?: ModelRoute): AnthropicMessage[] {
  const turns: AnthropicMessage[] = [];
  /** The blocks of a user message that begins with results; the user's next text is appended to it. */
  let results: Block[] | undefined;
  const last = messages.at(-1);
  for (const message of messages) {
    switch (message.role) {
      case "system":
        results = undefined;
        if (turns.length > 0) turns.push({ role: "system", content: plainContent(message.content) });
        break;
      case "assistant":
        results = undefined;
        turns.push({ role: "assistant", content: message === last ? lastContent(message, route) : assistantContent(message, route) });
        break;
      case "user":
        if (results === undefined) turns.push({ role: "user", content: plainContent(message.content) });
        else results.push(...contentBlocks(message.content));
        break;
      case "tool":
        if (results === undefined) {
          results = [];
          turns.push({ role: "user", content: results });
        }
        results.push(resultBlock(message));
        break;
    }
  }
  return turns;
}

/** Text as it came: plain string content may be blank, where a block may not. */
function plainContent(content: Content): string | Block[] {
  if (typeof content === "string") return content;
  const blocks = contentBlocks(content);
  return blocks.length === 0 ? contentText(content) : blocks;
}

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>;

/** True when the message has a thought that this route made, so that it begins with one. */
export const hasReasoningOf = (message: ChatMessage, route: ModelRoute): boolean =>
  message.role === "assistant" && reasoningOf(message, route).length > 0;

const reasoningOf = ({ reasoning = [] }: AssistantMessage, route: ModelRoute | undefined): ReasoningBlock[] =>
  reasoning.filter(({ kind, madeBy }) => kind !== "encrypted" && route !== undefined && isSameRoute(madeBy, route));

/**
 * An answer to be continued is continued without thinking: "When thinking is disabled, an `assistant` message in the final position cannot
 * contain `thinking`" (forgecode#1195, #1853).
 */
const lastContent = (message: AssistantMessage, route: ModelRoute | undefined): string | Block[] =>
  assistantContent(message, message.toolCalls?.length ? route : undefined);

/** "The final block in an assistant message cannot be `thinking`" (claude-code#11517, forgecode#3071): it broke off in the middle of a thought. */
function assistantContent(message: AssistantMessage, route: ModelRoute | undefined): string | Block[] {
  const thoughts = reasoningOf(message, route);
  const { content, toolCalls = [] } = message;
  if (thoughts.length === 0 && toolCalls.length === 0) return plainContent(content);
  const written = new AssistantBlocks(message);
  for (const thought of thoughts) {
    if (thought.after) written.writeUntil(thought.after.characters, thought.after.calls);
    written.blocks.push(thoughtBlock(thought));
  }
  written.writeUntil(Number.POSITIVE_INFINITY, toolCalls.length);
  const end = written.blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return written.blocks.slice(0, end + 1);
}

/** The text and the calls of a message, written as far as each thought stood: Anthropic verifies their order, too. */
class AssistantBlocks {
  readonly blocks: Block[] = [];
  readonly #texts: TextBlock[];
  readonly #calls: readonly ToolCall[];
  /** The first text that is not written; to shift it out would move all that follow. */
  #next = 0;
  #characters = 0;
  #callCount = 0;

  constructor({ content, toolCalls = [] }: AssistantMessage) {
    this.#texts = partsOf(content);
    this.#calls = toolCalls;
  }

  writeUntil(characters: number, calls: number): void {
    for (let text = this.#texts[this.#next]; text && this.#characters < characters; text = this.#texts[this.#next])
      this.#writeText(text, characters - this.#characters);
    for (const call of this.#calls.slice(this.#callCount, calls)) this.blocks.push(callBlock(call));
    this.#callCount = Math.max(this.#callCount, calls);
  }

  #writeText({ text, ...rest }: TextBlock, length: number): void {
    if (text.length <= length) this.#next += 1;
    else this.#texts[this.#next] = { ...rest, text: text.slice(length) };
    this.#characters += Math.min(text.length, length);
    const block: TextBlock = text.length <= length ? { ...rest, text } : { type: "text", text: text.slice(0, length) };
    if (!isBlankText(block.text)) this.blocks.push(block);
  }
}

const thoughtBlock = ({ kind, text, data }: ReasoningBlock): Block =>
  kind === "redacted" ? { type: "redacted_thinking", data } : { type: "thinking", thinking: text, signature: data };

const callBlock = ({ id, name, arguments: text, cache }: ToolCall): Block => ({
  type: "tool_use",
  id,
  name,
  input: readInput(text),
  cache_control: cacheControl(cache),
});

function resultBlock({ content, toolCallId, isError }: Extract<ChatMessage, { role: "tool" }>): Block {
  const block = { type: "tool_result", tool_use_id: toolCallId, is_error: isError || undefined } as const;
  if (typeof content === "string") return { ...block, content: content === "" ? undefined : content };
  // The mark of the last part is the result's own.
  const blocks = contentBlocks(content).map(({ cache_control: _, ...unmarked }) => unmarked);
  return { ...block, content: blocks.length === 0 ? undefined : blocks, cache_control: cacheControl(content.at(-1)?.cache) };
}

const partsOf = (content: Content): TextBlock[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.flatMap((part) => (part.type === "text" ? [textBlock(part)] : []));

const textBlock = ({ text, cache }: TextPart): TextBlock => ({ type: "text", text, cache_control: cacheControl(cache) });

/** Text and images in their order. */
const contentBlocks = (content: Content): (TextBlock | ImageBlock)[] =>
  typeof content === "string"
    ? textBlocks(content)
    : content.flatMap((part): (TextBlock | ImageBlock)[] => {
        if (part.type === "image") return [{ ...imageBlock(part), cache_control: cacheControl(part.cache) }];
        return isBlankText(part.text) ? [] : [textBlock(part)];
      });

/** A text block must contain more than white space; plain string content need not. */
const textBlocks = (content: Content): TextBlock[] => partsOf(content).filter(({ text }) => !isBlankText(text));

/** Anthropic's ids are letters, digits, _ and -; an id of another provider, which the customer sends back, may hold more. */
export const anthropicCallId: WireCallId = (id, copy) => numbered(id.replace(/[^A-Za-z0-9_-]/g, "_"), copy);

/**
 * Our arguments are text, Anthropic's are an object. Text that is not an object (a model wrote broken JSON and the customer answered
 * it with an error as the result) becomes {}: refusing it would end a conversation that only needs to go on.
 */
const readInput = (text: string): object => readJsonObject(text) ?? {};

/** https://platform.claude.com/docs/en/build-with-claude/vision. It has no detail: Claude always looks as closely as it can. */
function imageBlock({ source }: ImagePart): ImageBlock {
  if (source.kind === "url") return { type: "image", source: { type: "url", url: source.url } };
  return { type: "image", source: { type: "base64", media_type: source.mediaType, data: `${source.base64}` } };
}
