// The model's answer as server-sent events. The delivered part is charged however the stream ends: complete, cut off by the provider, or
// left by its client. The hold ends exactly once, and nothing is written once it is gone.

import { nowMs } from "@/lib/base/clock";
import { AppError, isAppError } from "@/lib/base/errors";
import { log } from "@/lib/base/observe/log";
import type { ProviderCall } from "@/lib/providers/call";
import { isReadOn } from "@/lib/providers/cut-calls/read-on";
import { isProviderFailure, type ProviderEvent, type TokenUsage } from "@/lib/providers/types";
import { eventStreamHeaders } from "../http/endpoint";
import type { GatewayReply } from "../http/request";
import { type CallContext, chargeableUsage, measure, readUsage, recordFacts, startCall } from "./answer";
import { addPiece, type Completion, emptyOutput, type Output, type PricedCompletion, piecesOf } from "./completion";
import type { HoldGuard } from "./hold-guard";
import type { ReplyWriter } from "./prompt-body";
import { brokenReason, providerError } from "./provider-failure";
import type { Charged } from "./settlement";
import { keepAlive } from "./sse-keep-alive";

interface StreamContext extends CallContext {
  guard: HoldGuard;
}

/**
 * The answer as server-sent events. Nothing is sent before the provider's first token, so that an earlier failure gets its true status.
 * @throws AppError like answerWhole, before the first token
 */
export async function answerStream(context: StreamContext): Promise<GatewayReply> {
  const { request, prompt, requestHold } = context;
  const startedAt = performance.now();
  const isToBeReadOn = isReadOn(prompt.model, context.call);
  const call = startCall(context, isToBeReadOn ? null : request.signal);
  const { events } = call;
  const progress: Progress = {
    output: emptyOutput(),
    usage: null,
    startedAt,
    startedAtMs: nowMs(),
    call,
    isReadOn: isToBeReadOn,
    counting: undefined,
    isLeft: false,
    isCut: false,
    isBroken: false,
  };
  request.onEnd(() => settleLeft(context, progress, events));
  let first: IteratorResult<ProviderEvent>;
  try {
    first = await events.next();
    // An answer without text but with absurd usage still gets its true status.
    if (first.value?.type === "finish") readUsage(context, first.value);
  } catch (error) {
    // A client that left while the provider was working pays for the input: the end of the request charges it. A provider that failed by itself
    // is not paid, whether the client is there or not.
    const isLeft = request.signal.aborted && (!isProviderFailure(error) || error.kind === "aborted");
    if (!isLeft) await requestHold.release();
    throw isProviderFailure(error) ? providerError(error, prompt) : error;
  }
  // A hold that is gone by now still gets its true status, too.
  if (!context.guard.mayWrite()) await mayGoOn(context, progress, events);
  const headers = {
    "x-request-id": request.id,
    "server-timing": `gateway;dur=${(startedAt - request.startedAt).toFixed(2)}, provider;dur=${(performance.now() - startedAt).toFixed(2)}`,
    ...request.replyHeaders,
    ...eventStreamHeaders,
  };
  const body = keepAlive(streamBody(context, progress, first, events), undefined, context.writer.keepAlive);
  return { status: 200, headers, body, end: request.end };
}

interface Progress {
  output: Output;
  usage: TokenUsage | null;
  /** The provider's count when the stream began. */
  countedAtStart?: TokenUsage | undefined;
  startedAt: number;
  startedAtMs: number;
  call: ProviderCall;
  /** It is read to its end when its client leaves. */
  isReadOn: boolean;
  /** While its tokens are counted here, nothing else may end its hold: it is charged once they are. */
  counting: Promise<unknown> | undefined;
  /** The request has ended; the part delivered until then is being charged. */
  isLeft: boolean;
  /** Its hold was gone: nothing more is written, not even that it failed. */
  isCut: boolean;
  /** The provider broke off while its stream was read on for a client that had left. */
  isBroken: boolean;
}

async function* streamBody(
  context: StreamContext,
  progress: Progress,
  first: IteratorResult<ProviderEvent>,
  events: AsyncIterator<ProviderEvent>,
): AsyncGenerator<string> {
  const { request, writer, guard } = context;
  progress.countedAtStart = progress.call.answer.counted;
  let opening = writer.opening(progress.countedAtStart);
  try {
    for (let next = first; !next.done; next = await events.next()) {
      const event = next.value;
      // Asked before the event is recorded: an event that is not written is not charged.
      if (!guard.mayWrite() && !(await mayGoOn(context, progress, events))) return;
      recordEvent(context, progress, event);
      if (event.type === "finish") continue;
      const text = opening + writer.piece(event);
      opening = "";
      if (text !== "") yield text;
    }
    const writeLast: WriteLast = ({ done }, priced) => done(priced);
    const charged = await chargeStream(context, progress, { outcome: "complete", writeLast });
    if (!charged.isPaid) throw cutOf(context, progress);
    yield opening + writer.done(charged);
  } catch (error) {
    if (progress.isCut) throw error;
    // A client that leaves stops the call, which looks like a failure of the provider here; the end of the request charges it.
    if (!request.signal.aborted && !progress.isLeft) yield await brokenOff(context, progress, error);
  }
}

/**
 * Whether the next piece may be written, after a late heartbeat. False when the client has left: the end of the request charges it.
 * @throws Error when the hold is gone: the call is cut at the provider, and the part written until then is charged as far as it can be
 */
