// The model's answer in one JSON body, and the parts it shares with a streamed one: the call, the token count that is charged, and the
// measurements. The count is the provider's, or ours where it sent none or an impossible one.

import { createHmac } from "node:crypto";
import { nowMs } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pepper } from "@/lib/base/pepper";
import { processSingleton } from "@/lib/base/process-singleton";
import { callProvider, callProviderWhole, type ProviderCall, type WholeCall, writeAhead } from "@/lib/providers/call";
import type { ModelRoute } from "@/lib/providers/model-route";
import { isProviderFailure, type ModelCall, type ProviderEvent, ProviderFailure, type TokenUsage } from "@/lib/providers/types";
import { vendorUsageOf } from "@/lib/providers/wire-value";
import { jsonReply, serverTiming } from "../http/endpoint";
import type { GatewayReply, GatewayRequest } from "../http/request";
import { addPiece, type Completion, countMessageBytes, emptyOutput, type Output } from "./completion";
import { estimateUncounted } from "./estimate";
import type { Prompt, ReplyWriter } from "./prompt-body";
import { providerError } from "./provider-failure";
import type { Quote } from "./quote";
import type { RequestHold } from "./settlement";

/** The results of the earlier steps, which answering needs. */
export interface CallContext {
  request: GatewayRequest;
  prompt: Prompt;
  call: ModelCall;
  quote: Quote;
  requestHold: RequestHold;
  writer: ReplyWriter;
  /** A second writer, for the copy of a stream that an idempotency key saves: writers count what they have written. */
  createWriter: () => ReplyWriter;
}

/**
 * Creates the call of a prompt, with everything that can be done before it may be sent. `payer` is the account that is charged; undefined
 * while nobody has paid.
 */
export const prepareCall = ({ model, messages, maxOutputTokens, options, stream }: Prompt, payer: AccountId | undefined): ModelCall =>
  writeAhead(model, { messages, maxOutputTokens, stream, cacheScope: payer && cacheScopeOf(payer), ...options });

const cacheScopeKey = processSingleton("cacheScopeKey", () => createHmac("sha256", pepper()).update("cache scope 1").digest());

const MAX_CACHE_SCOPES = 10_000;
const cacheScopes = processSingleton("cache scopes", () => new Map<AccountId, string>());

/** The same for every request of an account, and nobody else can tell whose (decision 0029). */
function cacheScopeOf(payer: AccountId): string {
  const known = cacheScopes();
  let scope = known.get(payer);
  if (scope === undefined) {
    scope = createHmac("sha256", cacheScopeKey()).update(payer).digest("base64url");
    if (known.size >= MAX_CACHE_SCOPES) known.clear();
    known.set(payer, scope);
  }
  return scope;
}

/** Nothing is sent before the first event is requested. Without a signal the call cannot be cut: only its time limits end it. */
export const startCall = ({ prompt, call }: CallContext, signal: AbortSignal | null): ProviderCall =>
  callProvider(prompt.model, { ...call, stream: true }, signal);

/** The call is sent at once. It cannot be cut: only its time limits end it. */
const requestWhole = ({ prompt, call }: CallContext): WholeCall =>
  callProviderWhole(prompt.model, Object.assign(call, { stream: false as const }), null);

/** A call's timing and provider, known once it has ended. */
export function measure(
  { answer }: Pick<ProviderCall, "answer">,
  providerMs: number,
  startedAtMs: number,
): Pick<Completion, "provider" | "providerRequestId" | "firstTokenMs" | "providerMs"> {
  // The clock may have been changed meanwhile: whatever it says, the first token came after the start and before the end.
  const firstTokenMs = answer.firstTokenAt === undefined ? null : Math.min(Math.max(0, answer.firstTokenAt - startedAtMs), providerMs);
  const route = answer.route ?? answer.sentTo;
  return { provider: route?.provider ?? "unknown", providerRequestId: answer.requestId ?? null, firstTokenMs, providerMs };
}

/** A count is absurd above ten times what the input's bytes, or the output's limit, allow, plus ten thousand tokens. */
const ABSURD_FACTOR = 10;
const ABSURD_ROOM = 10_000;

