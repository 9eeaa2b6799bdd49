// From a prompt to the model's answer, whole or as a stream, and from there to its charge. Both ways take the same events
// from the provider and end the hold exactly once.

import { setMaxListeners } from "node:events";
import { nowMs } from "@/lib/base/clock";
import { AppError, isAppError } from "@/lib/base/errors";
import { log } from "@/lib/base/observe/log";
import { once } from "@/lib/base/once";
import { callProvider, type ProviderCall } from "@/lib/providers/call";
import { isBilledWhenCut } from "@/lib/providers/cut-calls";
import { isProviderFailure, type ProviderEvent, ProviderFailure, type TokenUsage } from "@/lib/providers/types";
import { estimateUsage } from "./estimate";
import type { Prompt } from "./prompt-body";
import { providerError } from "./provider-failure";
import { fillSilence } from "./quiet";
import type { Quote } from "./quote";
import type { GatewayReply, GatewayRequest } from "./request";
import { errorBody, eventStreamHeaders, jsonReply, promptBody, serverTiming } from "./respond";
import type { Completion, Receipt, Settlement } from "./settlement";

/** What a request needs to be answered, from the steps before. */
export interface Work {
  request: GatewayRequest;
  prompt: Prompt;
  quote: Quote;
  settlement: Settlement;
}

/** A JSON call is ended by its time limits alone; one signal serves all of them. */
const neverAborts = () =>
  once("signal that never aborts", () => {
    const { signal } = new AbortController();
    setMaxListeners(0, signal); // one listener for each call under way
    return signal;
  });

/** No provider makes a token of more than this many bytes beyond what was sent, or more output than was allowed ten times over. */
const ABSURD_FACTOR = 10;

function startCall({ prompt }: Work, signal: AbortSignal): ProviderCall {
  const { messages, maxOutputTokens, temperature, stream } = prompt;
  return callProvider(prompt.model, { messages, maxOutputTokens, temperature, stream }, signal);
}

/**
 * The whole answer in one JSON body. Once the provider was asked it is finished and charged even when the client is gone:
 * the provider bills us for it, and the idempotency key keeps it.
 * @throws AppError INTERNAL_ERROR, INVALID_REQUEST (the provider refused it); the hold is released then
 */
export async function answerWhole(work: Work): Promise<GatewayReply> {
  const { request, prompt, settlement } = work;
  const call = startCall(work, neverAborts());
  const startedAtMs = nowMs();
  const startedAt = performance.now();
  let text = "";
  let usage: TokenUsage | null = null;
  try {
    for await (const event of call.events) {
      if (event.type === "text") text += event.text;
      else usage = readUsage(work, event);
    }
  } catch (error) {
    request.providerMs = performance.now() - startedAt;
    await settlement.release();
    throw isProviderFailure(error) ? providerError(error, prompt.model) : error;
  }
  request.providerMs = performance.now() - startedAt;
  if (!usage) {
    await settlement.release();
    throw providerError(new ProviderFailure("malformed", "the answer came without a token count", { accepted: true }), prompt.model);
  }
  const completion: Completion = { ...measure(call, request.providerMs, startedAtMs), text, usage, outcome: "complete", estimated: false };
  const receipt = await settlement.charge(completion, (expected) => promptBody(request.id, prompt.model, expected));
  noteFacts(work, completion);
  return jsonReply(request, 200, promptBody(request.id, prompt.model, receipt), { "server-timing": serverTiming(request) });
}

/**
 * The answer as server-sent events. Nothing is sent until the provider's first token, so that a failure before it has its
 * true status.
 * @throws AppError like answerWhole, before the first token
 */
