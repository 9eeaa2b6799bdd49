// The body of POST /api/v1/chat/completions: OpenAI's own, as its client sends it. Fields that shape the answer are read and checked, or refused
// with a cure; fields that change nothing here (`store`, `service_tier`, …) are ignored, as are unknown ones; `user` is kept with the charge.
// The whole table: contract/fields.test.ts.

import { z } from "zod";
import { runInSlices, type Slices } from "@/lib/base/slices";
import { type ChatMessage, type Content, type ContentPart, contentText } from "@/lib/providers/conversation/messages";
import type { CallOptions } from "@/lib/providers/types";
import type { Caller } from "../http/caller";
import { isLong, parseLong } from "../http/few-faults";
import type { GatewayRequest } from "../http/request";
import { type Issue, invalidRequest, parseGiven, readIssues, readJsonBody } from "../http/request";
import { saidToOpenAI } from "../http/said";
import { ImageReader } from "../prompt/images";
import { cacheMark, notShown, partOf } from "../prompt/parts";
import { type Prompt, readMaxCost, readModel, readOutputLimits, refuseLongText } from "../prompt/prompt-body";
import { findUnpaired, shownId } from "../prompt/tool-calls/paired";
import { optionFields, readAnswerOptions, samplingFields } from "./options";
import { readTools, toolFields } from "./tools";

/** OpenAI's own limit. */
const MAX_STOPS = 4;
/** More are not listed. */
const MAX_FILE_FAULTS = 20;

const textPart = z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheMark });
const refusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.object({
  type: z.literal("image_url"),
  // Mistral's is the URL itself: docs.mistral.ai/capabilities/vision.
  image_url: z.preprocess(
    (given) => (typeof given === "string" ? { url: given } : given),
    z.object({ url: z.string(), detail: z.enum(["auto", "low", "high", "original"]).nullish() }),
  ),
});
/** Mistral's, in an answer that a client sends again: there is no place for thoughts in this dialect, and a reference has no words. */
const silentPart = z.object({ type: z.enum(["thinking", "reference"]) });
const mediaPart = z.object({ type: z.enum(["input_audio", "file"]) });
const textContent = z.union([z.string(), z.array(textPart)], "must be a string or an array of text parts");
const userContent = z.union(
  [z.string(), z.array(z.discriminatedUnion("type", [textPart, imagePart, mediaPart]))],
  "must be a string or an array of text and image parts",
);
const assistantContent = z.union(
  [z.string(), z.array(z.discriminatedUnion("type", [textPart, refusalPart, silentPart]))],
  "must be a string, null or an array of text parts",
);

const toolCall = z.object({
  id: z.string().min(1, "must not be empty"),
  type: z.literal("function", "must be function").optional(),
  function: z.object({ name: z.string().min(1, "must not be empty"), arguments: z.string() }),
});

const message = z.discriminatedUnion(
  "role",
  [
    z.object({ role: z.enum(["system", "developer"]), content: textContent }),
    z.object({ role: z.literal("user"), content: userContent }),
    z.object({
      role: z.literal("assistant"),
      content: assistantContent.nullish(),
      refusal: z.string().nullish(),
      tool_calls: z.array(toolCall).nullish(),
    }),
    z.object({ role: z.literal("tool"), content: textContent, tool_call_id: z.string().min(1, "must not be empty") }),
  ],
  "must be system, developer, user, assistant or tool",
);

const tokens = z.int("must be a whole number").min(1, "must be at least 1");

export const chatBodySchema = z.object({
  model: z.string().min(1, "must not be empty; GET /api/v1/models lists the models"),
  messages: z.array(message).min(1, "must contain at least one message"),
  max_tokens: tokens.nullish(),
  max_completion_tokens: tokens.nullish(),
  ...samplingFields,
  seed: z.int("must be a whole number").nullish(),
  stop: z
    .union(
      [z.string(), z.array(z.string()).max(MAX_STOPS, `must have at most ${MAX_STOPS} items`)],
      "must be a string or an array of strings",
    )
    .nullish(),
  n: z.literal(1, "must be 1. Send one request per answer").nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  ...toolFields,
  ...optionFields,
  /** Our own field: USD, as in POST /api/v1/prompt. */
  maxCost: z.number().positive("must be greater than 0, in USD").nullish(),
  /** Our own field, as in POST /api/v1/prompt. */
  clipToBalance: z.boolean().nullish(),
});

type ChatBody = z.infer<typeof chatBodySchema>;

export interface ChatPrompt extends Prompt {
  /** A stream ends with a chunk of usage and cost. */
  includeUsage: boolean;
}

/**
 * Reads the body of a chat completion, a long one in slices.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL
 */
export const readChat = (request: GatewayRequest, caller: Caller): ChatPrompt | Promise<ChatPrompt> =>
  runInSlices(readChatInSlices(request, caller));

