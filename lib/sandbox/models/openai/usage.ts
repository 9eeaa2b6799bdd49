// Usage as the three vendors of this wire format report it. The differences affect cost: xAI counts reasoning in addition to
// completion_tokens, OpenAI and DeepSeek within them; DeepSeek has its own names for cached input.
// Source: platform.openai.com/docs/api-reference/chat/object, docs.x.ai (usage, reasoning), api-docs.deepseek.com (context caching).

import type { TokenCounts } from "../vendor";

export function openaiUsage({ input, cached, written, writtenForHours, text, reasoning }: TokenCounts) {
  return {
    prompt_tokens: input,
    completion_tokens: text + reasoning,
    total_tokens: input + text + reasoning,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written + writtenForHours, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

export function xaiUsage({ input, cached, text, reasoning }: TokenCounts) {
  return {
    prompt_tokens: input,
    completion_tokens: text,
    total_tokens: input + text + reasoning,
    prompt_tokens_details: { text_tokens: input, audio_tokens: 0, image_tokens: 0, cached_tokens: cached },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
  };
}

export function deepseekUsage({ input, cached, text, reasoning }: TokenCounts) {
  return {
    prompt_tokens: input,
    completion_tokens: text + reasoning,
    total_tokens: input + text + reasoning,
    prompt_tokens_details: { cached_tokens: cached },
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: input - cached,
  };
}
