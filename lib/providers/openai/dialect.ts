// How the models behind chat completions differ, and the dialect of compatible servers, which are entries; the vendors' own is in request.ts.

import type { ImageDetail, ImagePart } from "../conversation/images";
import type { ChatDialect, RouteEntry } from "../provider-entry";

/** The part of chat completions that a provider takes, for a vendor's model or for an entry. */
export interface OpenAIDialect extends Omit<ChatDialect, "efforts" | "limitIncludesReasoning" | "cacheScope" | "maxPrice" | "body"> {
  imageDetail: (image: ImagePart) => ImageDetail;
  /** The efforts that it takes; undefined where the model's name decides. */
  efforts: ChatDialect["efforts"] | undefined;
  hasServiceTiers: boolean;
  /** Writes into the prompt cache by itself, at a price of their own. */
  billsCacheWrites: boolean;
  /** Function tools are refused unless `reasoning_effort` is "none": for a limit too low for Responses, or a host without it. */
  needsNoEffortForTools: boolean;
  /** DeepSeek's thinking: it refuses a forced tool choice. */
  thinks: boolean;
}

/** The dialect of a provider's entry. */
export const entryDialect = ({ dialect }: RouteEntry): OpenAIDialect => ({
  imageDetail: () => "high",
  hasServiceTiers: false,
  billsCacheWrites: false,
  needsNoEffortForTools: false,
  thinks: false,
  ...dialect,
});

/** With the entry's own fields, the name of the account's cache, and the limit of price (https://openrouter.ai/docs/guides/routing/provider-selection, "Max Price"). */
export function withEntryFields(body: object, { dialect, maxPrice }: RouteEntry, cacheScope: string | undefined): object {
  const { provider } = dialect.body;
  const own = typeof provider === "object" && !Array.isArray(provider) ? provider : undefined;
  const scope = dialect.cacheScope && cacheScope !== undefined ? { [dialect.cacheScope]: cacheScope } : undefined;
  return { ...body, ...dialect.body, ...scope, ...(maxPrice && { provider: { ...own, max_price: maxPrice } }) };
}
