// The messages of an Anthropic request: their blocks, and the required order of tool calls and results.
// Source: docs.anthropic.com/en/api/messages, docs.anthropic.com/en/docs/agents-and-tools/tool-use/handle-tool-calls, and error bodies
// quoted in public issue threads of its clients.

import { z } from "zod/mini";
import type { BrokenRule, SimulatedImage, SimulatedMessage } from "../vendor";
import { signThought } from "./signature";

const unread = z.optional(z.unknown());
const id = z.string().check(z.regex(/^[a-zA-Z0-9_-]+$/));

export const textBlock = z.strictObject({
  type: z.literal("text"),
  text: z.string().check(z.minLength(1)),
  cache_control: unread,
  citations: unread,
});
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id,
  name: z.string().check(z.minLength(1), z.maxLength(200)),
  input: z.record(z.string(), z.unknown()),
  cache_control: unread,
  caller: unread,
});
const image = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: z.string().check(z.minLength(1)),
    }),
    z.strictObject({ type: z.literal("url"), url: z.string().check(z.minLength(1)) }),
  ]),
  cache_control: unread,
});
const resultPart = z.discriminatedUnion("type", [
  textBlock,
  image,
  z.looseObject({ type: z.enum(["document", "search_result", "tool_reference"]) }),
]);
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: id,
  content: z.optional(z.union([z.string(), z.array(resultPart)])),
  is_error: z.optional(z.boolean()),
  cache_control: unread,
});
const thought = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const otherBlock = z.looseObject({ type: z.enum(["document", "redacted_thinking", "search_result"]) });
const block = z.discriminatedUnion("type", [textBlock, image, toolUse, toolResult, thought, otherBlock]);
const content = z.union([z.string().check(z.minLength(1)), z.array(block).check(z.minLength(1))]);

export const messages = z.array(z.strictObject({ role: z.enum(["user", "assistant"]), content })).check(z.minLength(1));

type Messages = z.infer<typeof messages>;
type Block = z.infer<typeof block>;

/**
 * Each `tool_use` needs a `tool_result` at the start of the next message, results are allowed nowhere else, and a text block must contain
 * more than white space.
 */
export function findMessageRule(given: Messages): BrokenRule | null {
  let callIds: string[] = [];
  for (const [index, { role, content }] of given.entries()) {
    const blocks = typeof content === "string" ? [] : content;
    const rule = findUnanswered(callIds, blocks, index) ?? findMisplaced(role, blocks, index) ?? findStray(callIds, blocks, index);
    if (rule !== null) return rule;
    callIds = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    if (new Set(callIds).size < callIds.length) return { message: `messages.${index}.content: \`tool_use\` ids must be unique` };
  }
  return findUnanswered(callIds, [], given.length);
}

function findUnanswered(callIds: readonly string[], blocks: readonly Block[], index: number): BrokenRule | null {
  const end = blocks.findIndex(({ type }) => type !== "tool_result");
  const leading = end === -1 ? blocks : blocks.slice(0, end);
  const open = callIds.filter((id) => !leading.some((block) => block.type === "tool_result" && block.tool_use_id === id));
  if (open.length === 0) return null;
  return {
    message: `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  };
}

function findMisplaced(role: string, blocks: readonly Block[], index: number): BrokenRule | null {
  const blank = blocks.some((block) => block.type === "text" && block.text.trim() === "");
  if (blank) return { message: "messages: text content blocks must contain non-whitespace text" };
  const foreign = role === "user" ? "tool_use" : "tool_result";
  const at = blocks.findIndex(({ type }) => type === foreign);
  if (at === -1) return null;
  const owner = role === "user" ? "assistant" : "user";
  return { message: `messages.${index}.content.${at}: \`${foreign}\` blocks can only be in \`${owner}\` messages` };
}

function findStray(callIds: readonly string[], blocks: readonly Block[], index: number): BrokenRule | null {
  const at = blocks.findIndex((block) => block.type === "tool_result" && !callIds.includes(block.tool_use_id));
  const stray = blocks[at];
  if (stray?.type !== "tool_result") return null;
  return {
    message: `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  };
}

/** A thought that was changed, or that another model made, has another signature. */
export function findThoughtRule(given: Messages, model: string): BrokenRule | null {
  for (const [index, { content }] of given.entries()) {
    const blocks = typeof content === "string" ? [] : content;
    const at = blocks.findIndex((block) => block.type === "thinking" && block.signature !== signThought(model, block.thinking));
    if (at !== -1) return { message: `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block` };
  }
  return null;
}

/** With a thinking budget, a message of calls whose results come last must begin with a thought. */
export function findThoughtlessTurn(given: Messages): BrokenRule | null {
  const last = given.at(-1);
  const asks = typeof last?.content !== "string" && last?.content.some(({ type }) => type === "tool_result");
  const index = given.findLastIndex(({ role }) => role === "assistant");
  const content = given[index]?.content;
  const first = typeof content === "string" ? undefined : content?.[0]?.type;
  if (!asks || first === "thinking" || first === "redacted_thinking") return null;
  return {
    message: `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first ?? "text"}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  };
}

/** One message for the text and one for each tool result, in order. */
export function toSimulatedMessages({ role, content }: Messages[number]): SimulatedMessage[] {
  if (typeof content === "string") return [{ role, text: content }];
  const results = content.flatMap((block): SimulatedMessage[] =>
    block.type === "tool_result" ? [{ role: "tool", text: textOf(block.content ?? ""), images: imagesOf(block.content ?? "") }] : [],
  );
  const others = content.filter(({ type }) => type !== "tool_result");
  if (others.length === 0) return results;
  const toolCalls = others.flatMap((block) =>
    block.type === "tool_use" ? [{ name: block.name, arguments: JSON.stringify(block.input) }] : [],
  );
  return [...results, { role, text: textOf(others), images: imagesOf(others), ...(toolCalls.length > 0 && { toolCalls }) }];
}

function imagesOf(content: string | readonly (Block | z.infer<typeof resultPart>)[]): SimulatedImage[] {
  if (typeof content === "string") return [];
  return content.flatMap((part): SimulatedImage[] =>
    part.type === "image" ? [{ data: part.source.type === "base64" ? part.source.data : null, detail: "high" }] : [],
  );
}

export function textOf(content: string | readonly { type: string; text?: unknown }[]): string {
  return typeof content === "string" ? content : content.map((block) => (typeof block.text === "string" ? block.text : "")).join("");
}