export async function answerStream(work: Work): Promise<GatewayReply> {
  const { request, prompt, settlement } = work;
  const startedAt = performance.now();
  const call = startCall(work, isBilledWhenCut(prompt.model) ? neverAborts() : request.signal);
  const { events } = call;
  const progress: Progress = { text: "", usage: null, startedAt, startedAtMs: nowMs(), call, isLeft: false };
  request.onEnd(() => settleLeft(work, progress, events));
  let first: IteratorResult<ProviderEvent>;
  try {
    first = await events.next();
    // An answer without text whose usage is absurd still has its true status.
    if (first.value?.type === "finish") readUsage(work, first.value);
  } catch (error) {
    // Whoever left while a provider was at work pays for its input: the end of the request sees to it.
    if (!request.signal.aborted) await settlement.release();
    throw isProviderFailure(error) ? providerError(error, prompt.model) : error;
  }
  const headers = {
    ...request.replyHeaders,
    ...eventStreamHeaders,
    "x-request-id": request.id,
    "server-timing": `gateway;dur=${(startedAt - request.startedAt).toFixed(2)}, provider;dur=${(performance.now() - startedAt).toFixed(2)}`,
  };
  return { status: 200, headers, body: fillSilence(streamBody(work, progress, first, events)), end: request.end };
}

interface Progress {
  text: string;
  usage: TokenUsage | null;
  startedAt: number;
  startedAtMs: number;
  call: ProviderCall;
  /** The request has ended; what was delivered by then is being charged. */
  isLeft: boolean;
}

async function* streamBody(
  work: Work,
  progress: Progress,
  first: IteratorResult<ProviderEvent>,
  events: AsyncIterator<ProviderEvent>,
): AsyncGenerator<string> {
  const { request } = work;
  try {
    for (let next = first; !next.done; next = await events.next()) {
      const event = next.value;
      if (event.type === "finish") {
        progress.usage = readUsage(work, event);
      } else {
        progress.text += event.text;
        yield writeDelta(event.text);
      }
    }
    const receipt = await chargeStream(work, progress, { outcome: "complete", writeLast: (expected) => writeDone(work, expected) });
    yield writeDone(work, receipt);
  } catch (error) {
    // Leaving stops the call, which looks like a failure of the provider here; the end of the request charges it.
    if (!request.signal.aborted && !progress.isLeft) yield await brokenOff(work, progress, error);
  }
}

/** The provider died after tokens were delivered: what was delivered is charged, and the event says so. */
async function brokenOff(work: Work, progress: Progress, error: unknown): Promise<string> {
  const { request, prompt, settlement } = work;
  if (!isProviderFailure(error) || settlement.ended) {
    log().error({ err: error, requestId: request.id }, "a stream failed");
    const internal = isAppError(error)
      ? error
      : new AppError("INTERNAL_ERROR", { details: { reason: "internal", retryable: true }, cause: error });
    return writeEvent("error", errorBody(internal, request.id));
  }
  const reason = error.kind === "timeout" ? "provider_timeout" : "provider_unavailable";
  const writeBroken = (receipt: Receipt) =>
    writeCostlyError(request, receipt, { message: `${prompt.model.id} broke off; what was delivered is charged`, reason, retryable: true });
  return writeBroken(await chargeStream(work, progress, { outcome: "partial", writeLast: writeBroken }));
}

/**
 * The client left before the end of its stream. The call is cut upstream, and what the provider had done is charged; where a
 * provider bills the whole answer all the same, it is read to its end and charged by its own count.
 */
async function settleLeft(work: Work, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<void> {
  const { request, prompt, settlement } = work;
  if (settlement.ended) return;
  progress.isLeft = true;
  if (isBilledWhenCut(prompt.model)) await readOn(work, progress, events);
  else await events.return?.();
  if (settlement.ended) return;
  if (!progress.call.answer.acceptedAt) return settlement.release();
  const message = "This stream was left before its end; what had been delivered is charged. Ask again under another Idempotency-Key";
  const writeLeft = (receipt: Receipt) =>
    progress.usage ? writeDone(work, receipt) : writeCostlyError(request, receipt, { message, reason: "internal", retryable: false });
  await chargeStream(work, progress, { outcome: "cancelled", writeLast: writeLeft });
}

async function readOn(work: Work, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<void> {
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.type === "finish") progress.usage = readUsage(work, next.value);
      else progress.text += next.value.text;
    }
  } catch (error) {
    if (!isProviderFailure(error)) throw error; // it broke off: what came by then is charged
  }
}

