// Every model provider as seen from above: a call goes in, a stream of events comes out. Wire formats translate, the transport carries, the
// route decides which provider is called. Nothing here knows prices, accounts or the database.

import type { TokenCounts } from "@/lib/base/tokens/token-kinds";
import type { Retirement } from "./catalogue-data/retirements";
import type { CacheLifetime, ChatMessage, MessagePhase, ReasoningBlock } from "./conversation/messages";
import type { ModelRoute, ProviderId, WireFormatId } from "./model-route";
import type { Prices } from "./prices";
import type { RouteEntry } from "./provider-entry";
import type { Overflow } from "./refusal/overflow";
import type { SamplingOptions } from "./sampling";

/** Which upper bound of input tokens applies; `bytes` is the bound of last resort. */
export type TokenBoundId = "o200k" | "cl100k" | "claude" | "bytes";

export interface Model {
  id: string;
  /** Absent for a model that answers prompts. */
  type?: "embedding";
  aliases: readonly string[];
  /** One short line for people. */
  description: string;
  /** The day on which its vendor released it, as YYYY-MM-DD; absent for a model of the operator's that does not say. */
  releasedOn?: string | undefined;
  /** Called in order: the first is the provider, the others are fallbacks. */
  routes: readonly [ModelRoute, ...ModelRoute[]];
  /** Tokens of input and output together. */
  contextWindow: number;
  /** Maximum output tokens that a request may ask for. */
  maxOutputTokens: number;
  /** Output limit when the request sets none. */
  defaultMaxTokens: number;
  /** The customer's prices. */
  prices: Prices;
  /** The provider's prices for us, of the model's routes the dearest; a live price is never below them. */
  costs: Prices;
  /** Output tokens that the model may spend on reasoning beyond the wire's output limit; 0 where that limit includes them. */
  reasoningCeiling: number;
  tokenBound: TokenBoundId;
  retirement?: Retirement | undefined;
}

/** A customer's function that the model may call. */
export interface Tool {
  name: string;
  description?: string;
  /** JSON Schema of its arguments; absent for a function without any. */
  parameters?: Record<string, unknown>;
  /** Whether the provider should enforce the schema, where it can. */
  strict?: boolean;
  /** Ends a prefix of the prompt that shall be cached; tools come before all messages. */
  cache?: CacheLifetime | undefined;
  /**
   * A tool whose input is text of any form, as OpenAI's models were trained for. Other models get a function with one field, `input`:
   * that is what the fields above describe.
   */
  custom?: { description?: string | undefined; format?: Record<string, unknown> | undefined } | undefined;
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };

export type ResponseFormat =
  | { type: "json_object" }
  | { type: "json_schema"; name: string; description?: string; schema: Record<string, unknown>; strict?: boolean };

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** How much a model shall think before it answers. An empty object turns reasoning on and leaves the amount to the model. */
export interface ReasoningOptions {
  /** Whether it thinks; absent: it does, unless the effort is `none`. `default`: as the model does by itself. */
  mode?: "on" | "off" | "default" | undefined;
  effort?: ReasoningEffort | undefined;
  /** Tokens that it may think at most, of the output limit. */
  budgetTokens?: number | undefined;
  /** Whether the answer shall show the thoughts in words, where the model has a choice. */
  visible?: boolean | undefined;
}

/** Options that shape an answer. A provider gets those that it supports; the others are left out. */
export interface CallOptions extends SamplingOptions {
  topK?: number | undefined;
  seed?: number;
  stop?: readonly string[];
  tools?: readonly Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  /** Absent: as the model does by itself. */
  reasoning?: ReasoningOptions | undefined;
  /** Its reasoning is not handed on as events: until the first text or tool call, another route may still answer. */
  hidesReasoning?: boolean | undefined;
  /** `off`: it asks for no write into the provider's prompt cache and pays for none. Absent: as its messages and the provider want it. */
  caching?: "off";
  /** How much of its reasoning a model shall tell in words. */
  reasoningSummary?: "auto" | "concise" | "detailed" | undefined;
  /** The client hands reasoning back in its next request: it is asked for in the form that its maker reads again. */
  returnsReasoning?: boolean | undefined;
  verbosity?: "low" | "medium" | "high" | undefined;
  /** Of a call that is no prompt: it is written and read in this format over every route. */
  format?: WireFormat | undefined;
}

/** One call to a model, independent of any provider's format. */
export interface ModelCall extends CallOptions {
  messages: readonly ChatMessage[];
  maxOutputTokens: number;
  /** Names the account whose prompt cache the call uses, without naming anybody: 43 characters of base64url. Absent: nobody's. */
  cacheScope?: string | undefined;
  /** Requests a stream; false uses the provider's JSON call, which costs less CPU. The events are the same. */
  stream: boolean;
  /** The request to the first route, when it was written ahead. */
  written?: { route: ModelRoute; endpoint: object; request: WireRequest } | undefined;
}

/** The provider's own count. */
export type TokenUsage = TokenCounts;

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

export type ProviderEvent =
  | { type: "text"; text: string; phase?: MessagePhase | undefined }
  | ToolCallEvent
  | ReasoningEvent
  /** Last event of a complete answer; `usage` is null when the provider sent none. */
  | { type: "finish"; reason: FinishReason; usage: TokenUsage | null; stopSequence?: string | undefined };

