// One request to one provider and its answer as events. Whatever goes wrong comes out as one ProviderFailure that says
// whether the provider had accepted the call, and never holds the API key.

import type { CallBudget } from "./budget";
import type { Endpoint } from "./endpoints";
import { readRawRequestId, readRequestId } from "./request-id";
import { exchangeWhole, sendWireRequest, type WireAnswer } from "./transport";
import {
  isProviderFailure,
  type ModelCall,
  type ModelRoute,
  type OnRequestId,
  type ProviderEvent,
  ProviderFailure,
  type WireFormat,
  type WireRequest,
} from "./types";
import { readHeaders } from "./whole-answer";

const REPLY_LIMIT_BYTES = 16 * 1024 * 1024;
const ERROR_LIMIT_BYTES = 64 * 1024;

export interface Attempt {
  route: ModelRoute;
  endpoint: Endpoint;
  format: WireFormat;
  call: ModelCall;
  budget: CallBudget;
  /** Told when the provider answers 2xx. */
  onAccepted: () => void;
  /** Told after that: what the headers name the request, then what the body names the answer. */
  onRequestId: OnRequestId;
}

/**
 * Sends a streamed call and yields its events; `finish` is the last, and by then the connection is free again. Ending the
 * iteration before closes the connection.
 * @throws ProviderFailure
 */
export async function* attemptStream(attempt: Attempt): AsyncGenerator<ProviderEvent, void, undefined> {
  const { route, endpoint, format, budget, onAccepted, onRequestId } = attempt;
  // Outside of the try: an error here is our own bug, not the provider's failure.
  const request = writtenRequest(attempt);
  let answer: WireAnswer | undefined;
  let accepted = false;
  let finished = false;
  try {
    answer = await sendWireRequest(endpoint, request, budget);
    const { status, headers, body } = answer;
    if (!isSuccess(status)) throw format.readError(status, headers, (await body.readText(ERROR_LIMIT_BYTES)).text);
    accepted = true;
    onAccepted();
    onRequestId(readRequestId(headers, route.provider));

    let hasOutput = false;
    for await (const event of format.readStream(body, onRequestId)) {
      if (event.type !== "finish") {
        if (event.type === "text" && event.text === "") continue;
        hasOutput = true;
      } else {
        if (!hasOutput && event.usage === null) throw withoutOutput();
        finished = true;
        body.finish();
      }
      yield event;
      if (finished) return;
    }
    throw new ProviderFailure("malformed", "the answer has no end");
  } catch (error) {
    throw describeFailure(error, attempt, accepted);
  } finally {
    if (!finished) answer?.body.close();
  }
}

/**
 * Sends the call and resolves with all its events, each of which `note` is told; `finish` is the last.
 * @throws ProviderFailure; what `note` throws
 */
export async function attemptWhole(attempt: Attempt, note: (event: ProviderEvent) => void): Promise<readonly ProviderEvent[]> {
  const { route, endpoint, format, budget, onAccepted, onRequestId } = attempt;
  const request = writtenRequest(attempt);
  let accepted = false;
  let events: ProviderEvent[];
  try {
    const answer = await exchangeWhole(endpoint, request, budget, (answered, head) => {
      if (!isSuccess(answered)) return ERROR_LIMIT_BYTES;
      accepted = true;
      onAccepted();
      onRequestId(readRawRequestId(head, route.provider));
      return REPLY_LIMIT_BYTES;
    });
    const { status, text, cut } = answer;
    if (!isSuccess(status)) throw format.readError(status, readHeaders(answer), text);
    if (cut) throw new ProviderFailure("malformed", `the answer is longer than ${REPLY_LIMIT_BYTES} bytes`);
    events = format.readReply(text, onRequestId).filter((event) => event.type !== "text" || event.text !== "");
    const last = events.at(-1);
    if (last?.type !== "finish") throw new ProviderFailure("malformed", "the answer has no end");
    if (events.length === 1 && last.usage === null) throw withoutOutput();
  } catch (error) {
    throw describeFailure(error, attempt, accepted);
  }
  // Outside of the try, like the writing of the request.
  for (const event of events) note(event);
  return events;
}

const writtenRequest = ({ route, endpoint, format, call }: Pick<Attempt, "route" | "endpoint" | "format" | "call">): WireRequest =>
  call.written?.route === route && call.written.endpoint === endpoint
    ? call.written.request
    : format.buildRequest(call, route.wireName, endpoint.apiKey, route.provider);

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

const withoutOutput = (): ProviderFailure => new ProviderFailure("malformed", "a complete answer without output and without usage");

/** When the call was stopped, that is the failure, however it surfaced: a format may take a closed socket for a broken answer. */
function describeFailure(error: unknown, { route, endpoint, budget }: Attempt, accepted: boolean): ProviderFailure {
  const found = budget.reason ?? error;
  if (!isProviderFailure(found))
    return new ProviderFailure("malformed", `${route.provider}: could not be read: ${hideKey(String(found), endpoint)}`, { accepted });
  const message = `${route.provider}/${route.wireName}: ${hideKey(found.message, endpoint)}`;
  return new ProviderFailure(found.kind, message, {
    accepted: accepted || found.accepted,
    retryAfterMs: found.retryAfterMs,
    httpStatus: found.httpStatus,
    cause: String(found.cause).includes(endpoint.apiKey) ? undefined : found.cause,
  });
}

/** Some providers quote the key that they refuse. */
const hideKey = (text: string, { apiKey }: Endpoint): string => text.replaceAll(apiKey, "[key]");
