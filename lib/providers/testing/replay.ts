// Replays the bytes of a fixture through a wire format, chunked in any way, and collects the result.

import { readFileSync } from "node:fs";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import type { ReasoningBlock, ToolCall } from "../conversation/messages";
import type { WireFormatId } from "../model-route";
import {
  type FinishReason,
  isProviderFailure,
  type ProviderEvent,
  type ProviderFailure,
  type TokenUsage,
  type ToolCallEvent,
  type WireFormat,
} from "../types";

export interface Answer {
  text: string;
  /** Absent from an answer without calls. */
  toolCalls?: ToolCall[];
  /** Thoughts in words or redacted; absent from an answer without. */
  reasoning?: Thought[];
  reason: FinishReason;
  usage: TokenUsage | null;
}

export type Thought = Pick<ReasoningBlock, "kind" | "text" | "data">;

/** One case of an `errors.json`: a refusal as sent over the wire, and what it means. */
export interface RefusalCase {
  name: string;
  status: number;
  headers: Record<string, string>;
  body: unknown;
  kind: string;
  retryAfterMs?: number;
}

export function fixtureBytes(format: WireFormatId, name: string): Buffer {
  return readFileSync(new URL(`../${format}/fixtures/${name}`, import.meta.url));
}

export function refusalCases(format: WireFormatId): RefusalCase[] {
  return JSON.parse(fixtureBytes(format, "errors.json").toString("utf8"));
}

/** Splits bytes into pieces of `size`, each in its own memory, as a socket would. */
export async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield Uint8Array.from(bytes.subarray(start, start + size));
}

/** Collects a whole answer, without its reasoning; there must be exactly one `finish`, at the end, no empty text and no piece of a call without its start. */
export async function gather(events: Iterable<ProviderEvent> | AsyncIterable<ProviderEvent>): Promise<Answer> {
  let text = "";
  const toolCalls: ToolCall[] = [];
  const reasoning: Thought[] = [];
  let answer: Answer | undefined;
  for await (const event of events) {
    if (answer !== undefined) throw new Error("an event came after finish");
    if (event.type === "finish") {
      const parts = { ...(toolCalls.length > 0 && { toolCalls }), ...(reasoning.length > 0 && { reasoning }) };
      answer = { text, ...parts, reason: event.reason, usage: event.usage };
    } else if (event.type === "tool_call") {
      gatherToolCall(toolCalls, event);
    } else if (event.type === "reasoning") {
      if (event.kind === "encrypted") continue; // the format's own tests read it
      const thought = reasoning[event.index] ?? { kind: event.kind, text: "", data: "" };
      reasoning[event.index] = { ...thought, text: thought.text + event.text, data: thought.data + (event.data ?? "") };
    } else {
      if (event.text === "") throw new Error("an empty text event");
      text += event.text;
    }
  }
  if (answer === undefined) throw new Error("no finish event");
  return answer;
}

function gatherToolCall(calls: ToolCall[], { index, id, name, arguments: text }: ToolCallEvent): void {
  const call = calls[index];
  if (call === undefined) {
    if (index !== calls.length) throw new Error(`call ${index} came after ${calls.length} calls`);
    if (!id || !name) throw new Error("a call began without id or name");
    calls.push({ id, name, arguments: text });
  } else {
    if (id !== undefined || name !== undefined) throw new Error("a call began twice");
    if (text === "") throw new Error("an empty piece of a call");
    call.arguments += text;
  }
}

/** Reads a fixture by its ending: `.sse` as a stream in pieces of `size` bytes, all else as a whole reply. */
export async function readFixture(format: WireFormat, name: string, size?: number): Promise<Answer> {
  const bytes = fixtureBytes(format.id, name);
  return gather(name.endsWith(".sse") ? format.readStream(inPieces(bytes, size)) : format.readReply(bytes.toString("utf8")));
}

/** Reads a stream that fails: the text delivered before, and the failure. */
export async function readUntilFailure(events: AsyncIterable<ProviderEvent>): Promise<{ text: string; failure: ProviderFailure }> {
  let text = "";
  try {
    for await (const event of events) if (event.type === "text") text += event.text;
  } catch (error) {
    if (isProviderFailure(error)) return { text, failure: error };
    throw error;
  }
  throw new Error("the stream did not fail");
}

/** The failure that `read` throws. */
export function failureOf(read: () => unknown): ProviderFailure {
  try {
    read();
  } catch (error) {
    if (isProviderFailure(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** [input, output, cached input, reasoning, written into the cache] as a TokenUsage. */
export function usageOf(counts: readonly [number, number, number, number, number?]): TokenUsage {
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cacheWriteTokens = 0] = counts;
  return { ...noTokens, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens };
}
