// How the models behind chat completions differ, and the dialect of compatible servers, which are entries; the vendors' own is in request.ts.

import type { ImageDetail, ImagePart } from "../conversation/images";
import type { ChatDialect, RouteEntry } from "../provider-entry";

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
  /** Which of conversation/shape-rules.ts a conversation follows. */
  turns: "openai" | ChatDialect["turns"];
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
  turns: dialect.turns,
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
