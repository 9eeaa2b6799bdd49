// Calling a model through the first of its routes that answers: the only thing that the floors above need of this folder. A stream sends
// nothing before its first event is requested, and a reader that leaves closes the connection at once, even while it waits for the next
// event. A whole answer is requested at once, and only its signal can abort it.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { anthropicFormat } from "./anthropic";
import { type Attempt, attemptStream, attemptWhole } from "./attempt";
import { breakerOf } from "./breaker";
import { type BudgetLimits, CallBudget } from "./budget";
import { type Endpoint, type Endpoints, endpoints } from "./endpoints";
import { geminiFormat } from "./gemini";
import type { ModelRoute, WireFormatId } from "./model-route";
import { openaiFormat } from "./openai";
import { responsesFormat } from "./openai-responses";
import { circuitOpen, moreTelling } from "./refusal/busy";
import { isConnectTimeout } from "./transport";
import { type CallAnswer, Trial } from "./trial";
import { type Model, type ModelCall, type ProviderEvent, ProviderFailure, type WireFormat } from "./types";

const wireFormats: RoutingSetup["formats"] = {
  openai: openaiFormat,
  "openai-responses": responsesFormat,
  anthropic: anthropicFormat,
  gemini: geminiFormat,
};

// OpenAI's own reasoning models: from gpt-5.6 on they take tools over Responses only ("To use function tools, use /v1/responses or set
// reasoning_effort to 'none'"), and reasoning comes back and forth nowhere else. Its other models stay on chat completions.
const calledOverResponses = /^(?:.*\/)?(?:o\d+(?:-|$)|gpt-(?:[5-9]|\d\d)(?!-chat)(?:[.-]|$))/;

/** "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16": chat completions has no such minimum. */
const MIN_RESPONSES_TOKENS = 16;

/** How a call with this output limit is written over a route. */
export function wireFormatOf({ provider, wireName, wireFormat }: ModelRoute, endpoint: Endpoint, maxOutputTokens: number): WireFormatId {
  const named = provider === "openai" && calledOverResponses.test(wireName) ? "openai-responses" : endpoint.format;
  const format = wireFormat ?? named;
  return format === "openai-responses" && maxOutputTokens < MIN_RESPONSES_TOKENS ? "openai" : format;
}

const processSetup = (): RoutingSetup => ({ endpoints: endpoints(), formats: wireFormats, limits: config() });

const formatOf = (call: ModelCall, route: ModelRoute, endpoint: Endpoint, formats: RoutingSetup["formats"]): WireFormat =>
  call.format ?? formats[wireFormatOf(route, endpoint, call.maxOutputTokens)];

export interface ProviderCall {
  /** Iterate once only. @throws ProviderFailure */
  events: AsyncIterableIterator<ProviderEvent, undefined>;
  /** Filled in while the events are read. */
  answer: Readonly<CallAnswer>;
}

export interface WholeCall {
  /** The last is `finish`. @throws ProviderFailure */
  events: Promise<readonly ProviderEvent[]>;
  /** Complete once the events, or the failure, have arrived. */
  answer: Readonly<CallAnswer>;
}

/** Builds the request to the first route in advance, so that the call can be sent sooner once it is allowed. */
export function writeAhead<Call extends ModelCall>(model: Model, call: Call, setup?: Pick<RoutingSetup, "endpoints" | "formats">): Call {
  try {
    const { endpoints, formats } = setup ?? processSetup();
    const route = model.routes.find(({ provider }) => endpoints.has(provider));
    const endpoint = route && endpoints.get(route.provider);
    if (!endpoint) return call;
    const format = formatOf(call, route, endpoint, formats);
    const request = format.buildRequest(call, route.wireName, endpoint.apiKey, route.provider, route.entry);
    call.written = { route, endpoint, request };
  } catch {
    // It is built again when it is sent, and throws there.
  }
  return call;
}

