// One attempt at one route: the request, its answer as events, and what that means for the provider. Every error comes out as a
// ProviderFailure that says whether the provider had accepted the call, and never contains the API key.

import { Readable } from "node:stream";
import { HeldOutput } from "./answer/finish";
import type { CallBudget } from "./budget";
import type { Endpoint } from "./endpoints";
import type { ModelRoute } from "./model-route";
import { exchangeWhole, readHeaders, sendWireRequest, type WireAnswer } from "./transport";
import {
  isProviderFailure,
  type ModelCall,
  type OnRequestId,
  type OnUsage,
  type ProviderEvent,
  ProviderFailure,
  type WireFormat,
  type WireRequest,
} from "./types";
import { readRawRequestId, readRequestId } from "./wire-value";

const REPLY_LIMIT_BYTES = 16 * 1024 * 1024;
const ERROR_LIMIT_BYTES = 64 * 1024;

/** The listener of an attempt while it runs. */
export interface AttemptListener {
  /** Called when the provider answers 2xx. */
  onAccepted: () => void;
  /** Called after that: with the request id from the headers, then with the answer's id from the body. */
  onRequestId: OnRequestId;
  /** Called with what a stream has counted so far. */
  onUsage: OnUsage;
  /** Called with the thoughts that are not handed on. */
  onHiddenThought: (text: string) => void;
  /** Called when the request goes out on a connection: from then on its provider may bill it. */
  onSent: () => void;
}

export interface Attempt extends AttemptListener {
  route: ModelRoute;
  endpoint: Endpoint;
  format: WireFormat;
  call: ModelCall;
  budget: CallBudget;
}

/**
 * Sends a streamed call and yields its events; `finish` is the last, and by then the connection is free again. Ending the
 * iteration earlier closes the connection.
 * @throws ProviderFailure
 */
export async function* attemptStream(attempt: Attempt): AsyncGenerator<ProviderEvent, void, undefined> {
  const { route, endpoint, format, budget, onAccepted, onRequestId, onUsage, onSent } = attempt;
  // Outside the try: an error here is our own bug, not the provider's failure.
  const request = writtenRequest(attempt);
  let answer: WireAnswer | undefined;
  let accepted = false;
  let finished = false;
  try {
    answer = await sendWireRequest(endpoint, request, budget, onSent);
    const { status, headers, body } = answer;
    if (!isSuccess(status)) throw format.readError(status, headers, hideKey((await body.readText(ERROR_LIMIT_BYTES)).text, endpoint));
    accepted = true;
    onAccepted();
    onRequestId(readRequestId(headers, route.provider));

    const held = new HeldOutput();
    const isJson = beginsObject.test((await body.peek()).toString("utf8"));
    const events = isJson ? readWholeText(await body.readText(REPLY_LIMIT_BYTES), attempt) : format.readStream(body, onRequestId, onUsage);
    for await (const event of events) {
      if (event.type === "finish") {
        const end = held.close(event);
        finished = true;
        body.finish();
        yield end;
        return;
      }
      if (!isHandedOn(event, attempt)) continue;
      held.note(event);
      yield event;
    }
    throw new ProviderFailure("malformed", "the answer has no end");
  } catch (error) {
    throw describeFailure(error, attempt, accepted);
  } finally {
    if (!finished) answer?.body.close();
  }
}

/**
 * Sends the call and resolves with all its events, each passed to `note`; `finish` is the last.
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
    const { status, text } = answer;
    if (!isSuccess(status)) throw format.readError(status, readHeaders(answer), hideKey(text, endpoint));
    const isStream = beginsEvents.test(text);
    events = wholeEvents(isStream ? await readStreamedText(answer, attempt) : readWholeText(answer, attempt), attempt);
  } catch (error) {
    throw describeFailure(error, attempt, accepted);
  }
  // Outside the try, like building the request.
  for (const event of events) note(event);
  return events;
}

// Some servers answer in one JSON body where a stream was asked for, a proxy's error inside a 200 above all, and others with a stream where
// JSON was. Their content type may be wrong; no event begins with a brace.

const beginsObject = /^\uFEFF?\s*\{/;
const beginsEvents = /^\uFEFF?\s*(?:data|event|id|retry)?:/;

type AnswerText = { text: string; cut: boolean };

/** @throws ProviderFailure malformed */
function readWholeText({ text, cut }: AnswerText, { format, onRequestId }: Attempt): ProviderEvent[] {
  if (cut) throw tooLong();
  return format.readReply(withoutFrame(text), onRequestId);
}

