// The messages of POST /api/v1/messages: Anthropic's blocks become parts, tool calls, tool results and thoughts. Thoughts come back sealed
// (decision 0031): a thought that is not ours is an issue of the request.

import { z } from "zod";
import type { AccountId } from "@/lib/base/ids";
import type { Slices } from "@/lib/base/slices";
import type { ChatMessage, Content, ContentPart, ReasoningBlock, TextPart, ToolCall } from "@/lib/providers/conversation/messages";
import { jsonObject } from "../http/json-object";
import type { Issue } from "../http/request";
import type { ImagePlace, ImageReader } from "../prompt/images";
import { cacheMark, lifetimeOf, partOf } from "../prompt/parts";
import type { ToolNames } from "../prompt/tool-calls/names";
import { findUnpaired, shownId } from "../prompt/tool-calls/paired";
import { type BlockReading, documentBlock, fileBlock, readTextual, searchResultBlock, toolReferenceBlock } from "./documents";
import { joinAnswers } from "./join-answers";
import { contentOf, image, textBlock } from "./simple-blocks";
import { openThought } from "./thoughts";
import { toolChange, toolChangeText } from "./tools";

/** Left by tools that run at Anthropic: they hold no words that another model could read. */
const hosted = z.object({
  type: z.enum([
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "advisor_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "mcp_tool_listing",
    "container_upload",
    "fallback",
  ]),
});
/** Anthropic's summary of the turns before it; null where it failed. */
const compaction = z.object({ type: z.literal("compaction"), content: z.string().nullish(), cache_control: cacheMark });

const id = z.string().min(1, "must not be empty");

const resultPart = z.discriminatedUnion("type", [textBlock, image, documentBlock, searchResultBlock, toolReferenceBlock, fileBlock]);

const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: id,
  content: z.union([z.string(), z.array(resultPart)], "must be a string or an array of text and image blocks").nullish(),
  is_error: z.boolean().nullish(),
  cache_control: cacheMark,
});

const userBlock = z.discriminatedUnion("type", [textBlock, toolResult, image, documentBlock, searchResultBlock, fileBlock]);

const assistantBlock = z.discriminatedUnion("type", [
  textBlock,
  z.object({ type: z.literal("tool_use"), id, name: z.string().min(1, "must not be empty"), input: jsonObject, cache_control: cacheMark }),
  // Servers that sign nothing leave it out: such a thought is another service's, and is refused in the words for those.
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().nullish() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
  compaction,
  hosted,
]);

const systemBlock = z.discriminatedUnion("type", [textBlock, toolChange]);

type UserBlock = z.infer<typeof userBlock>;
type AssistantBlock = z.infer<typeof assistantBlock>;

export const systemField = z.union([z.string(), z.array(textBlock)], "must be a string or an array of text blocks");

export const message = z.discriminatedUnion(
  "role",
  [
    z.object({
      role: z.literal("user"),
      content: z.union([z.string(), z.array(userBlock)], "must be a string or an array of text, image and tool_result blocks"),
    }),
    z.object({
      role: z.literal("assistant"),
      content: z.union(
        [z.string(), z.array(assistantBlock)],
        "must be a string or an array of text, tool_use, thinking and redacted_thinking blocks",
      ),
    }),
    z.object({
      role: z.literal("system"),
      content: z.union([z.string(), z.array(systemBlock)], "must be a string or an array of text blocks"),
    }),
  ],
  "must be user or assistant",
);

export type GivenMessage = z.infer<typeof message>;

/** The faults of each kind of block, for a message whose content is an array: the union above says only that it is wrong. */
export const blocksOf: Record<string, z.ZodType> = { user: userBlock, assistant: assistantBlock, system: systemBlock };

interface Reading {
  accountId: AccountId;
  issues: Issue[];
  images: ImageReader;
  toolNames?: ToolNames | undefined;
}

/** More are not listed, and each thought costs the check of a seal. */
const MAX_FAULTS = 20;

