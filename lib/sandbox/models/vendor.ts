// The interface of a simulated vendor: it reads what an answer needs of a request, and writes the vendor's own responses, streams and errors.
// It knows neither sockets nor faults; `deliver.ts` handles those for all vendors.

import type { IncomingHttpHeaders } from "node:http";
import type { VendorId } from "@/lib/providers/model-route";

export interface SimulatedMessage {
  /** `tool`: the result of one of the caller's functions. */
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  images?: readonly SimulatedImage[];
  /** The calls of an assistant message. */
  toolCalls?: readonly AskedCall[] | undefined;
  /** The call that a tool's result belongs to. */
  callId?: string;
}

export interface SimulatedImage {
  /** Base64; null for an image behind a URL, which the simulation does not fetch. */
  data: string | null;
  detail: "low" | "high" | "original";
}

export interface AskedCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** The part of a caller's function that an answer needs. */
export interface SimulatedTool {
  name: string;
  description?: string | undefined;
  /** JSON Schema of its arguments; absent for a function without any. */
  parameters?: unknown;
  /** Its input is text of any form. */
  isCustom?: boolean;
}

export interface ToolChoice {
  mode: "auto" | "none" | "required";
  /** The only functions that may be called; absent: all. */
  names?: readonly string[] | undefined;
}

/** A parsed request in vendor-neutral form. */
export interface SimulatedCall {
  model: string;
  stream: boolean;
  messages: SimulatedMessage[];
  /** Undefined: the request set no limit. */
  maxOutputTokens: number | undefined;
  temperature: number | undefined;
  tools: readonly SimulatedTool[];
  toolChoice: ToolChoice;
  /** False: an answer may hold one tool call only. */
  parallelToolCalls: boolean;
  /** Stop sequences: the answer ends before them. */
  stop: readonly string[];
  /** Set when the answer must be JSON; with a schema, JSON that fits it. */
  json: { schema?: unknown } | undefined;
  cache?: CacheWishes | undefined;
  /** False when the vendor sends usage with a stream only on request, and it was not requested. */
  wantsUsage: boolean;
  /** Set when the call came over OpenAI's Responses, which answers in another form. */
  responses?: ResponsesAsked;
}

/** The messages without instructions: a client's reminder behind its user's words or a tool's result does not change who spoke last. */
export const turnsOf = ({ messages }: SimulatedCall): SimulatedMessage[] => messages.filter(({ role }) => role !== "system");

export interface ResponsesAsked {
  /** Fields of the request that the response repeats. */
  echo: Record<string, unknown>;
  encryptsReasoning: boolean;
  summarizes: boolean;
}

/** Tokens of the input that were read from the vendor's prompt cache, and written into it. */
export interface CacheCounts {
  read: number;
  written: number;
  writtenForHours: number;
}

/** What a request says about the prompt cache. */
export interface CacheWishes {
  /** Nothing is read or written. */
  isOff?: boolean;
  /** Requests of different scopes share no cache. */
  scope?: string | undefined;
  /** The messages up to the last mark; only where marks decide. */
  upTo?: number;
  forHours?: boolean;
}

export interface TokenCounts {
  /** Including input that was read from the cache or written into it. */
  input: number;
  cached: number;
  written: number;
  writtenForHours: number;
  /** Text and tool calls, without reasoning. */
  text: number;
  reasoning: number;
}

export interface SimulatedAnswer {
  /** Random base62, for the ids that a vendor writes. */
  id: string;
  createdAtSeconds: number;
  model: string;
  /** The text, one token each. */
  pieces: readonly string[];
  /** The model's reasoning, one token each; only some vendors return it. */
  thoughts: readonly string[];
  toolCalls: readonly AnsweredCall[];
  finish: "stop" | "tool_calls" | "length" | "filtered";
  /** The stop sequence that ended the answer; null when none did. */
  stoppedBy: string | null;
  /** Null: a directive suppresses usage. */
  usage: TokenCounts | null;
}

/** A tool call of an answer. */
export interface AnsweredCall {
  /** Random base62, for the id that a vendor writes. */
  id: string;
  name: string;
  /** The arguments' JSON text, one token each. */
  pieces: readonly string[];
  /** False when the request's limit cut it off. */
  isWhole: boolean;
  /** A call of a custom tool: the pieces are its input. */
  isCustom?: boolean | undefined;
}

/** One write of a stream; `isDelta` when it carries text or arguments of the answer. */
export interface Frame {
  text: string;
  isDelta: boolean;
}

/** An error response before it has the vendor's form. */
export interface Problem {
  status: number;
  message: string;
  /** The vendor's name of the problem, where it has one. */
  code?: string;
}

/** Data from the URL: Gemini names the model and streaming there, OpenAI the interface. */
export interface VendorEndpoint {
  model?: string;
  stream?: boolean;
  /** OpenAI has two interfaces for the same models. */
  isResponses?: true;
  /** The request asks only how many tokens its input has. */
  isCount?: true;
}

export interface Vendor {
  provider: VendorId;
  /** The first part of every path, with a leading slash. */
  basePath: string;
  /** The vendor's valid model names. */
  modelNames: RegExp;
  /** True when the request's output limit includes reasoning. */
  limitBoundsReasoning: boolean;
  /** True when a stream carries each tool call in one piece. */
  callsComeWhole: boolean;
  /** `path` is the part after `basePath`. Null: not found. */
  readPath(path: string, query: URLSearchParams): VendorEndpoint | null;
  readKey(headers: IncomingHttpHeaders): string | undefined;
  /** The call, or the vendor's own words when it refuses. @throws TypeError when the body does not have the vendor's form */
  readCall(body: unknown, endpoint: VendorEndpoint, headers: IncomingHttpHeaders): SimulatedCall | string;
  replyHeaders(requestId: string): Record<string, string>;
  /** The answer to a count, where the vendor has one. */
  writeCount?(tokens: number): string;
  writeJson(answer: SimulatedAnswer, call: SimulatedCall): string;
  writeStream(answer: SimulatedAnswer, call: SimulatedCall): Iterable<Frame>;
  /** An error after status 200: as the whole body, or as a stream event. */
  writeLateError(call: SimulatedCall): string;
  missingKey: Problem;
  wrongKey: Problem;
  unknownModel(model: string): Problem;
  /** The vendor's own words for a status that a directive asks for. */
  statuses: ReadonlyMap<number, Omit<Problem, "status">>;
  /** The body of an error. */
  writeError(problem: Problem, more: { requestId: string; retryAfterSeconds?: number | undefined }): string;
}
