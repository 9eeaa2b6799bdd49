// For tests of calls: a model, a setup independent of the process's settings, and a reader that keeps events and failure apart.

import { nanoUsd } from "@/lib/base/money";
import { callProvider, callProviderWhole, type ProviderCall, type RoutingSetup, type WholeCall } from "../call";
import { endpointAt } from "../endpoints";
import type { ProviderId } from "../model-route";
import { fillPrices } from "../prices";
import { isProviderFailure, type Model, type ProviderEvent, type ProviderFailure } from "../types";
import { lineFormat } from "./provider-server";

export const limits: RoutingSetup["limits"] = {
  PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 5_000,
  PROVIDER_IDLE_TIMEOUT_MS: 5_000,
  PROVIDER_TOTAL_TIMEOUT_MS: 20_000,
  PROVIDER_RETRIES: 2,
};

export const apiKey = "sk-very-secret-1234567890";

const providers: readonly ProviderId[] = ["openai", "anthropic", "xai"];

/** A model with one route per URL, and the endpoints to reach it. */
export function modelAt(...urls: string[]): { model: Model; endpoints: RoutingSetup["endpoints"] } {
  const routes = urls.map((_, index) => ({ provider: providers[index] ?? "openai", wireName: `wire-${index}` }));
  const [first, ...others] = routes;
  if (!first) throw new Error("a model needs a route");
  const price = nanoUsd(1);
  const model: Model = {
    id: "test-model",
    aliases: [],
    description: "For tests.",
    routes: [first, ...others],
    contextWindow: 1_000,
    maxOutputTokens: 100,
    defaultMaxTokens: 100,
    prices: fillPrices({ input: price, output: price }),
    costs: fillPrices({ input: price, output: price }),
    reasoningCeiling: 0,
    tokenBound: "bytes",
  };
  return {
    model,
    endpoints: new Map(routes.map((route, index) => [route.provider, endpointAt(route.provider, urls[index] ?? "", apiKey)])),
  };
}

export interface CallOptions {
  stream?: boolean;
  signal?: AbortSignal;
  limits?: Partial<RoutingSetup["limits"]>;
}

/** A stream to read, or (`stream: false`) a whole answer already requested. */
export function callAt(urls: string[], options: CallOptions & { stream: false }): WholeCall;
export function callAt(urls: string[], options?: CallOptions & { stream?: true }): ProviderCall;
export function callAt(urls: string[], options?: CallOptions): ProviderCall | WholeCall;
export function callAt(urls: string[], options: CallOptions = {}): ProviderCall | WholeCall {
  const { model, endpoints } = modelAt(...urls);
  const call = { messages: [{ role: "user" as const, content: "hello" }], maxOutputTokens: 16 };
  const formats = { openai: lineFormat, "openai-responses": lineFormat, anthropic: lineFormat, gemini: lineFormat };
  const setup = { endpoints, formats, limits: { ...limits, ...options.limits } };
  const signal = options.signal ?? new AbortController().signal;
  if (options.stream === false) return callProviderWhole(model, { ...call, stream: false }, signal, setup);
  return callProvider(model, { ...call, stream: true }, signal, setup);
}

export interface Outcome {
  text: string;
  events: ProviderEvent[];
  failure: ProviderFailure | undefined;
  answer: ProviderCall["answer"];
}

/** Reads a call, stream or whole, to its end. */
export async function readCall({ events: source, answer }: ProviderCall | WholeCall): Promise<Outcome> {
  const events: ProviderEvent[] = [];
  let failure: ProviderFailure | undefined;
  try {
    for await (const event of await source) events.push(event);
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    failure = error;
  }
  return { text: events.map((event) => (event.type === "text" ? event.text : "")).join(""), events, failure, answer };
}