interface StreamEnd {
  outcome: Completion["outcome"];
  /** Writes the stream's last event from its cost. */
  writeLast: (receipt: Receipt) => string;
}

/** Charges a stream as far as it came. An idempotency key keeps it as it was: its text, then its last event. */
async function chargeStream(work: Work, progress: Progress, { outcome, writeLast }: StreamEnd): Promise<Receipt> {
  const completion = completionOf(work, progress, outcome);
  noteFacts(work, completion);
  return work.settlement.charge(completion, (expected) => (progress.text === "" ? "" : writeDelta(progress.text)) + writeLast(expected));
}

const writeEvent = (name: "delta" | "done" | "error", json: string): string => `event: ${name}\ndata: ${json}\n\n`;

const writeDelta = (text: string): string => writeEvent("delta", JSON.stringify({ text }));

const writeDone = ({ request, prompt }: Work, receipt: Receipt): string =>
  writeEvent("done", promptBody(request.id, prompt.model, receipt));

/** The last event of a stream that did not reach its end and is charged all the same. */
function writeCostlyError(
  request: GatewayRequest,
  receipt: Receipt,
  { message, ...details }: { message: string; reason: string; retryable: boolean },
): string {
  const { inputCost, outputCost } = receipt;
  const cost = { inputCost, outputCost, totalCost: inputCost + outputCost };
  return writeEvent("error", errorBody(new AppError("INTERNAL_ERROR", { message, details: { ...details, cost } }), request.id));
}

function completionOf(work: Work, progress: Progress, outcome: Completion["outcome"]): Completion {
  const usage = progress.usage ?? estimateUsage(work.prompt.messages, progress.text, work.quote.inputBound);
  const providerMs = performance.now() - progress.startedAt;
  work.request.providerMs = providerMs;
  return {
    ...measure(progress.call, providerMs, progress.startedAtMs),
    text: progress.text,
    usage,
    outcome,
    estimated: progress.usage === null,
  };
}

function measure(
  { answer }: ProviderCall,
  providerMs: number,
  startedAtMs: number,
): Pick<Completion, "provider" | "firstTokenMs" | "providerMs"> {
  // The clock may have been set meanwhile: a first token came after the start and before the end, whatever it says.
  const firstTokenMs = answer.firstTokenAt === undefined ? null : Math.min(Math.max(0, answer.firstTokenAt - startedAtMs), providerMs);
  return { provider: answer.route?.provider ?? "unknown", firstTokenMs, providerMs };
}

/** The provider's count, unless no tokenizer could have counted so: then the reply is rubbish and nothing is charged for it. */
function readUsage({ prompt, quote }: Work, event: Extract<ProviderEvent, { type: "finish" }>): TokenUsage | null {
  const { usage } = event;
  if (!usage) return null;
  const bytes = prompt.messages.reduce((sum, message) => sum + Buffer.byteLength(message.content), 0);
  const mostInput = ABSURD_FACTOR * Math.max(quote.inputBound, bytes) + 10_000;
  const mostOutput = ABSURD_FACTOR * (prompt.maxOutputTokens + prompt.model.reasoningCeiling) + 10_000;
  if (usage.inputTokens > mostInput || usage.outputTokens > mostOutput) {
    throw new ProviderFailure("malformed", `absurd usage: ${usage.inputTokens} in, ${usage.outputTokens} out`, { accepted: true });
  }
  return usage;
}

function noteFacts({ request, prompt }: Work, { usage, provider, outcome }: Completion): void {
  Object.assign(request.facts, {
    model: prompt.model.id,
    provider,
    outcome,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
  });
}