/**
 * Calls the model's providers, in order, for a stream. The events fail with the last called provider's ProviderFailure; text
 * handed on before stays valid, and another provider's text never follows it.
 */
export function callProvider(
  model: Model,
  call: ModelCall & { stream: true },
  signal: AbortSignal | null,
  setup: RoutingSetup = processSetup(),
): ProviderCall {
  const answer: CallAnswer = {};
  return { events: new CallEvents({ model, call, signal, setup, answer }), answer };
}

/** Calls the model's providers, in order, for a whole answer; it fails with the last called provider's ProviderFailure. */
export function callProviderWhole(
  model: Model,
  call: ModelCall & { stream: false },
  signal: AbortSignal | null,
  setup: RoutingSetup = processSetup(),
): WholeCall {
  const answer: CallAnswer = {};
  const budget = new CallBudget(setup.limits, signal);
  return { events: answerFromRoutes({ model, call, budget, answer, setup }), answer };
}

export interface RoutingSetup {
  endpoints: Endpoints;
  formats: Record<WireFormatId, WireFormat>;
  limits: BudgetLimits & { PROVIDER_RETRIES: number };
}

interface RoutedCall {
  model: Model;
  call: ModelCall;
  budget: CallBudget;
  answer: CallAnswer;
  setup: RoutingSetup;
}

interface CallOrder extends Omit<RoutedCall, "budget"> {
  signal: AbortSignal | null;
}

class CallEvents implements AsyncIterableIterator<ProviderEvent, undefined> {
  readonly #order: CallOrder;
  #budget: CallBudget | undefined;
  #source: AsyncGenerator<ProviderEvent, undefined, undefined> | undefined;
  #hasLeft = false;

