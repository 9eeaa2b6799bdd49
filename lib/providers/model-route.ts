// The ways to reach a model, and the names of providers and wire formats.

import type { ChatDialect, RouteEntry } from "./provider-entry";

/** A provider with settings of its own, which the sandbox simulates. */
export type VendorId = "openai" | "anthropic" | "gemini" | "xai" | "deepseek";
/** A vendor, or an entry's id: in code, or in PROVIDERS_FILE. */
export type ProviderId = string;
export type WireFormatId = "openai" | "openai-responses" | "anthropic" | "gemini";

/** One way to reach a model: a provider and the name that the provider knows it by. */
export interface ModelRoute {
  provider: ProviderId;
  wireName: string;
  /** How this name is called, where the endpoint's own rule does not decide it. */
  wireFormat?: WireFormatId | undefined;
  /** Where this model takes something else than its provider's entry says. */
  dialect?: Partial<ChatDialect> | undefined;
  /** The facts about calls in the provider's entry; the catalogue writes them. Absent for a vendor. */
  entry?: RouteEntry | undefined;
}

/** Only the model that made a thought takes it back. */
export const isSameRoute = (one: Pick<ModelRoute, "provider" | "wireName">, other: Pick<ModelRoute, "provider" | "wireName">): boolean =>
  one.provider === other.provider && one.wireName === other.wireName;
