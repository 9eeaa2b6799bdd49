// The messages of a chat completions request: their schemas, and the required order of tool calls and results.
// Source: platform.openai.com/docs/api-reference/chat/create, platform.openai.com/docs/guides/function-calling, and error bodies quoted in
// public issue threads of its clients.

import { z } from "zod/mini";
import type { BrokenRule, SimulatedImage, SimulatedMessage } from "../vendor";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({ url: z.string(), detail: z.optional(z.enum(["auto", "low", "high", "original"])) }),
});
const otherPart = z.looseObject({ type: z.enum(["input_audio", "file", "refusal"]) });
const content = z.union([z.string(), z.array(z.union([textPart, imagePart, otherPart]))]);
const name = z.optional(z.string());

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

// An assistant message with tool calls may be empty; every other message needs content.
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer", "user"]), content, name }),
  z.looseObject({ role: z.literal("tool"), content, tool_call_id: z.string() }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.nullish(content),
    name,
    tool_calls: z.nullish(z.array(toolCall).check(z.minLength(1))),
    reasoning_content: z.nullish(z.string()),
  }),
]);

export const messages = z.array(message).check(z.minLength(1));

export type ChatMessages = z.infer<typeof messages>;
type Message = ChatMessages[number];

const LONGEST_ID = 40;

/** Rules of OpenAI only: no assistant message without content and calls, no id that is too long. */
export function findOpenaiMessageRule(given: ChatMessages): BrokenRule | null {
  for (const [index, message] of given.entries()) {
    if (message.role !== "assistant") continue;
    if (message.content === null && !message.tool_calls) {
      return { message: "Invalid value for 'content': expected a string, got null.", param: `messages.[${index}].content` };
    }
    const long = (message.tool_calls ?? []).findIndex(({ id }) => id.length > LONGEST_ID);
    if (long === -1) continue;
    const param = `messages[${index}].tool_calls[${long}].id`;
    const length = message.tool_calls?.[long]?.id.length ?? 0;
    return {
      message: `Invalid '${param}': string too long. Expected a string with maximum length ${LONGEST_ID}, but got a string with length ${length} instead.`,
      param,
      code: "string_above_max_length",
    };
  }
  return null;
}

/** Each call needs a tool message directly after the assistant's, and tool messages are allowed nowhere else. */
export function findOrderRule(given: ChatMessages): BrokenRule | null {
  let callIds: string[] = [];
  let open: string[] = [];
  for (const [index, message] of given.entries()) {
    if (message.role === "tool") {
      const id = message.tool_call_id;
      if (!callIds.includes(id)) return strayResult(id, index, callIds);
      open = open.filter((other) => other !== id);
      continue;
    }
    if (open.length > 0) return unanswered(open, `messages.[${index}].role`);
    callIds = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    open = callIds;
  }
  return open.length > 0 ? unanswered(open, "messages") : null;
}

function unanswered(ids: readonly string[], param: string): BrokenRule {
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
  return { message, param };
}

function strayResult(id: string, index: number, callIds: readonly string[]): BrokenRule {
  return callIds.length === 0
    ? {
        message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: `messages.[${index}].role`,
      }
    : {
        message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        param: `messages.[${index}].tool_call_id`,
      };
}

export function toSimulatedMessage(given: Message): SimulatedMessage {
  const text = textOf(given.content);
  switch (given.role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "assistant":
      return { role: "assistant", text, toolCalls: given.tool_calls?.map((call) => call.function) };
    default:
      return { role: given.role, text, images: imagesOf(given.content) };
  }
}

function imagesOf(given: Message["content"]): SimulatedImage[] {
  if (typeof given === "string") return [];
  return (given ?? []).flatMap((part): SimulatedImage[] => {
    if (part.type !== "image_url") return [];
    const { url, detail = "auto" } = part.image_url as { url: string; detail?: string };
    const data = /^data:[^,]*;base64,/.exec(url);
    return [{ data: data ? url.slice(data[0].length) : null, detail: detail === "low" || detail === "original" ? detail : "high" }];
  });
}

function textOf(given: Message["content"]): string {
  return typeof given === "string" ? given : (given ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
