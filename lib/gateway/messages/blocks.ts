// The messages of POST /api/v1/messages: Anthropic's blocks become parts, tool calls, tool results and thoughts. Thoughts come back sealed
// (decision 0031): one that is not ours is an issue of the request.

import { z } from "zod";
import type { AccountId } from "@/lib/base/ids";
import type { Slices } from "@/lib/base/slices";
import type { ImagePart } from "@/lib/providers/conversation/images";
import type {
  CacheLifetime,
  ChatMessage,
  Content,
  ContentPart,
  ReasoningBlock,
  TextPart,
  ToolCall,
} from "@/lib/providers/conversation/messages";
import { jsonObject } from "../http/json-object";
import type { Issue } from "../http/request";
import type { ImageReader } from "../prompt/images";
import { openThought } from "./thoughts";

export const cacheMark = z.object({ type: z.string(), ttl: z.string().nullish() }, 'must be {"type": "ephemeral"}').nullish();

type CacheMark = z.infer<typeof cacheMark>;

/** Five minutes are Anthropic's default. */
export const lifetimeOf = (mark: CacheMark): CacheLifetime | undefined => (mark ? (mark.ttl === "1h" ? "1h" : "5m") : undefined);

const refusedBlock = <const Types extends readonly [string, ...string[]]>(types: Types, errorText: string) =>
  z.object({ type: z.enum(types) }).refine(() => false, errorText);

const documents = refusedBlock(["document", "search_result"], "PDFs and other documents are not taken: send their text as a text block");
const hosted = refusedBlock(
  ["server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "mcp_tool_use", "mcp_tool_result"],
  "belongs to a tool that runs at Anthropic, and no such tool runs here: leave it out",
);

const image = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion(
    "type",
    [
      z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
      z.object({ type: z.literal("url"), url: z.string() }),
    ],
    "must be base64 with media_type and data, or url: files are not stored here",
  ),
  cache_control: cacheMark,
});
const textBlock = z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheMark });
const id = z.string().min(1, "must not be empty");

const resultPart = z.discriminatedUnion("type", [textBlock, image, documents]);

const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: id,
  content: z.union([z.string(), z.array(resultPart)], "must be a string or an array of text and image blocks").nullish(),
  is_error: z.boolean().nullish(),
  cache_control: cacheMark,
});

const userBlock = z.discriminatedUnion("type", [textBlock, toolResult, image, documents]);

const assistantBlock = z.discriminatedUnion("type", [
  textBlock,
  z.object({ type: z.literal("tool_use"), id, name: z.string().min(1, "must not be empty"), input: jsonObject, cache_control: cacheMark }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
  hosted,
]);

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
    z.object({ role: z.literal("system"), content: systemField }),
  ],
  "must be user or assistant",
);

export type GivenMessage = z.infer<typeof message>;

/** The faults of each kind of block, for a message whose content is an array: the union above says only that it is wrong. */
export const blocksOf: Record<string, z.ZodType> = { user: userBlock, assistant: assistantBlock, system: textBlock };

interface Reading {
  accountId: AccountId;
  issues: Issue[];
  images: ImageReader;
}

/** More are not listed, and each costs the check of a seal. */
const MAX_FOREIGN_THOUGHTS = 20;

/** Adds an issue for each thought that is not this account's, up to the first twenty. */
export function* readMessages(given: readonly GivenMessage[], { accountId, issues, images }: Reading): Slices<ChatMessage[]> {
  const messages: ChatMessage[][] = [];
  for (const [index, one] of given.entries()) {
    const open: OpenThought = (at, path, sealed) => {
      if (issues.length >= MAX_FOREIGN_THOUGHTS) return null;
      const opened = openThought(accountId, sealed);
      if (!opened) issues.push(foreign(`messages.${index}.content.${at}.${path}`));
      return opened;
    };
    messages.push(yield* readMessage(one, open, (block, at) => readImage(images, block, `messages.${index}.content.${at}.source`)));
    yield;
  }
  return messages.flat();
}

type OpenThought = (at: number, path: "signature" | "data", sealed: string) => ReturnType<typeof openThought>;
type ReadImage = (block: z.infer<typeof image>, at: string) => ImagePart[];

function readImage(images: ImageReader, { source, cache_control }: z.infer<typeof image>, path: string): ImagePart[] {
  const cache = lifetimeOf(cache_control);
  const found =
    source.type === "url"
      ? images.fromUrl(`${path}.url`, source.url)
      : images.fromBytes(`${path}.data`, { mediaType: source.media_type, data: source.data });
  return (found ?? []).map((part) => (cache ? { ...part, cache } : part));
}

function* readMessage({ role, content }: GivenMessage, open: OpenThought, readImage: ReadImage): Slices<ChatMessage[]> {
  switch (role) {
    case "system":
      return [{ role, content: textContent(content) }];
    case "user":
      return typeof content === "string" ? [{ role, content }] : readUser(content, readImage);
    case "assistant":
      return typeof content === "string" ? [{ role, content }] : [yield* readAssistant(content, open)];
  }
}

const foreign = (path: string): Issue => ({
  path,
  message: "was made by another service, or was changed: remove the thinking and redacted_thinking blocks that this service did not make",
});

export const textContent = (content: z.infer<typeof systemField>): Content =>
  typeof content === "string" ? content : contentOf(content.map(partOf));

const partOf = ({ text, cache_control }: { text: string; cache_control?: CacheMark }): TextPart => {
  const cache = lifetimeOf(cache_control);
  return cache ? { type: "text", text, cache } : { type: "text", text };
};

/** A single part without a mark is the same as its text. */
function contentOf(parts: readonly ContentPart[]): Content {
  const [only, more] = parts;
  if (only === undefined) return "";
  return more === undefined && only.type === "text" && only.cache === undefined ? only.text : parts;
}

/** Results come first, as messages of their own, whatever stands before them: every vendor wants them right after their calls. */
function readUser(blocks: readonly UserBlock[], readImage: ReadImage): ChatMessage[] {
  const results: ChatMessage[] = [];
  const parts: ContentPart[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.type === "text") parts.push(partOf(block));
    else if (block.type === "image") parts.push(...readImage(block, `${at}`));
    else if (block.type === "tool_result") results.push(readResult(block, (image, inner) => readImage(image, `${at}.content.${inner}`)));
  }
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role: "user", content: contentOf(parts) }];
}

function readResult({ tool_use_id, content, is_error, cache_control }: z.infer<typeof toolResult>, readImage: ReadImage): ChatMessage {
  const message = { role: "tool", toolCallId: tool_use_id, isError: is_error || undefined } as const;
  const cache = lifetimeOf(cache_control);
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : (content ?? []);
  const parts = blocks.flatMap((block, at): ContentPart[] => {
    if (block.type === "image") return readImage(block, `${at}`);
    return block.type === "text" ? [{ type: "text", text: block.text }] : [];
  });
  if (!cache) return { ...message, content: contentOf(parts) };
  // The result's own mark is that of its last part.
  const last: ContentPart = parts.pop() ?? { type: "text", text: "" };
  return { ...message, content: [...parts, { ...last, cache }] };
}

/** Each may be a seal to check. */
const BLOCKS_PER_STEP = 16;

function* readAssistant(blocks: readonly AssistantBlock[], open: OpenThought): Slices<ChatMessage> {
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
      toolCalls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input), cache: lifetimeOf(block.cache_control) });
    } else if (block.type === "thinking") addThought(at, "signature", block.signature, block.thinking);
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