function* readChatInSlices(request: GatewayRequest, caller: Caller): Slices<ChatPrompt> {
  const given = readJsonBody(request);
  const parsed = isLong(request) ? yield* parseLong(chatBodySchema, given) : parseGiven(chatBodySchema, given);
  if (!parsed.success) throw invalidRequest(readIssues(parsed.error, Object.keys(chatBodySchema.shape)));
  const body = parsed.data;
  const model = readModel(body.model, caller);
  const limit = body.max_completion_tokens ?? body.max_tokens;
  const limits = readOutputLimits(request, caller, { model, limit, clipToBalance: body.clipToBalance });
  const images = new ImageReader(request.largeTexts, model);
  const issues: Issue[] = [];
  const newest = body.messages.findLastIndex(({ role }) => role === "user");
  const messages = body.messages.map((item, index) => {
    const path = `messages.${index}.content`;
    const refuse = (at: string, message: string): void => {
      if (index >= newest && issues.length < MAX_FILE_FAULTS) issues.push({ path: `${path}.${at}`, message });
    };
    return readMessage(item, { path, images, refuse, isKept: index < newest });
  });
  issues.push(...pairIssues(messages));
  const characters = messages.reduce((sum, { content }) => sum + contentText(content).length, 0);
  refuseLongText({ model, inputField: "messages" }, characters);
  const tools = readTools(body, issues);
  issues.push(...images.findIssues());
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    model,
    messages: images.leaveOut(messages),
    inputField: "messages",
    maxOutputTokens: limits.maxOutputTokens,
    minOutputTokens: limits.minOutputTokens,
    options: Object.assign(readOptions(body), tools),
    stream: body.stream ?? false,
    maxCost: readMaxCost(body.maxCost ?? undefined),
    said: saidToOpenAI(request, given),
    includeUsage: body.stream_options?.include_usage ?? false,
  };
}

interface MessageReading {
  path: string;
  images: ImageReader;
  /** Not in the newest turn. */
  isKept: boolean;
  /** Receives the fault of a part that is not taken; in older messages something stands in its place, since clients send them again. */
  refuse: (at: string, message: string) => void;
}

/** OpenAI's own words: a client looks for them. */
function pairIssues(messages: readonly ChatMessage[]): Issue[] {
  const found = findUnpaired(messages);
  if (!found) return [];
  const words =
    found.kind === "unanswered"
      ? `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${shownId(found.id)}`
      : `messages with role 'tool' must be a response to a preceding message with 'tool_calls': ${shownId(found.id)} is of no call without a response`;
  return [{ path: `messages.${found.index}`, message: words }];
}

function readMessage(given: z.infer<typeof message>, reading: MessageReading): ChatMessage {
  switch (given.role) {
    case "system":
    case "developer":
      return { role: "system", content: textContentOf(given.content) };
    case "user":
      return { role: "user", content: readUserContent(given.content, reading) };
    case "tool":
      return { role: "tool", content: textContentOf(given.content), toolCallId: given.tool_call_id };
    case "assistant": {
      const content = textOf(given.content ?? given.refusal ?? "");
      const toolCalls = given.tool_calls?.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text }));
      return toolCalls && toolCalls.length > 0 ? { role: "assistant", content, toolCalls } : { role: "assistant", content };
    }
  }
}

/** Text alone is one string; beside images and marks each text stays a part. */
function readUserContent(content: z.infer<typeof userContent>, { path, images, isKept, refuse }: MessageReading): Content {
  if (typeof content === "string" || content.every((part) => part.type === "text")) return textContentOf(content);
  return content.flatMap((part, index): ContentPart[] => {
    if (part.type === "text") return [partOf(part)];
    if (part.type === "image_url") {
      const { url, detail } = part.image_url;
      return images.fromUrl({ path: `${path}.${index}.image_url.url`, isKept }, url, detail) ?? [];
    }
    refuse(`${index}`, "is audio, a PDF or another file, which is not supported. Send only text and images");
    return [notShown()];
  });
}

const textOf = (content: string | readonly { type: string; text?: string; refusal?: string }[]): string =>
  typeof content === "string" ? content : content.map((part) => part.text ?? part.refusal ?? "").join("");

type TextPartBody = z.infer<typeof textPart>;

function textContentOf(content: string | readonly TextPartBody[]): Content {
  return typeof content !== "string" && content.some(({ cache_control }) => cache_control) ? content.map(partOf) : textOf(content);
}

function readOptions(body: ChatBody): CallOptions {
  const stop = typeof body.stop === "string" ? [body.stop] : body.stop;
  return {
    seed: body.seed ?? undefined,
    stop: stop && stop.length > 0 ? stop : undefined,
    hidesReasoning: true, // OpenAI's format has no field for it
    ...readAnswerOptions(body),
  };
}
