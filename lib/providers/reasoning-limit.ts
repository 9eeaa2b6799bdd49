// Whether a request's output limit bounds what a model spends on reasoning. `max_completion_tokens` (OpenAI), `maxOutputTokens` (Gemini) and
// `max_tokens` (Anthropic, DeepSeek) limit reasoning and answer together; xAI's limit bounds the answer alone, wherever its models are hosted.

import type { ModelRoute } from "./types";

/** True where the output limit includes reasoning, or the model does not reason. Of another provider its entry says it. */
export function limitsReasoning({ provider, wireName, entry }: ModelRoute): boolean {
  const name = wireName.slice(wireName.lastIndexOf("/") + 1);
  const isXai = provider === "xai" || name.startsWith("grok-");
  return isXai ? withoutReasoning.test(name) : entry?.dialect.limitIncludesReasoning !== false;
}

// Every current xAI model reasons, except those whose name says that they do not.
const withoutReasoning = /non-reasoning|^grok-[23](?:-(?!mini)|$)/;