async function mayGoOn(context: StreamContext, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<boolean> {
  const { request, requestHold, guard } = context;
  const state = await guard.regain(() => progress.isLeft || request.signal.aborted);
  if (state === "open") return true;
  if (state === "left" || requestHold.ended || progress.counting) return false;
  const cut = cutOf(context, progress);
  await events.return?.();
  const outcome = piecesOf(progress.output).length > 0 && !context.prompt.deliversAtEnd ? "partial" : "lost";
  const message = "This stream was cut off. You were charged for the part you received";
  const writeCut: WriteLast = (writer, priced) => writeCostlyError(writer, priced, { message, reason: "internal", retryable: true });
  await chargeStream(context, progress, { outcome, writeLast: writeCut });
  throw cut;
}

/** Ends the stream without its last event: the server closes the connection. */
function cutOf({ request }: StreamContext, progress: Progress): Error {
  progress.isCut = true;
  request.facts.brokeOff = "INTERNAL_ERROR";
  log().error({ requestId: request.id }, "the hold of a stream was gone: the stream is cut");
  return new Error("the hold of this stream is gone");
}

/**
 * The provider failed after tokens were delivered: the part certainly owed is charged, and the event says so. Without tokens, nothing is.
 */
async function brokenOff(context: CallContext, progress: Progress, error: unknown): Promise<string> {
  const { request, prompt, requestHold } = context;
  if (!isProviderFailure(error) || requestHold.ended || progress.counting) {
    log().error({ err: error, requestId: request.id }, "a stream failed");
    const internal = isAppError(error)
      ? error
      : new AppError("INTERNAL_ERROR", { details: { reason: "internal", retryable: true }, cause: error });
    request.facts.brokeOff = internal.code;
    return context.writer.failed(internal);
  }
  if (prompt.deliversAtEnd) {
    const failure = providerError(error, prompt);
    request.facts.brokeOff = failure.code;
    await requestHold.release();
    return context.writer.failed(failure);
  }
  request.facts.brokeOff = "INTERNAL_ERROR";
  const writeBroken: WriteLast = (writer, priced) =>
    writeCostlyError(writer, priced, {
      message: `${prompt.model.id} stopped mid-answer. You were charged for the part you received`,
      reason: brokenReason(error),
      retryable: true,
    });
  return writeBroken(context.writer, await chargeStream(context, progress, { outcome: "partial", writeLast: writeBroken }));
}

/**
 * The client left before the end of its stream. The call is cut at the provider, and the work done until then is charged; where that would
 * save nothing, or could not be counted, the stream is read to its end and charged by the provider's count.
 */
async function settleLeft(context: CallContext, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<void> {
  const { requestHold } = context;
  if (progress.counting) await progress.counting;
  if (requestHold.ended || progress.isCut) return;
  progress.isLeft = true;
  if (progress.isReadOn) await readOn(context, progress, events);
  else await events.return?.();
  if (progress.counting) await progress.counting;
  if (requestHold.ended) return;
  const { acceptedAt, sentTo } = progress.call.answer;
  // Once a call is sent its provider may bill it, even if the headers come only with the first token.
  if (!acceptedAt && !sentTo) return requestHold.release();
  const message = "You closed this stream early and were charged for the part you received. Use a new Idempotency-Key to ask again";
  const writeLeft: WriteLast = (writer, priced) =>
    progress.usage ? writer.done(priced) : writeCostlyError(writer, priced, { message, reason: "internal", retryable: false });
  await chargeStream(context, progress, { outcome: "cancelled", writeLast: writeLeft });
}

async function readOn(context: CallContext, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<void> {
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) recordEvent(context, progress, next.value);
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    progress.isBroken = true;
  }
}

/** Writes the stream's last event from its cost. */
type WriteLast = (writer: ReplyWriter, priced: PricedCompletion) => string;

interface StreamEnd {
  outcome: Completion["outcome"];
  writeLast: WriteLast;
}

function recordEvent(context: CallContext, progress: Progress, event: ProviderEvent): void {
  if (event.type === "finish") {
    progress.output.finish = event.reason;
    progress.output.stopSequence = event.stopSequence;
    progress.usage = readUsage(context, event);
  } else addPiece(progress.output, event);
}

/** Charges a stream as far as it got. An idempotency key saves it: its output, then its last event. */
async function chargeStream(context: CallContext, progress: Progress, { outcome, writeLast }: StreamEnd): Promise<Charged> {
  const counting = countUsage(context, progress, outcome);
  if (counting instanceof Promise) progress.counting = counting;
  const providerMs = performance.now() - progress.startedAt;
  context.request.providerMs = providerMs;
  const measured = measure(progress.call, providerMs, progress.startedAtMs);
  const count = counting instanceof Promise ? await counting : counting;
  const completion: Completion = { output: progress.output, outcome, ...count, ...measured };
  recordFacts(context, completion);
  return context.requestHold.charge(completion, (expected) => {
    const writer = context.createWriter();
    return writer.opening(progress.countedAtStart) + piecesOf(progress.output).map(writer.piece).join("") + writeLast(writer, expected);
  });
}

function countUsage(context: CallContext, progress: Progress, outcome: Completion["outcome"]) {
  const isByClient = outcome === "cancelled" && !progress.isBroken;
  return chargeableUsage(context, progress.output, {
    counted: progress.usage,
    answer: progress.call.answer,
    brokenOffBy: outcome === "complete" ? null : isByClient ? "client" : "provider",
  });
}

/** The last event of a stream that did not complete and is charged all the same. */
function writeCostlyError(
  writer: ReplyWriter,
  priced: PricedCompletion,
  { message, ...details }: { message: string; reason: string; retryable: boolean },
): string {
  const { inputCost, outputCost } = priced;
  const cost = { inputCost, outputCost, totalCost: inputCost + outputCost };
  return writer.failed(new AppError("INTERNAL_ERROR", { message, details: { ...details, cost } }));
}
