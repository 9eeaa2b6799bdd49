// In what the models behind chat completions differ. What a provider answers with 400 is left out of the request: the
// customer is served without it.

import type { ProviderId } from "../types";

export interface OpenAIDialect {
  /** OpenAI's reasoning models refuse `max_tokens`; DeepSeek and most compatible servers know nothing else. */
  limit: "max_completion_tokens" | "max_tokens";
  /** temperature and top_p */
  takesSampling: boolean;
  /** frequency_penalty, presence_penalty and stop */
  takesPenalties: boolean;
  takesSeed: boolean;
  takesParallelToolCalls: boolean;
  takesStrictTools: boolean;
  /** Where not, the schema is said in words and the format is json_object. */
  takesJsonSchema: boolean;
  /** Function tools are refused unless `reasoning_effort` is "none". */
  needsNoEffortForTools: boolean;
  /** DeepSeek's thinking: it refuses a forced tool choice, and assistant messages without `reasoning_content`. */
  thinks: boolean;
}

export function openaiDialect(wireName: string, provider: ProviderId): OpenAIDialect {
  const reasons = reasoning.test(wireName);
  const isDeepSeek = provider === "deepseek";
  return {
    limit: provider === "openai" ? "max_completion_tokens" : "max_tokens",
    takesSampling: !reasons,
    takesPenalties: !reasons && (provider !== "xai" || xaiWithoutReasoning.test(wireName)),
    // DeepSeek's reference knows neither `seed` nor `parallel_tool_calls` nor json_schema, which it answers with "This
    // response_format type is unavailable now", and `strict` only at its beta address:
    // https://api-docs.deepseek.com/api/create-chat-completion, https://api-docs.deepseek.com/guides/tool_calls
    takesSeed: !isDeepSeek,
    takesParallelToolCalls: !isDeepSeek && !oSeries.test(wireName),
    takesStrictTools: !isDeepSeek,
    takesJsonSchema: !isDeepSeek,
    needsNoEffortForTools: withoutToolsWhileReasoning.test(wireName),
    // All models but the oldest think unless told otherwise: https://api-docs.deepseek.com/guides/thinking_mode
    thinks: isDeepSeek && wireName !== "deepseek-chat",
  };
}

// OpenAI's reasoning models (o1, o3-mini, gpt-5, gpt-5.1 …, not gpt-5-chat) and its search previews answer 400 to any
// temperature, top_p or penalty but the default, and to `stop`: https://platform.openai.com/docs/guides/reasoning,
// https://platform.openai.com/docs/api-reference/chat/create ("Not supported with latest reasoning models").
const reasoning = /^(?:.*\/)?(?:o\d+(?:-|$)|gpt-(?:[5-9]|\d\d)(?!-chat)(?:[.-]|$)|gpt-4o(?:-mini)?-search-preview)/;

// The o-series answers 400 to `parallel_tool_calls`: https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning
const oSeries = /^(?:.*\/)?o\d+(?:-|$)/;

// From gpt-5.6 on: "Function tools with reasoning_effort are not supported in /v1/chat/completions. To use function tools,
// use /v1/responses or set reasoning_effort to 'none'", which they also answer when no effort is set.
const withoutToolsWhileReasoning = /^(?:.*\/)?gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)(?:[.-]|$)/;

// "presencePenalty, frequencyPenalty and stop parameters are not supported by reasoning models": https://docs.x.ai/docs/guides/reasoning.
// Every model of today reasons, but for those that say in their name that they do not.
const xaiWithoutReasoning = /non-reasoning/;