type Sold<Read extends Prompt = Prompt> = Pick<CallContext, "quote" | "call"> & { prompt: Read };

interface Counts {
  /** With the answer's end; null when it sent none. */
  counted: TokenUsage | null;
  /** The facts of the call: its route, and a stream's count before its end. */
  answer: ProviderCall["answer"];
  /** Null: the answer is whole. */
  brokenOffBy: "client" | "provider" | null;
}

type ChargeableUsage = Pick<Completion, "usage" | "estimated" | "probable">;

/** Counts the tokens that an answer is charged for: no promise for a whole count of the provider's. */
export type CountUsage<Read extends Prompt> = (
  sold: Sold<Read>,
  output: Output,
  counts: Counts,
) => ChargeableUsage | Promise<ChargeableUsage>;

/**
 * The provider's count, unless no tokenizer could have counted that many: then the reply is invalid and nothing is charged for it.
 * @throws ProviderFailure malformed
 */
export function readUsage(sold: Sold, event: Extract<ProviderEvent, { type: "finish" }>): TokenUsage | null {
  const { usage } = event;
  if (!usage) return null;
  if (!isAbsurd(sold, usage)) return usage;
  throw new ProviderFailure("malformed", `absurd usage: ${usage.inputTokens} in, ${usage.outputTokens} out`, { accepted: true });
}

function isAbsurd({ prompt, quote }: Sold, usage: TokenUsage): boolean {
  const mostInput = ABSURD_FACTOR * Math.max(quote.inputBound, countMessageBytes(prompt.messages)) + ABSURD_ROOM;
  const mostOutput = ABSURD_FACTOR * (prompt.maxOutputTokens + prompt.model.reasoningCeiling) + ABSURD_ROOM;
  return usage.inputTokens > mostInput || usage.outputTokens > mostOutput;
}

/** The count to charge: the provider's, with our own for sides that it leaves out. No promise for a whole count. */
export function chargeableUsage(sold: Sold, output: Output, counts: Counts): ChargeableUsage | Promise<ChargeableUsage> {
  const { counted } = counts;
  if (!counted) return estimateRest(sold, output, counts);
  const isSent = output.text !== "" || output.toolCalls.length > 0;
  const [noInput, noOutput] = [isSent && counted.inputTokens === 0, isSent && counted.outputTokens === 0];
  if (!noInput && !noOutput) return { usage: counted, estimated: false };
  reportZeroCount(routeOf(sold, counts));
  return replaceZeros(sold, output, { ...counts, counted, noInput, noOutput });
}

export const routeOf = ({ prompt }: Sold, { answer }: Counts): ModelRoute => answer.route ?? answer.sentTo ?? prompt.model.routes[0];

const estimate = (sold: Sold, output: Output, counts: Counts) =>
  estimateUncounted({
    prompt: sold.prompt,
    inputBound: sold.quote.inputBound,
    owner: sold.call.cacheScope,
    route: routeOf(sold, counts),
    output: withHiddenThoughts(output, counts),
    brokenOffBy: counts.brokenOffBy,
  });

/** Thoughts that nobody is shown are billed all the same; when the provider breaks off, only delivered text is charged. */
function withHiddenThoughts(output: Output, { answer, brokenOffBy }: Counts): Output {
  const text = answer.hiddenThoughts;
  if (!text || brokenOffBy === "provider") return output;
  return { ...output, reasoning: [...output.reasoning, { kind: "thinking", text, data: "" }] };
}

/** Of an answer without a count at its end. */
async function estimateRest(sold: Sold, output: Output, counts: Counts): Promise<ChargeableUsage> {
  const { charged, probable } = await estimate(sold, output, counts);
  const { counted: known } = counts.answer;
  if (!known || known.inputTokens === 0 || isAbsurd(sold, known)) return { usage: charged, estimated: true, probable };
  // A count on the way may be that of the first tokens.
  const withOutput = (ours: TokenUsage): TokenUsage => ({ ...known, outputTokens: Math.max(known.outputTokens, ours.outputTokens) });
  return { usage: withOutput(charged), estimated: true, probable: withOutput(probable) };
}

