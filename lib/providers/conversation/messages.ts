// A conversation as every dialect hands it on, before a wire format writes it: messages, their parts, calls and thoughts.

import type { ModelRoute } from "../model-route";
import type { ImagePart } from "./images";

/** A call that the model makes of one of the customer's functions. */
export interface ToolCall {
  /** The provider's id, or ours where the provider sends none; the function's result refers to it. */
  id: string;
  name: string;
  /** JSON text as the model wrote it, which may not be valid. */
  arguments: string;
  /** A call of a custom tool: its arguments are `{"input": "…"}`. */
  custom?: true | undefined;
  /** Ends a prefix of the prompt that shall be cached. */
  cache?: CacheLifetime | undefined;
}

/** For how long a provider that caches on request (Anthropic) shall keep the prompt up to here; the others cache by themselves. */
export type CacheLifetime = "5m" | "1h";

/** Text of a message that has more than one part. */
export interface TextPart {
  type: "text";
  text: string;
  /** Ends a prefix of the prompt that shall be cached. */
  cache?: CacheLifetime | undefined;
}

export type ContentPart = TextPart | ImagePart;
export type Content = string | readonly ContentPart[];

/**
 * A model's thought before its answer, as its maker sent it: it goes back unchanged to the same provider and model, and to no other.
 */
export interface ReasoningBlock {
  kind: "thinking" | "redacted" | "encrypted";
  /** The route that made it. */
  madeBy: ModelRoute;
  /** The thought in words; empty where its maker shows none. */
  text: string;
  /**
   * The signature of a thought, the form in which its maker takes an unsigned one back, or the thought itself in a form that only its maker
   * reads; empty where there is none of these.
   */
  data: string;
  /** The provider's id of the block, where it has one. */
  id?: string | undefined;
  /** Its place in the message: after so many characters of text and so many tool calls. Absent: at the start. */
  after?: { characters: number; calls: number } | undefined;
}

/** OpenAI tells its models' remarks while they work from their answer. */
export type MessagePhase = "commentary" | "final_answer";

export type ChatMessage =
  | { role: "system" | "user"; content: Content }
  | {
      role: "assistant";
      content: Content;
      toolCalls?: readonly ToolCall[];
      reasoning?: readonly ReasoningBlock[];
      phase?: MessagePhase | undefined;
    }
  /** The result of one of the customer's functions. */
  | { role: "tool"; content: Content; toolCallId: string; isError?: boolean | undefined };

/** True when every message is one string: nothing of images needs to be looked at then. */
export const isPlain = (messages: readonly { content: unknown }[]): boolean => messages.every(({ content }) => typeof content === "string");

/** The text of a message without the borders of its parts. */
export const contentText = (content: Content): string =>
  typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("");

/** The calls of all earlier answers, in order. */
export const toolCallsOf = (messages: readonly ChatMessage[]): ToolCall[] =>
  messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
