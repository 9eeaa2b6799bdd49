// The model's answer as server-sent events, charged for what was delivered however it ends: at its end, broken off by the
// provider, or left by its client. The hold ends exactly once.

import { nowMs } from "@/lib/base/clock";
import { AppError, isAppError } from "@/lib/base/errors";
import { log } from "@/lib/base/observe/log";
import type { ProviderCall } from "@/lib/providers/call";
import { isBilledWhenCut } from "@/lib/providers/cut-calls";
import { isProviderFailure, type ProviderEvent, type TokenUsage } from "@/lib/providers/types";
import type { GatewayReply } from "../http/request";
import { eventStreamHeaders } from "../http/respond";
import { estimateUsage } from "./estimate";
import { addPiece, emptyOutput, type Output, piecesOf, writtenText } from "./output";
import { providerError } from "./provider-failure";
import type { Completion, Receipt } from "./settlement";
import { keepAlive } from "./sse-keep-alive";
import { measure, noteFacts, readUsage, startCall, type Work } from "./work";

/**
 * The answer as server-sent events. Nothing is sent until the provider's first token, so that a failure before it has its
 * true status.
 * @throws AppError like answerWhole, before the first token
 */
export async function answerStream(work: Work): Promise<GatewayReply> {
  const { request, prompt, settlement } = work;
  const startedAt = performance.now();
  const call = startCall(work, isBilledWhenCut(prompt.model) ? null : request.signal);
  const { events } = call;
  const progress: Progress = { output: emptyOutput(), usage: null, startedAt, startedAtMs: nowMs(), call, isLeft: false };
  request.onEnd(() => settleLeft(work, progress, events));
  let first: IteratorResult<ProviderEvent>;
  try {
    first = await events.next();
    // An answer without text whose usage is absurd still has its true status.
    if (first.value?.type === "finish") readUsage(work, first.value);
  } catch (error) {
    // Whoever left while a provider was at work pays for its input: the end of the request sees to it.
    if (!request.signal.aborted) await settlement.release();
    throw isProviderFailure(error) ? providerError(error, prompt) : error;
  }
  const headers = {
    "x-request-id": request.id,
    "server-timing": `gateway;dur=${(startedAt - request.startedAt).toFixed(2)}, provider;dur=${(performance.now() - startedAt).toFixed(2)}`,
    ...request.replyHeaders,
    ...eventStreamHeaders,
  };
  return { status: 200, headers, body: keepAlive(streamBody(work, progress, first, events)), end: request.end };
}

interface Progress {
  output: Output;
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
  const { request, writer } = work;
  let opening = writer.opening();
  try {
    for (let next = first; !next.done; next = await events.next()) {
      const event = next.value;
      noteEvent(work, progress, event);
      if (event.type === "finish") continue;
      yield opening + writer.piece(event);
      opening = "";
    }
    yield opening + writer.done(await chargeStream(work, progress, { outcome: "complete", writeLast: writer.done }));
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
    return work.writer.failed(internal);
  }
  const reason = error.kind === "timeout" ? "provider_timeout" : "provider_unavailable";
  const writeBroken = (receipt: Receipt) =>
    writeCostlyError(work, receipt, { message: `${prompt.model.id} broke off; what was delivered is charged`, reason, retryable: true });
  return writeBroken(await chargeStream(work, progress, { outcome: "partial", writeLast: writeBroken }));
}

/**
 * The client left before the end of its stream. The call is cut upstream, and what the provider had done is charged; where a
 * provider bills the whole answer all the same, it is read to its end and charged by its own count.
 */
async function settleLeft(work: Work, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<void> {
  const { prompt, settlement } = work;
  if (settlement.ended) return;
  progress.isLeft = true;
  if (isBilledWhenCut(prompt.model)) await readOn(work, progress, events);
  else await events.return?.();
  if (settlement.ended) return;
  if (!progress.call.answer.acceptedAt) return settlement.release();
  const message = "This stream was left before its end; what had been delivered is charged. Ask again under another Idempotency-Key";
  const writeLeft = (receipt: Receipt) =>
    progress.usage ? work.writer.done(receipt) : writeCostlyError(work, receipt, { message, reason: "internal", retryable: false });
  await chargeStream(work, progress, { outcome: "cancelled", writeLast: writeLeft });
}

async function readOn(work: Work, progress: Progress, events: AsyncIterator<ProviderEvent>): Promise<void> {
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) noteEvent(work, progress, next.value);
  } catch (error) {
    if (!isProviderFailure(error)) throw error; // it broke off: what came by then is charged
  }
}

interface StreamEnd {
  outcome: Completion["outcome"];
  /** Writes the stream's last event from its cost. */
  writeLast: (receipt: Receipt) => string;
}

function noteEvent(work: Work, progress: Progress, event: ProviderEvent): void {
  if (event.type === "finish") {
    progress.output.finish = event.reason;
    progress.usage = readUsage(work, event);
  } else addPiece(progress.output, event);
}

/** Charges a stream as far as it came. An idempotency key keeps it as it was: its output, then its last event. */
async function chargeStream(work: Work, progress: Progress, { outcome, writeLast }: StreamEnd): Promise<Receipt> {
  const completion = completionOf(work, progress, outcome);
  noteFacts(work, completion);
  const { opening, piece } = work.writer;
  return work.settlement.charge(completion, (expected) => opening() + piecesOf(progress.output).map(piece).join("") + writeLast(expected));
}

/** The last event of a stream that did not reach its end and is charged all the same. */
function writeCostlyError(
  { writer }: Work,
  receipt: Receipt,
  { message, ...details }: { message: string; reason: string; retryable: boolean },
): string {
  const { inputCost, outputCost } = receipt;
  const cost = { inputCost, outputCost, totalCost: inputCost + outputCost };
  return writer.failed(new AppError("INTERNAL_ERROR", { message, details: { ...details, cost } }));
}

function completionOf(work: Work, progress: Progress, outcome: Completion["outcome"]): Completion {
  const { messages, options } = work.prompt;
  const usage = progress.usage ?? estimateUsage({ messages, ...options }, writtenText(progress.output), work.quote.inputBound);
  const providerMs = performance.now() - progress.startedAt;
  work.request.providerMs = providerMs;
  return {
    output: progress.output,
    usage,
    outcome,
    estimated: progress.usage === null,
    ...measure(progress.call, providerMs, progress.startedAtMs),
  };
}
