// Which provider answers a call: the routes of its model in order, each tried again while that can help, none that has
// lately been failing. All of it happens before the first token; what was handed on once is never asked for twice.

import { nowMs } from "@/lib/base/clock";
import { type Attempt, attemptStream, attemptWhole } from "./attempt";
import { breakerOf } from "./breaker";
import type { BudgetLimits, CallBudget } from "./budget";
import type { Endpoints } from "./endpoints";
import { planRetry } from "./retry";
import { type CallAnswer, Trial } from "./trial";
import { type Model, type ModelCall, type ProviderEvent, ProviderFailure, type WireFormat, type WireFormatId } from "./types";

export interface RoutingSetup {
  endpoints: Endpoints;
  formats: Record<WireFormatId, WireFormat>;
  limits: BudgetLimits & { PROVIDER_RETRIES: number };
}

export interface RoutedCall {
  model: Model;
  call: ModelCall;
  budget: CallBudget;
  answer: CallAnswer;
  setup: RoutingSetup;
}

/**
 * Yields the events of the first route that answers.
 * @throws ProviderFailure of the last route that was asked
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
      // Text was handed on, so nothing is tried again, whatever might mend it.
      throw trial.fail(error);
    } finally {
      // A reader that leaves at the first event leaves before the loop, which would have closed them.
      await events.return();
      trial.leave();
    }
  } finally {
    endCall(routed);
  }
}

/**
 * Resolves with all the events of the first route that answers.
 * @throws ProviderFailure of the last route that was asked
 */
export async function answerFromRoutes(routed: RoutedCall): Promise<readonly ProviderEvent[]> {
  try {
    return await callRoutes(routed, readWhole);
  } finally {
    endCall(routed);
  }
}

/** A stream that has its first event: until then, another try or route can still take its place. */
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

/** A JSON answer comes whole, so its first byte waits for its last token: one more first-token budget for so many. */
const JSON_TOKENS_PER_BUDGET = 2_048;

/** Resolves with what `ask` brings from the first route where it succeeds. @throws ProviderFailure of the last route that was asked */
async function callRoutes<Reply>(routed: RoutedCall, ask: (attempt: Attempt, trial: Trial) => Promise<Reply>): Promise<Reply> {
  const { model, call, budget, answer, setup } = routed;
  const limitMs = setup.limits.PROVIDER_FIRST_TOKEN_TIMEOUT_MS;
  const firstTokenMs = call.stream ? limitMs : limitMs * (1 + call.maxOutputTokens / JSON_TOKENS_PER_BUDGET);
  let failure: ProviderFailure | undefined;
  for (const route of model.routes) {
    const endpoint = setup.endpoints.get(route.provider);
    if (!endpoint) continue;
    budget.awaitFirstToken(firstTokenMs);
    for (let attempt = 0; ; attempt += 1) {
      const breaker = breakerOf(route.provider, endpoint.origin);
      const permit = breaker.admit();
      if (permit === null) {
        // Only when nobody was asked: a real failure says more.
        failure ??= new ProviderFailure("unavailable", `${route.provider}: the circuit is open`, {
          retryAfterMs: breaker.retryAfterMs(),
        });
        break;
      }
      const trial = new Trial({ route, breaker, permit, budget, answer });
      const format = setup.formats[endpoint.format];
      try {
        const onAccepted = () => trial.accept();
        const onRequestId = (id: unknown) => trial.identify(id);
        return await ask({ route, endpoint, format, call, budget, onAccepted, onRequestId }, trial);
      } catch (error) {
        failure = trial.fail(error);
      }
      const retryInMs = planRetry({
        failure,
        attempt,
        retries: setup.limits.PROVIDER_RETRIES,
        remainingMs: budget.remainingMs(),
        random: Math.random(),
      });
      if (retryInMs === null) break;
      await budget.pause(retryInMs);
    }
  }
  throw failure ?? new ProviderFailure("unavailable", `no provider of ${model.id} is configured`);
}