type ZeroCounts = Counts & { counted: TokenUsage; noInput: boolean; noOutput: boolean };

async function replaceZeros(sold: Sold, output: Output, counts: ZeroCounts): Promise<ChargeableUsage> {
  const { counted, noInput, noOutput } = counts;
  const { charged, probable } = await estimate(sold, output, counts);
  const replaced = (ours: TokenUsage): TokenUsage => {
    const { outputTokens, reasoningTokens } = noOutput ? ours : counted;
    return { ...(noInput ? ours : counted), outputTokens, reasoningTokens };
  };
  return { usage: replaced(charged), estimated: true, probable: replaced(probable) };
}

/** An alarm: an answer came, and its provider counted nothing for it. */
export function reportZeroCount({ provider }: ModelRoute): void {
  metrics().zeroCounts.inc({ provider });
  log().error({ provider }, "a provider sent an answer and counted no tokens for it: our own count is charged");
}

/** The log has at most this many characters of a provider's own usage object. */
const MAX_LOGGED_USAGE = 1_000;
/** The log has this many levels of it: a known provider has three. */
const MAX_USAGE_LEVELS = 4;

/**
 * As `prompt_tokens=61 prompt_tokens_details.cached_tokens=12`. Only numbers: a text may be part of a prompt or an answer, which no log
 * holds. Zeros are left out: the line is written for each request, and most of a usage is zeros.
 */
function usageText(usage: object, levels = MAX_USAGE_LEVELS, path = ""): string {
  let text = "";
  for (const [name, part] of Object.entries(usage)) {
    if (typeof part === "number" && part !== 0) text += ` ${path}${name}=${part}`;
    else if (typeof part === "object" && part !== null && levels > 1) text += usageText(part, levels - 1, `${path}${name}.`);
    if (text.length > MAX_LOGGED_USAGE) break;
  }
  return text;
}

/** Adds the answer to the log line, with the provider's own usage object. */
export function recordFacts({ request: { facts } }: CallContext, { usage, provider, outcome }: Completion): void {
  facts.provider = provider;
  facts.outcome = outcome;
  facts.inputTokens = usage.inputTokens;
  facts.outputTokens = usage.outputTokens;
  const vendorUsage = vendorUsageOf(usage);
  if (vendorUsage) facts.providerUsage = usageText(vendorUsage).slice(1, MAX_LOGGED_USAGE);
}

/**
 * The whole answer in one JSON body. Once the provider was called, the answer is completed and charged even when the client is gone: the
 * provider bills us for it, and the idempotency key saves it.
 * @throws AppError INTERNAL_ERROR, INVALID_REQUEST (the provider refused it); the hold is released then
 */
export async function answerWhole<Read extends Prompt>(
  context: CallContext & { prompt: Read },
  count: CountUsage<Read>,
): Promise<GatewayReply> {
  const { request, prompt, requestHold } = context;
  const startedAtMs = nowMs();
  const startedAt = performance.now();
  const call = requestWhole(context);
  const output = emptyOutput();
  let counted: TokenUsage | null = null;
  try {
    for (const event of await call.events) {
      if (event.type === "finish") {
        output.finish = event.reason;
        output.stopSequence = event.stopSequence;
        counted = readUsage(context, event);
      } else addPiece(output, event);
    }
  } catch (error) {
    request.providerMs = performance.now() - startedAt;
    await requestHold.release();
    throw isProviderFailure(error) ? providerError(error, prompt) : error;
  }
  request.providerMs = performance.now() - startedAt;
  const measured = measure(call, request.providerMs, startedAtMs);
  const counting = count(context, output, { counted, answer: call.answer, brokenOffBy: null });
  // Awaiting a value that is there already would cost every request a microtask turn.
  const usage = counting instanceof Promise ? await counting : counting;
  const completion: Completion = { output, outcome: "complete", ...usage, ...measured };
  const body = await requestHold.chargeForBody(completion, context.writer.whole);
  recordFacts(context, completion);
  request.replyHeaders["server-timing"] = serverTiming(request);
  return jsonReply(request, 200, body);
}