/** A piece of a tool call. Only the first piece of a call has its id and name; the pieces' arguments, joined, are the whole. */
export interface ToolCallEvent {
  type: "tool_call";
  /** The position of the call in the answer, from 0, without gaps. */
  index: number;
  id?: string;
  name?: string;
  arguments: string;
}

/** A piece of a reasoning block. The pieces' texts, joined, are the whole; `data` comes once, with any of them. */
export interface ReasoningEvent {
  type: "reasoning";
  kind: ReasoningBlock["kind"];
  /** The position of the block among the answer's reasoning blocks, from 0, without gaps. */
  index: number;
  text: string;
  data?: string | undefined;
  id?: string | undefined;
  /** The route that answers. A wire format does not know it; the call adds it. */
  madeBy?: ModelRoute | undefined;
}

/**
 * - `unavailable`: refused the connection, answered 5xx or 429, or its circuit is open
 * - `timeout`: connect, first token, idle or total time ran out
 * - `rejected`: declared the request itself invalid (400, 413, 422): another try cannot help
 * - `misconfigured`: refused our credentials or does not know the wire name (401, 402, 403, 404): the operator must fix it
 * - `malformed`: answered something that is not its own wire format, or broke off in the middle
 * - `aborted`: our own signal ended it
 */
export type ProviderFailureKind = "unavailable" | "timeout" | "rejected" | "misconfigured" | "malformed" | "aborted";

const brand = Symbol.for("pennyprompt.ProviderFailure");

interface FailureFacts {
  accepted?: boolean;
  retryAfterMs?: number | undefined;
  httpStatus?: number | undefined;
  busy?: boolean;
  byModel?: boolean;
  overflow?: Overflow | undefined;
  told?: string | undefined;
  cause?: unknown;
}

/** A call that did not end in a complete answer. `message` is for the log: it may contain the provider's own words. */
export class ProviderFailure extends Error {
  readonly [brand] = true;
  readonly kind: ProviderFailureKind;
  /** True once the provider answered 2xx: from then on it may bill us for the input. */
  readonly accepted: boolean;
  /** From `Retry-After`, when the provider sent one. */
  readonly retryAfterMs: number | undefined;
  readonly httpStatus: number | undefined;
  /** The provider works and has too much to do, or its circuit is open: `unavailable`, and worth the same request a little later. */
  readonly busy: boolean;
  /** The model wrote an unreadable text: its provider is well. */
  readonly byModel: boolean;
  /** Of a rejected prompt that was too long. */
  readonly overflow: Overflow | undefined;
  /** The provider's words on a rejected request, without our or its own details. They may repeat the prompt: for its sender alone. */
  readonly told: string | undefined;

  constructor(kind: ProviderFailureKind, message: string, facts: FailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = "ProviderFailure";
    this.kind = kind;
    this.accepted = facts.accepted ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.httpStatus = facts.httpStatus;
    this.busy = facts.busy ?? false;
    this.byModel = facts.byModel ?? false;
    this.overflow = facts.overflow;
    this.told = facts.told;
  }
}

/** True for a ProviderFailure of any copy of this module. */
export function isProviderFailure(error: unknown): error is ProviderFailure {
  return typeof error === "object" && error !== null && (error as { [brand]?: boolean })[brand] === true;
}

/** An HTTP request to a provider, without its base URL. */
export interface WireRequest {
  /** Relative to the base URL, without a leading slash: `chat/completions`. */
  path: string;
  /** Lower-case names; includes the credentials. */
  headers: Record<string, string>;
  /** With references in place of large images, which `chunks` then has. */
  body: string;
  /** The body in pieces, sent instead of `body`. */
  chunks?: readonly (string | Buffer)[];
}

/** Receives an answer's id, unchecked: an invalid one must not fail the answer. A stream repeats it with every chunk. */
export type OnRequestId = (id: unknown) => void;
/** Receives the counts of a stream so far, before its end. */
export type OnUsage = (usage: TokenUsage) => void;

/** One provider wire format: pure translation, no network. */
export interface WireFormat {
  id: WireFormatId;
  buildRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId, entry?: RouteEntry): WireRequest;
  /** The customer's name of a function that the answer calls, where the name on the wire does not say it. */
  ownToolName?(name: string, tools: readonly Tool[]): string;
  /**
   * Reads the body of a 200 answer to a call that did not stream.
   * @throws ProviderFailure malformed, rejected (an error object inside a 200)
   */
  readReply(body: string, onRequestId?: OnRequestId): ProviderEvent[];
  /**
   * Reads the body of a 200 answer to a streamed call; ends after `finish`.
   * @throws ProviderFailure malformed (broken off before the end, or not this format), unavailable (an error event inside)
   */
  readStream(chunks: AsyncIterable<Uint8Array>, onRequestId?: OnRequestId, onUsage?: OnUsage): AsyncIterable<ProviderEvent>;
  /** Classifies an answer that is not 2xx. Never throws, whatever the body. */
  readError(status: number, headers: Record<string, string | string[] | undefined>, body: string): ProviderFailure;
}
