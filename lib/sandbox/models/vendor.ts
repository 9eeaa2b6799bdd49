// What a simulated vendor is: it reads its own requests as strictly as the real one, and writes its own answers, streams and
// errors. It knows neither sockets nor faults; delivering is done elsewhere, for all vendors alike.

import type { IncomingHttpHeaders } from "node:http";
import type { ProviderId } from "@/lib/providers/types";
import type { SchemaIssue } from "./schema-issue";

export interface SimulatedMessage {
  /** `tool`: what one of the caller's functions returned. */
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  /** What an assistant asked for. */
  toolCalls?: readonly AskedCall[];
}

export interface AskedCall {
  name: string;
  /** JSON text. */
  arguments: string;
}

/** One of the caller's functions, as far as an answer needs it. */
export interface SimulatedTool {
  name: string;
  description?: string;
  /** JSON Schema of its arguments; absent for a function without any. */
  parameters?: unknown;
}

export interface ToolChoice {
  mode: "auto" | "none" | "required";
  /** The only functions that may be called; absent: all. */
  names?: readonly string[];
}

/** A request, read; no vendor's words are left in it. */
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
  /** Texts that end the answer before them. */
  stop: readonly string[];
  /** Set when the answer has to be JSON; with a schema, JSON that fits it. */
  json: { schema?: unknown } | undefined;
  /** False when the vendor sends usage with a stream only on request, and it was not requested. */
  wantsUsage: boolean;
}

export interface TokenCounts {
  /** Cached input included. */
  input: number;
  cached: number;
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
  /** What the model "thought", one token each; only some vendors show it. */
  thoughts: readonly string[];
  toolCalls: readonly AnsweredCall[];
  finish: "stop" | "tool_calls" | "length" | "filtered";
  /** The request's own text that ended the answer; null when it ended by itself. */
  stoppedBy: string | null;
  /** Null: the vendor is told not to report any. */
  usage: TokenCounts | null;
}

/** A tool call of an answer. */
export interface AnsweredCall {
  /** Random base62, for the id that a vendor writes. */
  id: string;
  name: string;
  /** The arguments' JSON text, one token each. */
  pieces: readonly string[];
  /** False where the request's limit broke it off. */
  isWhole: boolean;
}

/** One write of a stream; `isDelta` when it carries text or arguments of the answer. */
export interface Frame {
  text: string;
  isDelta: boolean;
}

export type Refusal =
  | { kind: "missing_key" }
  | { kind: "wrong_key"; key: string }
  | { kind: "unknown_path"; path: string }
  | { kind: "bad_json" }
  | { kind: "invalid"; issue: SchemaIssue }
  | ({ kind: "broken_rule" } & BrokenRule)
  | { kind: "unknown_model"; model: string }
  /** Asked for by a directive, or too large a body. */
  | { kind: "status"; status: number; retryAfterSeconds?: number };

/** What a request's form allows and the vendor does not, in the vendor's own words. */
export interface BrokenRule {
  message: string;
  /** The field, where the vendor names it beside the words. */
  param?: string;
  code?: string;
}

export interface VendorReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What the URL says: Gemini names model and stream there. */
export interface VendorEndpoint {
  model?: string;
  stream?: boolean;
}

export type CallReading = { call: SimulatedCall } | { refusal: Refusal };

export interface Vendor {
  provider: ProviderId;
  /** The first part of every path, with a leading slash. */
  basePath: string;
  /** Which model names the vendor knows. */
  modelNames: RegExp;
  /** True where the request's limit of output bounds reasoning too. */
  limitBoundsReasoning: boolean;
  /** True where a stream carries each tool call in one piece. */
  callsComeWhole: boolean;
  /** `path` is what follows `basePath`. Null: there is nothing there. */
  readPath(path: string, query: URLSearchParams): VendorEndpoint | null;
  readKey(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined;
  readCall(body: unknown, endpoint: VendorEndpoint, headers: IncomingHttpHeaders): CallReading;
  replyHeaders(requestId: string): Record<string, string>;
  writeJson(answer: SimulatedAnswer): string;
  writeStream(answer: SimulatedAnswer, call: SimulatedCall): Iterable<Frame>;
  /** An error that comes after the status 200: as the whole body, or as an event of a stream. */
  writeLateError(stream: boolean): string;
  refuse(refusal: Refusal, requestId: string): VendorReply;
}
