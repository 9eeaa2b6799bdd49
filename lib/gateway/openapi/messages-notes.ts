// A sentence for each field of a request in Anthropic's format.

import type { FieldNotes } from "./request-notes";

export const countNotes: FieldNotes = {
  model: "A model ID or alias.",
  messages: "The conversation, oldest message first.",
  "messages[].role": "user or assistant. system is added to the system instruction.",
  "messages[].content":
    "A text, or Anthropic's blocks: text, tool_use, tool_result, thinking. Images work with models that accept them; for other models, images in earlier messages and tool results are replaced with a line of text. PDFs in the latest message are refused with 400.",
  system: "System instruction for the model: a text or text blocks.",
  tools: "Your own tools. Tools that run at Anthropic are dropped and named in X-Dropped-Tools.",
  tool_choice: "auto, any, none, or one tool by name. Default: auto if there are tools.",
  thinking: "Whether and how much the model thinks. For models without a thinking budget, it is converted to the nearest effort.",
  output_config: "Effort, and the JSON Schema of the answer.",
  output_format: "Older form of output_config.format.",
  cache_control: "Caches the whole conversation, for models that cache on request.",
};

export const messagesNotes: FieldNotes = {
  ...countNotes,
  max_tokens:
    "Maximum tokens in the answer, thinking included. A larger value is lowered to the model's maximum. It also limits how much is reserved.",
  temperature: "Sampling temperature, 0 to 1. Default: the provider's own.",
  top_p: "Nucleus sampling: only the most likely tokens whose probabilities add up to this value.",
  top_k: "Only the k most likely tokens, for models that support it.",
  stop_sequences: "The answer stops before any of them. Up to four for models that are not Anthropic's.",
  stream: "true to stream the answer as Anthropic's events. Default: false.",
  maxCost: "Maximum cost in USD. A request that could cost more is rejected with 400 before the model is called. Not an Anthropic field.",
  clipToBalance:
    "true to lower max_tokens to what your balance, the key's spending limit and maxCost allow, instead of an error. Default: the key's setting, or false. Not an Anthropic field.",
};

/** By the name of their schema. */
export const messagesNotesOf: Readonly<Record<string, FieldNotes>> = { MessagesBody: messagesNotes, CountBody: countNotes };
