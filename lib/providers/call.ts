// Calling a model: the one thing that the floors above ask of this folder. A stream sends nothing before its first event is asked
// for, and a reader that leaves closes the connection at once, even while it waits for the next event. A whole answer is asked
// for at once, and nobody can leave it but by the signal.

import { config } from "@/lib/base/config";
import { anthropicFormat } from "./anthropic";
import { CallBudget } from "./budget";
import { endpoints } from "./endpoints";
import { geminiFormat } from "./gemini";
import { openaiFormat } from "./openai";
import { answerFromRoutes, type RoutingSetup, streamFromRoutes } from "./routing";
import type { CallAnswer } from "./trial";
import { type Model, type ModelCall, type ProviderEvent, ProviderFailure } from "./types";

const wireFormats: RoutingSetup["formats"] = { openai: openaiFormat, anthropic: anthropicFormat, gemini: geminiFormat };

const processSetup = (): RoutingSetup => ({ endpoints: endpoints(), formats: wireFormats, limits: config() });

export interface ProviderCall {
  /** Once only. @throws ProviderFailure */
  events: AsyncIterableIterator<ProviderEvent, undefined>;
  /** Filled in while the events are read. */
  answer: Readonly<CallAnswer>;
}

export interface WholeCall {
  /** The last is `finish`. @throws ProviderFailure */
  events: Promise<readonly ProviderEvent[]>;
  /** All there once the events are, or the failure. */
  answer: Readonly<CallAnswer>;
}

/** Writes the request to the provider that will be asked first, so that the call can be sent sooner once it may be. */
export function writeAhead<Call extends ModelCall>(model: Model, call: Call, setup?: Pick<RoutingSetup, "endpoints" | "formats">): Call {
  try {
    const { endpoints, formats } = setup ?? processSetup();
    const route = model.routes.find(({ provider }) => endpoints.has(provider));
    const endpoint = route && endpoints.get(route.provider);
    if (!endpoint) return call;
    const request = formats[endpoint.format].buildRequest(call, route.wireName, endpoint.apiKey, route.provider);
    call.written = { route, endpoint, request };
  } catch {
    // It is written again when it is sent, and fails there.
  }
  return call;
}

/**
 * Asks the model's providers, in order, for a stream. The events fail with a ProviderFailure of the provider asked last;
 * text that was handed on before stays true, and is never followed by another provider's.
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

/** Asks the model's providers, in order, for a whole answer, which fails with a ProviderFailure of the provider asked last. */
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

interface CallOrder {
  model: Model;
  call: ModelCall;
  signal: AbortSignal | null;
  setup: RoutingSetup;
  answer: CallAnswer;
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
    // A generator that is busy would see `return` only after its next event; the budget stops it now.
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
