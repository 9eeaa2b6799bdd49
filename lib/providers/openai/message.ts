// A message of a chat completion, whole or the delta of one: text, thoughts and pieces of tool calls, in whichever of the forms of compatible
// servers. `<think>` inside a text stays there: only its model's template says whether that is a thought, and a text may quote it.

import { z } from "zod";
import { isRecord, malformed } from "../wire-value";

/** One entry of `tool_calls`, whole or a piece. Entries of other types than `function` have fields of their own. */
export const openaiToolCallSchema = z.object({
  index: z.unknown().optional(),
  id: z.unknown().optional(),
  type: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
});

/** `function_call`, which is older, is omitted on purpose: it answers a request that we never make. */
export const openaiMessageSchema = z.object({
  content: z.unknown().optional(),
  refusal: z.string().nullish(),
  tool_calls: z.array(openaiToolCallSchema).nullish(),
  // DeepSeek, Moonshot AI, xAI, Fireworks, SGLang
  reasoning_content: z.unknown().optional(),
  // Groq, Cerebras, Together, OpenRouter, vLLM, Ollama
  reasoning: z.unknown().optional(),
  reasoning_details: z.unknown().optional(),
});

export type OpenAIMessage = z.infer<typeof openaiMessageSchema>;

/** The form in which a server writes thoughts; it takes them back in the same. */
export type ThoughtForm = "reasoning_content" | "reasoning" | "thinking" | "reasoning_details";

export type ReasoningDetail = Record<string, unknown>;

export type MessagePiece =
  | { type: "text"; text: string }
  | { type: "thought"; form: ThoughtForm; text: string; details: readonly ReasoningDetail[] };

/**
 * The text and the thoughts, in their order; none is empty. A refusal has its own field: it is what the customer reads, and it is charged.
 * @throws ProviderFailure malformed
 */
export function openaiPieces(message: OpenAIMessage): MessagePiece[] {
  const pieces: MessagePiece[] = [];
  const thought = thoughtBeside(message);
  if (thought) pieces.push(thought);
  const { content, refusal } = message;
  if (typeof content === "string") addText(pieces, content);
  else if (content !== null && content !== undefined) for (const part of partsOf(content)) addPart(pieces, part);
  addText(pieces, refusal);
  return pieces;
}

function addText(pieces: MessagePiece[], text: unknown): void {
  if (typeof text === "string" && text !== "") pieces.push({ type: "text", text });
}

function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (isRecord(content)) return [content];
  throw malformed("the content of a message is neither a text nor a list of parts");
}

/**
 * Mistral's parts (https://docs.mistral.ai/api): text, `thinking` with parts of its own, and `reference`, which has no text. Databricks has
 * `reasoning` with a summary (learn.microsoft.com/azure/databricks/machine-learning/model-serving/query-reason-models).
 */
function addPart(pieces: MessagePiece[], part: unknown): void {
  if (!isRecord(part)) addText(pieces, part);
  else if (part.type === "thinking" || part.type === "reasoning") {
    const text = wordsIn(part.thinking ?? part.reasoning ?? part.summary ?? part.text);
    if (text !== "") pieces.push({ type: "thought", form: "thinking", text, details: [] });
  } else addText(pieces, part.text ?? part.refusal);
}

const wordsIn = (parts: unknown): string =>
  [parts]
    .flat()
    .map((part: unknown) => (isRecord(part) ? part.text : part))
    .filter((text) => typeof text === "string")
    .join("");

/** Servers that write a thought in two fields write the same in both. */
function thoughtBeside({ reasoning_content, reasoning, reasoning_details }: OpenAIMessage): MessagePiece | undefined {
  const details = Array.isArray(reasoning_details) ? reasoning_details.filter(isRecord) : [];
  const given = [reasoning_content, reasoning].find((text) => typeof text === "string" && text !== "");
  const text = typeof given === "string" ? given : details.map(({ text, summary }) => wordsIn([text, summary])).join("");
  if (details.length > 0) return { type: "thought", form: "reasoning_details", text, details };
  if (text === "") return undefined;
  return { type: "thought", form: text === reasoning_content ? "reasoning_content" : "reasoning", text, details };
}

/** A piece of a call, as far as a server says so. */
export interface ToolCallPiece {
  index: number | undefined;
  id: string | undefined;
  name: string;
  arguments: string;
}

/**
 * The pieces of calls of functions; entries of other types are ignored, and so are their pieces, whose type only the first one says.
 * @throws ProviderFailure malformed
 */
export function readToolCallPiece({ index, id, function: called }: z.infer<typeof openaiToolCallSchema>): ToolCallPiece {
  return { index: indexOf(index), id: idOf(id), name: called?.name ?? "", arguments: argumentsOf(called?.arguments) };
}

/** False for a call of another type than `function`. */
export const isFunctionCall = ({ type }: { type?: string | null | undefined }): boolean => !type || type === "function";

function indexOf(index: unknown): number | undefined {
  const number = typeof index === "string" && /^\d{1,9}$/.test(index) ? Number(index) : index;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
}

const idOf = (id: unknown): string | undefined =>
  typeof id === "number" ? String(id) : typeof id === "string" && id !== "" ? id : undefined;

/** A text; some servers (Ollama's own form) send the object that it stands for. */
function argumentsOf(given: unknown): string {
  if (given === null || given === undefined) return "";
  if (typeof given === "string") return given;
  if (!isRecord(given)) throw malformed("the arguments of a tool call are neither a text nor an object");
  try {
    return JSON.stringify(given);
  } catch {
    // JSON nested thousands of levels deep can be parsed, but not stringified again.
    throw malformed("the arguments of a tool call are nested too deep");
  }
}
