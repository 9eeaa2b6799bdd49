// How the models behind chat completions differ: OpenAI's, and those of compatible servers, which are entries.

import { openaiDetail } from "../image-bound/openai";
import type { ImageDetail, ImagePart } from "../image-types";
import type { ChatDialect, RouteEntry } from "../provider-entry";
import type { ProviderId } from "../types";

/** Options that a provider answers with 400 are left out of the request: the customer is served without them. */
export interface OpenAIDialect {
  imageDetail: (image: ImagePart) => ImageDetail;
  /** OpenAI's reasoning models refuse `max_tokens`; DeepSeek and most compatible servers know only that. */
  limit: "max_completion_tokens" | "max_tokens";
  /** temperature and top_p */
  takesSampling: boolean;
  /** frequency_penalty and presence_penalty */
  takesPenalties: boolean;
  takesStop: boolean;
  seed: ChatDialect["seed"];
  takesParallelToolCalls: boolean;
  takesStrictTools: boolean;
  /** If false, the schema goes into a message and the format is json_object. */
  takesJsonSchema: boolean;
  toolChoice: ChatDialect["toolChoice"];
  toolCallIds: ChatDialect["toolCallIds"];
  /** A stream has its usage only when it is asked for. */
  needsStreamOptions: boolean;
  /** The efforts that it takes; undefined where the model's name decides. */
  efforts: ChatDialect["efforts"] | undefined;
  hasServiceTiers: boolean;
  /** Writes into the prompt cache by itself, at a price of their own. */
  billsCacheWrites: boolean;
  /** Function tools are refused unless `reasoning_effort` is "none": for a limit too low for Responses, or a host without it. */
  needsNoEffortForTools: boolean;
  /** DeepSeek's thinking: it refuses a forced tool choice. */
  thinks: boolean;
  /** Refuses messages of the assistant without `reasoning_content`. */
  needsReasoningContent: boolean;
}

/** The dialect of a vendor's model. */
export function openaiDialect(wireName: string, provider: ProviderId): OpenAIDialect {
  const reasons = !takesSampling(wireName);
  const isDeepSeek = provider === "deepseek";
  // All models but the oldest think unless told otherwise: https://api-docs.deepseek.com/guides/thinking_mode
  const thinks = isDeepSeek && wireName !== "deepseek-chat";
  const takesPenalties = !reasons && (provider !== "xai" || xaiWithoutReasoning.test(wireName));
  const ownDetail = ({ detail, source }: ImagePart) => openaiDetail(wireName, detail, source.kind === "bytes" ? source : null);
  return {
    limit: provider === "openai" ? "max_completion_tokens" : "max_tokens",
    // "original" is OpenAI's alone.
    imageDetail: provider === "openai" ? ownDetail : ({ detail }) => (detail === "low" ? "low" : "high"),
    takesSampling: !reasons,
    takesPenalties,
    takesStop: takesPenalties,
    // DeepSeek's reference knows neither `seed` nor `parallel_tool_calls` nor json_schema, which it answers with "This
    // response_format type is unavailable now", and `strict` only at its beta address:
    // https://api-docs.deepseek.com/api/create-chat-completion, https://api-docs.deepseek.com/guides/tool_calls
    seed: isDeepSeek ? "none" : "seed",
    takesParallelToolCalls: !isDeepSeek && !oSeries.test(wireName),
    takesStrictTools: !isDeepSeek,
    takesJsonSchema: !isDeepSeek,
    toolChoice: "named",
    toolCallIds: "any",
    needsStreamOptions: true,
    efforts: undefined,
    hasServiceTiers: provider === "openai",
    billsCacheWrites: billsCacheWrites({ provider, wireName }),
    needsNoEffortForTools: sinceGpt56.test(wireName),
    thinks,
    needsReasoningContent: thinks,
  };
}

/** False for a model that reasons, and for one that searches. */
export const takesSampling = (wireName: string): boolean => !reasoning.test(wireName);

// OpenAI's reasoning models (o1, o3-mini, gpt-5, gpt-5.1 …, not gpt-5-chat) and its search previews answer 400 to any temperature,
// top_p or penalty except the default, and to `stop`: https://platform.openai.com/docs/guides/reasoning,
// https://platform.openai.com/docs/api-reference/chat/create ("Not supported with latest reasoning models").
const reasoning = /^(?:.*\/)?(?:o\d+(?:-|$)|gpt-(?:[5-9]|\d\d)(?!-chat)(?:[.-]|$)|gpt-4o(?:-mini)?-search-preview)/;

// The o-series answers 400 to `parallel_tool_calls`: https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning
const oSeries = /^(?:.*\/)?o\d+(?:-|$)/;

// From gpt-5.6 on: "Function tools with reasoning_effort are not supported in /v1/chat/completions. To use function tools,
// use /v1/responses or set reasoning_effort to 'none'", which is also the answer when no effort is set. From it on cache writes are billed.
const sinceGpt56 = /^(?:.*\/)?gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)(?:[.-]|$)/;

// "presencePenalty, frequencyPenalty and stop parameters are not supported by reasoning models": https://docs.x.ai/docs/guides/reasoning.
// Every current model reasons, except those whose name says that they do not.
const xaiWithoutReasoning = /non-reasoning/;

/** True where input is written into the cache by itself, at a price of its own. */
export const billsCacheWrites = ({ provider, wireName }: { provider: ProviderId; wireName: string }): boolean =>
  provider === "openai" && sinceGpt56.test(wireName);

/** The dialect of a provider's entry. */
export const entryDialect = ({ dialect }: RouteEntry): OpenAIDialect => ({
  limit: dialect.limit,
  takesSampling: dialect.sampling,
  takesPenalties: dialect.penalties,
  takesStop: dialect.stop,
  seed: dialect.seed,
  takesParallelToolCalls: dialect.parallelToolCalls,
  takesStrictTools: dialect.strictTools,
  toolChoice: dialect.toolChoice,
  toolCallIds: dialect.toolCallIds,
  takesJsonSchema: dialect.jsonSchema,
  needsStreamOptions: dialect.streamOptions,
  needsReasoningContent: dialect.reasoningContent,
  efforts: dialect.efforts,
  ...vendorsOnly,
});

const vendorsOnly: Pick<OpenAIDialect, "imageDetail" | "hasServiceTiers" | "billsCacheWrites" | "needsNoEffortForTools" | "thinks"> = {
  imageDetail: () => "high",
  hasServiceTiers: false,
  billsCacheWrites: false,
  needsNoEffortForTools: false,
  thinks: false,
};

/** With the entry's own fields, the name of the account's cache, and the limit of price (https://openrouter.ai/docs/guides/routing/provider-selection, "Max Price"). */
export function withEntryFields(body: object, { dialect, maxPrice }: RouteEntry, cacheScope: string | undefined): object {
  const { provider } = dialect.body;
  const own = typeof provider === "object" && !Array.isArray(provider) ? provider : undefined;
  const scope = dialect.cacheScope && cacheScope !== undefined ? { [dialect.cacheScope]: cacheScope } : undefined;
  return { ...body, ...dialect.body, ...scope, ...(maxPrice && { provider: { ...own, max_price: maxPrice } }) };
}