/** Adds an issue for each thought that is not this account's, up to the first twenty. */
export function* readMessages(given: readonly GivenMessage[], { accountId, issues, images, toolNames }: Reading): Slices<ChatMessage[]> {
  const messages: ChatMessage[][] = [];
  const newest = given.findLastIndex(({ role }) => role === "user");
  for (const [index, one] of given.entries()) {
    const open: OpenThought = (at, path, sealed) => {
      if (issues.length >= MAX_FAULTS) return null;
      const opened = openThought(accountId, sealed);
      if (!opened) issues.push(foreign(`messages.${index}.content.${at}.${path}`));
      return opened;
    };
    const reading: MessageReading = {
      nameOf: (name) => toolNames?.nameOf({ kind: "function", name }) ?? name,
      readImage: (block, at, isResult) =>
        readImage(images, block, { path: `messages.${index}.content.${at}.source`, isKept: isResult || index < newest }),
      refuse: (at, message) => {
        if (index >= newest && issues.length < MAX_FAULTS) issues.push({ path: `messages.${index}.content.${at}`, message });
      },
    };
    messages.push(yield* readMessage(one, open, reading));
    yield;
  }
  joinAnswers(messages);
  if (issues.length === 0) issues.push(...pairIssues(messages));
  return messages.flat();
}

/** Anthropic's own words: a client looks for them. `messages` are those of each message of the request. */
function pairIssues(messages: readonly ChatMessage[][]): Issue[] {
  const found = findUnpaired(messages.flat());
  if (!found) return [];
  let last = 0;
  const index = messages.findIndex((some) => {
    last += some.length;
    return found.index < last;
  });
  const id = shownId(found.id);
  const message =
    found.kind === "unanswered"
      ? `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message`
      : `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message`;
  return [{ path: `messages.${index}`, message }];
}

interface MessageReading extends BlockReading {
  /** How a tool is called inside the call. */
  nameOf: (name: string) => string;
}

type OpenThought = (at: number, path: "signature" | "data", sealed: string) => ReturnType<typeof openThought>;
function readImage(images: ImageReader, { source, cache_control }: z.infer<typeof image>, place: ImagePlace): ContentPart[] {
  const cache = lifetimeOf(cache_control);
  const found =
    source.type === "url"
      ? images.fromUrl({ ...place, path: `${place.path}.url` }, source.url)
      : images.fromBytes({ ...place, path: `${place.path}.data` }, { mediaType: source.media_type, data: source.data });
  return (found ?? []).map((part) => (cache ? { ...part, cache } : part));
}

function* readMessage({ role, content }: GivenMessage, open: OpenThought, reading: MessageReading): Slices<ChatMessage[]> {
  switch (role) {
    case "system":
      return typeof content === "string" ? [{ role, content }] : readSystem(content);
    case "user":
      return typeof content === "string" ? [{ role, content }] : readUser(content, reading);
    case "assistant":
      return typeof content === "string" ? [{ role, content }] : [yield* readAssistant(content, open, reading)];
  }
}

/**
 * In Anthropic's words and place, `messages.1.content.0: Invalid `signature` in `thinking` block`: clients that read them leave the thoughts out
 * and ask again (Claude Code 2.1.332 knows these two sentences).
 */
const foreign = (path: string): Issue => {
  const [block, field] = path.endsWith(".data") ? ["redacted_thinking", "data"] : ["thinking", "signature"];
  return {
    path: path.slice(0, path.lastIndexOf(".")),
    message: `Invalid \`${field}\` in \`${block}\` block: it was made by another service, or was changed; remove the thinking and redacted_thinking blocks that this service did not make`,
  };
};

export const textContent = (content: z.infer<typeof systemField>): Content =>
  typeof content === "string" ? content : contentOf(content.map(partOf));

