// How an answer ended. Providers have many words for it, and some say it wrongly: the answer's content decides whether it calls tools. An
// answer that breaks off is a failure, and never an end.

import { type FinishReason, type ProviderEvent, ProviderFailure } from "../types";
import { malformed } from "../wire-value";

/** In lower case, with `_` for spaces and hyphens. */
const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  // Together, watsonx, Cohere
  eos: "stop",
  eos_token: "stop",
  complete: "stop",
  completed: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  // Mistral: its model's context is full.
  model_length: "length",
  model_context_window_exceeded: "length",
  tool_calls: "tool_calls",
  tool_call: "tool_calls",
  tool_use: "tool_calls",
  // The name from before there were several calls.
  function_call: "tool_calls",
  content_filter: "content_filter",
  content_filtered: "content_filter",
  refusal: "content_filter",
  safety: "content_filter",
  recitation: "content_filter",
  // Z.ai
  sensitive: "content_filter",
};

/** Mistral and OpenRouter say `error`, vLLM and SGLang `abort`, Z.ai `network_error`, DeepSeek `insufficient_system_resource`. */
const brokenOff = /error|abort|cancel|fail|interrupt|time_?out|insufficient/;

/** Gemini's own, and as its chat completions write it: `function_call_filter: MALFORMED_FUNCTION_CALL`. */
const unreadableCall = /malformed_function_call|malformed_response|unexpected_tool_call|too_many_tool_calls/;

/**
 * `other` for a word that says nothing, or none.
 * @throws ProviderFailure unavailable, when the provider broke off; malformed, when the model wrote what cannot be read
 */
export function readFinishReason(word: string | null | undefined): FinishReason {
  if (!word) return "other";
  const name = word.trim().toLowerCase().replace(/[\s-]/g, "_");
  const reason = reasons[name];
  if (reason) return reason;
  if (unreadableCall.test(name)) throw unreadableAnswer(name);
  if (name.startsWith("content_filter")) return "content_filter";
  if (brokenOff.test(name)) {
    throw new ProviderFailure("unavailable", `the provider broke off: ${name.slice(0, 60)}`, { accepted: true });
  }
  return "other";
}

/** The model's text is no answer: its provider is well, and the same request may succeed. */
const unreadableAnswer = (what: string): ProviderFailure =>
  new ProviderFailure("malformed", `the model's answer cannot be read: ${what}`, { accepted: true, byModel: true });

type Finish = Extract<ProviderEvent, { type: "finish" }>;

/** The content of an answer so far, and the meaning of its end for that. */
export class HeldOutput {
  #hasText = false;
  #hasCalls = false;
  #hasReasoning = false;

  /** Notes an event before the end. */
  note({ type }: ProviderEvent): void {
    if (type === "text") this.#hasText = true;
    else if (type === "tool_call") this.#hasCalls = true;
    else if (type === "reasoning") this.#hasReasoning = true;
  }

  /**
   * The end, with the reason that fits the output. OpenAI says `stop` after a tool that it was made to call
   * (https://platform.openai.com/docs/guides/function-calling), and compatible servers after any; others say `tool_calls` without one.
   * @throws ProviderFailure malformed, when an answer that is not said to be complete holds nothing
   */
  close(finish: Finish): Finish {
    const { reason, usage, stopSequence } = finish;
    if (this.#hasCalls) {
      return (reason === "stop" && stopSequence === undefined) || reason === "other" ? { ...finish, reason: "tool_calls" } : finish;
    }
    if (this.#hasText) return reason === "tool_calls" ? { ...finish, reason: "stop" } : finish;
    if (usage === null && !this.#hasReasoning) throw malformed("a complete answer without output and without usage");
    // An empty `stop` would end an agent's work without a word.
    if (reason === "tool_calls" || reason === "other") throw unreadableAnswer(`it is empty and ended with ${reason}`);
    return finish;
  }
}