const END_OF_STREAM = "data: [DONE]";

/** Without a byte-order mark, and without the end of a stream, which some servers write behind JSON (decolua/9router#3492). */
function withoutFrame(text: string): string {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const trimmed = body.trimEnd();
  return trimmed.endsWith(END_OF_STREAM) ? trimmed.slice(0, -END_OF_STREAM.length) : body;
}

/** @throws ProviderFailure malformed */
async function readStreamedText({ text, cut }: AnswerText, { format, onRequestId, onUsage }: Attempt): Promise<ProviderEvent[]> {
  if (cut) throw tooLong();
  const events: ProviderEvent[] = [];
  for await (const event of format.readStream(Readable.from([Buffer.from(text)]), onRequestId, onUsage)) events.push(event);
  return events;
}

const tooLong = () => new ProviderFailure("malformed", `the answer is longer than ${REPLY_LIMIT_BYTES} bytes`);

/** @throws ProviderFailure malformed, when the answer has no end, or holds nothing */
function wholeEvents(read: readonly ProviderEvent[], attempt: Attempt): ProviderEvent[] {
  const held = new HeldOutput();
  const events: ProviderEvent[] = [];
  for (const event of read) {
    if (event.type === "finish") events.push(held.close(event));
    else if (isHandedOn(event, attempt)) {
      held.note(event);
      events.push(event);
    }
  }
  if (events.at(-1)?.type !== "finish") throw new ProviderFailure("malformed", "the answer has no end");
  return events;
}

/** Adds the route to reasoning, and the customer's name to a call. */
function isHandedOn(event: ProviderEvent, { call, route, format, onHiddenThought }: Attempt): boolean {
  if (event.type === "reasoning") {
    event.madeBy = route;
    if (call.hidesReasoning) onHiddenThought(event.text);
    return !call.hidesReasoning;
  }
  if (event.type === "tool_call" && event.name !== undefined && format.ownToolName)
    event.name = format.ownToolName(event.name, call.tools ?? []);
  return event.type !== "text" || event.text !== "";
}

const writtenRequest = ({ route, endpoint, format, call }: Pick<Attempt, "route" | "endpoint" | "format" | "call">): WireRequest =>
  call.written?.route === route && call.written.endpoint === endpoint
    ? call.written.request
    : format.buildRequest(call, route.wireName, endpoint.apiKey, route.provider, route.entry);

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** When the call was stopped, that is the failure, however it surfaced: a format may mistake a closed socket for a broken answer. */
function describeFailure(error: unknown, { route, endpoint, budget }: Attempt, accepted: boolean): ProviderFailure {
  const found = budget.reason ?? error;
  if (!isProviderFailure(found))
    return new ProviderFailure("malformed", `${route.provider}: could not be read: ${hideKey(String(found), endpoint)}`, { accepted });
  return hideEndpoint(found, endpoint, { prefix: `${route.provider}/${route.wireName}: `, accepted });
}

/** The failure without the endpoint's key, which some providers quote, and for the caller without its host. */
export function hideEndpoint(failure: ProviderFailure, endpoint: Endpoint, { prefix = "", accepted = false } = {}): ProviderFailure {
  const { kind, message, retryAfterMs, httpStatus, busy, byModel, overflow, told, cause } = failure;
  return new ProviderFailure(kind, prefix + hideKey(message, endpoint), {
    accepted: accepted || failure.accepted,
    retryAfterMs,
    httpStatus,
    busy,
    byModel,
    overflow,
    told: told && hideHost(hideKey(told, endpoint), endpoint),
    cause: hideKey(String(cause), endpoint) === String(cause) ? cause : undefined,
  });
}

/** In capitals or not, and without its port where it is no plain word. */
function hideHost(text: string, { origin }: Endpoint): string {
  const { host, hostname } = new URL(origin);
  const hide = (word: string): string => {
    const name = word.toLowerCase();
    return name === host || (hostname.includes(".") && name.replace(/:\d+$/, "") === hostname) ? "[host]" : word;
  };
  return text.replaceAll(host, "[host]").replace(/[\w-]+(?:\.[\w-]+)*(?::\d+)?/g, hide);
}

/** A server of one's own may need no key. */
const hideKey = (text: string, { apiKey }: Endpoint): string => (apiKey === "" ? text : text.replaceAll(apiKey, "[key]"));