/** Nothing, where only tools were changed that are not here. */
function readSystem(blocks: readonly z.infer<typeof systemBlock>[]): ChatMessage[] {
  const parts = blocks.flatMap((block): TextPart[] => {
    const text = block.type === "text" ? block.text : toolChangeText(block);
    return text === null ? [] : [partOf({ text, cache_control: block.cache_control })];
  });
  return parts.length === 0 && blocks.length > 0 ? [] : [{ role: "system", content: contentOf(parts) }];
}

/** The definitions of tools that came in the middle of the conversation. */
export const definedLater = (given: readonly GivenMessage[]) =>
  given.flatMap(({ role, content }) =>
    role !== "system" || typeof content === "string"
      ? []
      : content.flatMap((block) =>
          block.type === "tool_addition" && block.tool.type === "tool_definition" ? [block.tool.definition] : [],
        ),
  );

/** Results come first, as messages of their own, whatever stands before them: every vendor wants them right after their calls. */
function readUser(blocks: readonly UserBlock[], reading: BlockReading): ChatMessage[] {
  const results: ChatMessage[] = [];
  const parts: ContentPart[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.type === "text") parts.push(partOf(block));
    else if (block.type === "image") parts.push(...reading.readImage(block, `${at}`));
    else if (block.type === "tool_result") results.push(readResult(block, `${at}.content`, reading));
    else parts.push(...readTextual(block, `${at}`, reading));
  }
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role: "user", content: contentOf(parts) }];
}

function readResult(
  { tool_use_id, content, is_error, cache_control }: z.infer<typeof toolResult>,
  path: string,
  reading: BlockReading,
): ChatMessage {
  const message = { role: "tool", toolCallId: tool_use_id, isError: is_error || undefined } as const;
  const cache = lifetimeOf(cache_control);
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : (content ?? []);
  const parts = blocks.flatMap((block, at): ContentPart[] => {
    if (block.type === "image") return reading.readImage(block, `${path}.${at}`, true);
    return block.type === "text" ? [{ type: "text", text: block.text }] : readTextual(block, `${path}.${at}`, reading);
  });
  if (!cache) return { ...message, content: contentOf(parts) };
  // The result's own mark is that of its last part.
  const last: ContentPart = parts.pop() ?? { type: "text", text: "" };
  return { ...message, content: [...parts, { ...last, cache }] };
}

/** Each may be a seal to check. */
const BLOCKS_PER_STEP = 16;

function* readAssistant(blocks: readonly AssistantBlock[], open: OpenThought, { nameOf }: MessageReading): Slices<ChatMessage> {
  const parts: TextPart[] = [];
  const toolCalls: ToolCall[] = [];
  const reasoning: ReasoningBlock[] = [];
  let characters = 0;
  const addThought = (at: number, path: "signature" | "data", sealed: string, text: string) => {
    const opened = open(at, path, sealed);
    if (!opened) return;
    const isFirst = characters === 0 && toolCalls.length === 0;
    reasoning.push({ ...opened, text, after: isFirst ? undefined : { characters, calls: toolCalls.length } });
  };
  for (const [at, block] of blocks.entries()) {
    if (block.type === "text") {
      parts.push(partOf(block));
      characters += block.text.length;
    } else if (block.type === "tool_use") {
      toolCalls.push({
        id: block.id,
        name: nameOf(block.name),
        arguments: JSON.stringify(block.input),
        cache: lifetimeOf(block.cache_control),
      });
    } else if (block.type === "compaction" && block.content) {
      parts.push(partOf({ text: block.content, cache_control: block.cache_control }));
      characters += block.content.length;
    } else if (block.type === "thinking") addThought(at, "signature", block.signature ?? "", block.thinking);
    else if (block.type === "redacted_thinking") addThought(at, "data", block.data, "");
    if (at % BLOCKS_PER_STEP === BLOCKS_PER_STEP - 1) yield;
  }
  return {
    role: "assistant",
    content: contentOf(parts),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(reasoning.length > 0 && { reasoning }),
  };
}