  constructor(order: CallOrder) {
    this.#order = order;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ProviderEvent, undefined>> {
    if (this.#hasLeft) return Promise.resolve({ done: true, value: undefined });
    this.#source ??= this.#start();
    return this.#source.next();
  }

  async return(): Promise<IteratorResult<ProviderEvent, undefined>> {
    this.#hasLeft = true;
    // A busy generator would see `return` only after its next event; stopping the budget takes effect now.
    this.#budget?.stop(new ProviderFailure("aborted", "the reader left"));
    await this.#source?.return(undefined);
    return { done: true, value: undefined };
  }

  #start(): AsyncGenerator<ProviderEvent, undefined, undefined> {
    const { model, call, signal, setup, answer } = this.#order;
    this.#budget = new CallBudget(setup.limits, signal);
    return streamFromRoutes({ model, call, budget: this.#budget, answer, setup });
  }
}

/**
 * Yields the events of the first route that answers.
 * @throws ProviderFailure of the last route called
 */
export async function* streamFromRoutes(routed: RoutedCall): AsyncGenerator<ProviderEvent, undefined, undefined> {
  try {
    const { trial, first, events } = await callRoutes(routed, openStream);
    try {
      if (!first.done) yield first.value;
      for await (const event of events) {
        trial.note(event);
        yield event;
      }
    } catch (error) {
      // Text was handed on, so nothing is retried, whatever the failure.
      throw trial.fail(error);
    } finally {
      // A reader that leaves at the first event never enters the loop, which would have closed the events.
      await events.return();
      trial.leave();
    }
  } finally {
    endCall(routed);
  }
}

/**
 * Resolves with all the events of the first route that answers.
 * @throws ProviderFailure of the last route called
 */
async function answerFromRoutes(routed: RoutedCall): Promise<readonly ProviderEvent[]> {
  try {
    return await callRoutes(routed, readWhole);
  } finally {
    endCall(routed);
  }
}

/** A stream with its first event: until that arrives, another try or route can still replace it. */
async function openStream(attempt: Attempt, trial: Trial) {
  const events = attemptStream(attempt);
  const first = await events.next();
  if (!first.done) trial.note(first.value);
  return { trial, first, events };
}

const readWhole = (attempt: Attempt, trial: Trial): Promise<readonly ProviderEvent[]> =>
  attemptWhole(attempt, (event) => trial.note(event));

function endCall({ answer, budget }: RoutedCall): void {
  answer.endedAt ??= nowMs();
  budget.close();
}

/** A JSON answer arrives whole, so its first byte waits for its last token: it gets one more first-token budget per this many tokens. */
const JSON_TOKENS_PER_BUDGET = 2_048;

/**
 * Resolves with the result of `ask` for the first route where it succeeds: the model's routes in order, each retried while that can
 * help, without those whose circuit is open. All of it happens before the first token; once output was handed on, nothing is retried.
 * @throws ProviderFailure of the busy route that may be asked again soonest, else of the last route called
 */
async function callRoutes<Reply>(routed: RoutedCall, ask: (attempt: Attempt, trial: Trial) => Promise<Reply>): Promise<Reply> {
  const { model, call, budget, answer, setup } = routed;
  const limitMs = setup.limits.PROVIDER_FIRST_TOKEN_TIMEOUT_MS;
  const firstTokenMs = call.stream ? limitMs : limitMs * (1 + call.maxOutputTokens / JSON_TOKENS_PER_BUDGET);
  let failure: ProviderFailure | undefined;
  let pausedMs = 0;
  for (const route of model.routes) {
    const endpoint = setup.endpoints.get(route.provider);
    if (!endpoint) continue;
    budget.awaitFirstToken(firstTokenMs);
    let ofRoute: ProviderFailure | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const breaker = breakerOf(route.provider, endpoint.origin);
      const recordCall = breaker.admit(route.wireName);
      if (recordCall === null) {
        // Only when the route was not called: a real failure says more.
        ofRoute ??= circuitOpen(route.provider, breaker.retryAfterMs(route.wireName));
        break;
      }
      const trial = new Trial({ route, recordCall, budget, answer });
      const format = formatOf(call, route, endpoint, setup.formats);
      try {
        return await ask({ route, endpoint, format, call, budget, ...trial.listener }, trial);
      } catch (error) {
        ofRoute = trial.fail(error);
      }
      const retryInMs = planRetry({
        failure: ofRoute,
        attempt,
        retries: setup.limits.PROVIDER_RETRIES,
        remainingMs: budget.remainingMs(),
        pausedMs,
        random: Math.random(),
      });
      if (retryInMs === null) break;
      pausedMs += retryInMs;
      await budget.pause(retryInMs);
    }
    failure = moreTelling(failure, ofRoute);
  }
  throw failure ?? new ProviderFailure("unavailable", `no provider of ${model.id} is configured`);
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/** A pause between half and all of 250 ms × 2^attempt, at most 8 s. `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
  return ceiling / 2 + (ceiling / 2) * random;
}

interface RetryQuestion {
  failure: ProviderFailure;
  /** 0 for the first retry. */
  attempt: number;
  retries: number;
  /** The rest of the first-token budget. */
  remainingMs: number;
  /** How long the call has paused before, at any of its routes. */
  pausedMs?: number;
  random: number;
}

/** Of all waits of a call between its tries: beyond it the client, which knows whether it has the time, is told to come again. */
const MAX_PAUSES_MS = 5_000;

/**
 * Milliseconds to wait before the same request is sent again, or null when it should not be. Pauses grow, with jitter, so that many
 * callers do not retry in step, and never outlast the rest of the call's first-token budget.
 */
export function planRetry({ failure, attempt, retries, remainingMs, pausedMs = 0, random }: RetryQuestion): number | null {
  if (attempt >= retries) return null;
  if (failure.kind !== "unavailable" && !isConnectTimeout(failure)) return null;
  // After a shorter pause than the provider asked for, it would only refuse again.
  const pauseMs = Math.max(backoffMs(attempt, random), failure.retryAfterMs ?? 0);
  return pauseMs < remainingMs && pausedMs + pauseMs <= MAX_PAUSES_MS ? pauseMs : null;
}
