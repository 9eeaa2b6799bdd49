// Chat completions as a provider's entry takes them.

import type { RouteEntry } from "../types";
import type { OpenAIDialect } from "./request";

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

/** With the entry's own fields, and the limit of price (https://openrouter.ai/docs/guides/routing/provider-selection, "Max Price"). */
export function withEntryFields(body: object, { dialect, maxPrice }: RouteEntry): object {
  const { provider } = dialect.body;
  const own = typeof provider === "object" && !Array.isArray(provider) ? provider : undefined;
  return { ...body, ...dialect.body, ...(maxPrice && { provider: { ...own, max_price: maxPrice } }) };
}
