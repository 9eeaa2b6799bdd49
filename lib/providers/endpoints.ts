// Endpoints: where each provider is reached, with which key and in which wire format. A provider without a key is never reached; in
// the sandbox every provider is simulated, unless SANDBOX_REAL_MODELS is set.

import { assert } from "@/lib/base/assert";
import { type Config, config } from "@/lib/base/config";
import { forgetSingleton, processSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import type { ProviderId, WireFormatId } from "./types";

export interface Endpoint {
  /** Without a trailing slash; wire requests append their path to it. */
  baseUrl: string;
  /** The base URL's two parts, split once instead of in every call. */
  origin: string;
  pathPrefix: string;
  apiKey: string;
  format: WireFormatId;
  /** True for the provider's own public host, which serves none of the models that it has retired. */
  isVendorHost: boolean;
}

export type Endpoints = ReadonlyMap<ProviderId, Endpoint>;
export type SimulatedBaseUrls = Partial<Record<ProviderId, string>>;

/** The key that the simulated providers accept. */
const SIMULATED_KEY = "simulated-key";

export const providerIds = ["openai", "anthropic", "gemini", "xai", "deepseek"] as const satisfies readonly ProviderId[];

/** The wire format that each provider speaks. */
export const formatOf: Record<ProviderId, WireFormatId> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  xai: "openai",
  deepseek: "openai",
};

const vendorHost: Record<ProviderId, string> = {
  openai: "api.openai.com",
  anthropic: "api.anthropic.com",
  gemini: "generativelanguage.googleapis.com",
  xai: "api.x.ai",
  deepseek: "api.deepseek.com",
};

/** One provider's endpoint, independent of the settings: for tests and for tools that check a key. */
export function endpointAt(provider: ProviderId, baseUrl: string, apiKey: string): Endpoint {
  const url = new URL(baseUrl);
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    origin: url.origin,
    pathPrefix: `${url.pathname.replace(/\/+$/, "")}/`,
    apiKey,
    format: formatOf[provider],
    isVendorHost: url.hostname === vendorHost[provider],
  };
}

function configured(settings: Config, provider: ProviderId): { baseUrl: string; apiKey: string | undefined } {
  switch (provider) {
    case "openai":
      return { baseUrl: settings.OPENAI_BASE_URL, apiKey: settings.OPENAI_API_KEY };
    case "anthropic":
      return { baseUrl: settings.ANTHROPIC_BASE_URL, apiKey: settings.ANTHROPIC_API_KEY };
    case "gemini":
      return { baseUrl: settings.GEMINI_BASE_URL, apiKey: settings.GEMINI_API_KEY };
    case "xai":
      return { baseUrl: settings.XAI_BASE_URL, apiKey: settings.XAI_API_KEY };
    case "deepseek":
      return { baseUrl: settings.DEEPSEEK_BASE_URL, apiKey: settings.DEEPSEEK_API_KEY };
  }
}

/**
 * The endpoints that these settings allow. The sandbox's balance is free, so there a real key counts only with
 * SANDBOX_REAL_MODELS; in live mode nothing simulated counts.
 */
export function readEndpoints(settings: Config, simulated: SimulatedBaseUrls, simulatedKey = SIMULATED_KEY): Endpoints {
  const allowsReal = settings.MODE === "live" || settings.SANDBOX_REAL_MODELS;
  const endpoints = new Map<ProviderId, Endpoint>();
  for (const provider of providerIds) {
    const { baseUrl, apiKey } = configured(settings, provider);
    const simulatedUrl = simulated[provider];
    if (allowsReal && apiKey) endpoints.set(provider, endpointAt(provider, baseUrl, apiKey));
    else if (simulatedUrl && settings.MODE === "sandbox") endpoints.set(provider, endpointAt(provider, simulatedUrl, simulatedKey));
  }
  return endpoints;
}

const simulatedUrls = processSingleton<{ byProvider: SimulatedBaseUrls; apiKey: string }>("simulatedProviders", () => ({
  byProvider: {},
  apiKey: SIMULATED_KEY,
}));

/** Points the providers at the sandbox's simulated server, which accepts `apiKey`, from the next call on. */
export function setSimulatedProviders(baseUrlByProvider: SimulatedBaseUrls, apiKey = SIMULATED_KEY): void {
  assert(config().MODE === "sandbox", "live mode never uses simulated providers");
  Object.assign(simulatedUrls(), { byProvider: baseUrlByProvider, apiKey });
  forgetSingleton("endpoints");
}

/** True when this endpoint is the sandbox's simulated server. */
export const isSimulated = (provider: ProviderId, { baseUrl }: Endpoint): boolean =>
  baseUrl === simulatedUrls().byProvider[provider]?.replace(/\/+$/, "");

/** The endpoints of this process. */
export const endpoints = processSingleton<Endpoints>("endpoints", () =>
  readEndpoints(config(), simulatedUrls().byProvider, simulatedUrls().apiKey),
);

/** Replaces this process's endpoints: for tests. Returns a function that restores the configured ones. */
export function setEndpoints(replacement: Endpoints): () => void {
  replaceSingleton("endpoints", replacement);
  return () => forgetSingleton("endpoints");
}
