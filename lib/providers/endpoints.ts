// Endpoints: where each provider is reached, with which key and in which wire format. A provider without a key is never reached; in
// the sandbox every provider is simulated, unless SANDBOX_REAL_MODELS is set.

import { assert } from "@/lib/base/assert";
import { type Config, config, readNamedVariable } from "@/lib/base/config";
import { forgetSingleton, processSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import type { ModelRoute, ProviderId, VendorId, WireFormatId } from "./model-route";
import { builtInEntries, type ProviderEntry, readProvidersFile } from "./provider-entry";

export interface Endpoint {
  /** Without a trailing slash; wire requests append their path to it. */
  baseUrl: string;
  /** The base URL's two parts, split once instead of in every call. */
  origin: string;
  pathPrefix: string;
  apiKey: string;
  format: WireFormatId;
  /** Absent for a vendor. */
  entry?: ProviderEntry;
  /** True for the provider's own public host, which serves none of the models that it has retired. */
  isVendorHost: boolean;
}

export type Endpoints = ReadonlyMap<ProviderId, Endpoint>;
export type SimulatedBaseUrls = Readonly<Record<string, string | undefined>>;

/** The key that the simulated providers accept. */
const SIMULATED_KEY = "simulated-key";

export const vendorIds = ["openai", "anthropic", "gemini", "xai", "deepseek"] as const satisfies readonly VendorId[];

/** The providers that need no PROVIDERS_FILE. */
export const providersInCode: readonly string[] = [...vendorIds, ...builtInEntries.map(({ id }) => id)];

/** The wire format that each vendor speaks. */
const vendorFormat: Readonly<Record<string, WireFormatId>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  xai: "openai",
  deepseek: "openai",
};

const vendorHost: Readonly<Record<string, string>> = {
  openai: "api.openai.com",
  anthropic: "api.anthropic.com",
  gemini: "generativelanguage.googleapis.com",
  xai: "api.x.ai",
  deepseek: "api.deepseek.com",
};

/** The wire format of a route's provider. */
export const formatOf = ({ provider, entry }: ModelRoute): WireFormatId => entry?.format ?? vendorFormat[provider] ?? "openai";

/** One provider's endpoint, independent of the settings: for tests and for tools that check a key. */
export function endpointAt(provider: ProviderId, baseUrl: string, apiKey: string): Endpoint {
  const url = new URL(baseUrl);
  return {
    baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ""),
    origin: url.origin,
    pathPrefix: `${url.pathname.replace(/(?<!\/)\/+$/, "")}/`,
    apiKey,
    format: formatOf({ provider, wireName: "" }),
    isVendorHost: url.hostname === vendorHost[provider],
  };
}

function configured(settings: Config, provider: VendorId): { baseUrl: string; apiKey: string | undefined } {
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

/** The entries of PROVIDERS_FILE. @throws Error when the file is not usable */
const ownEntries = ({ PROVIDERS_FILE }: Config): readonly ProviderEntry[] =>
  PROVIDERS_FILE ? readProvidersFile(PROVIDERS_FILE, providersInCode) : [];

/** Every provider that a model may name, configured or not. @throws Error when PROVIDERS_FILE is not usable */
export const knownProviders = (settings: Config): string[] => [...providersInCode, ...ownEntries(settings).map(({ id }) => id)];

const NO_KEY = "no-key-needed";

const entryEndpoint = (entry: ProviderEntry, apiKey: string): Endpoint => ({
  ...endpointAt(entry.id, entry.baseUrl, apiKey),
  format: entry.format,
  entry,
});

/**
 * The operator's entries need their keys in every mode: a model that silently disappears is found by customers first.
 * @throws Error that says what to set
 */
function entryEndpoints(settings: Config, readKey: (variable: string) => string | undefined): Endpoints {
  const endpoints = new Map<ProviderId, Endpoint>();
  for (const entry of builtInEntries) {
    const apiKey = settings[entry.keyVariable];
    if (apiKey) endpoints.set(entry.id, entryEndpoint(entry, apiKey));
  }
  for (const entry of ownEntries(settings)) {
    const { id, keyVariable } = entry;
    const apiKey = keyVariable === undefined ? NO_KEY : readKey(keyVariable);
    if (!apiKey) {
      const cure = `set ${keyVariable} to it; or remove keyVariable, if ${id} wants no key; or remove the entry`;
      throw new Error(`PROVIDERS_FILE: the key of ${id} is missing: ${cure}`);
    }
    endpoints.set(id, entryEndpoint(entry, apiKey));
  }
  return endpoints;
}

/**
 * The endpoints that these settings allow. The sandbox's balance is free, so there a real key counts only with
 * SANDBOX_REAL_MODELS; in live mode nothing simulated counts.
 */
export function readEndpoints(
  settings: Config,
  simulated: SimulatedBaseUrls,
  simulatedKey = SIMULATED_KEY,
  readKey = readNamedVariable,
): Endpoints {
  const allowsReal = settings.MODE === "live" || settings.SANDBOX_REAL_MODELS;
  const endpoints = new Map<ProviderId, Endpoint>();
  for (const provider of vendorIds) {
    const { baseUrl, apiKey } = configured(settings, provider);
    const simulatedUrl = simulated[provider];
    if (allowsReal && apiKey) endpoints.set(provider, endpointAt(provider, baseUrl, apiKey));
    else if (simulatedUrl && settings.MODE === "sandbox") endpoints.set(provider, endpointAt(provider, simulatedUrl, simulatedKey));
  }
  const ofEntries = entryEndpoints(settings, readKey);
  if (allowsReal) for (const [id, endpoint] of ofEntries) endpoints.set(id, endpoint);
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
  baseUrl === simulatedUrls().byProvider[provider]?.replace(/(?<!\/)\/+$/, "");

/** The endpoints of this process. */
export const endpoints = processSingleton<Endpoints>("endpoints", () =>
  readEndpoints(config(), simulatedUrls().byProvider, simulatedUrls().apiKey),
);

/** Replaces this process's endpoints: for tests. Returns a function that restores the configured ones. */
export function setEndpoints(replacement: Endpoints): () => void {
  replaceSingleton("endpoints", replacement);
  return () => forgetSingleton("endpoints");
}
