// The pipeline of a paid request: it runs in one direction, and each step passes its result to the next.

import type { AccountId } from "@/lib/base/ids";
import type { OpenSpace } from "../http/body-room";
import { authenticate, type Buyer, type Caller, limit } from "../http/caller";
import { endpoint, eventStreamHeaders, jsonReply, serverTiming } from "../http/endpoint";
import type { GatewayReply, GatewayRequest } from "../http/request";
import type { PaymentFacts } from "../proof/facts";
import { placeFromProof } from "../proof/proof";
import { readProofHeader } from "../proof/proof-body";
import { paymentRefused } from "../proof/refusal";
import { answerWhole, type CountUsage, chargeableUsage, prepareCall } from "./answer";
import { answerStream } from "./answer-stream";
import { type PlacedHold, placeFromBalance } from "./hold";
import { HoldGuard, readFence } from "./hold-guard";
import { getSavedReply } from "./idempotency";
import { openAnswer } from "./kept-answer";
import { type Prompt, promptWriter, type ReplyWriter, readPrompt } from "./prompt-body";
import { type Quote, quoteFitting } from "./quote";
import { attachHold } from "./settlement";

/** POST /api/v1/prompt: a prompt in, the model's answer out, its exact cost charged. */
export const prompt = endpoint(
  "prompt",
  (request) => runPrompt(request, { identify: authenticate, read: readPrompt, place: placeMoney, write: promptWriter }),
  { keepsFailures: true },
);

/** The steps in which the endpoints that sell answers differ. */
interface PromptHandler<Who extends Buyer, Read extends Prompt> {
  /** Identifies the caller. */
  identify: (request: GatewayRequest) => Who | Promise<Who>;
  /** Reads a prompt from the request's body: no promise for a short one. */
  read: (request: GatewayRequest, who: Who) => Read | Promise<Read>;
  /** Prices the prompt, and refuses it if it cannot fit: no promise for a short prompt. */
  quote?: (prompt: Read) => Quote | Promise<Quote>;
  /** Sets the money aside: from a balance, or from a payment that came with the request. */
  place: (request: GatewayRequest, who: Who, prompt: Read, quote: Quote) => Promise<PlacedHold>;
  /** Writes the answer; `payment` is the payment that paid, null for a balance. */
  write: (request: GatewayRequest, prompt: Read, payment: PaymentFacts | null) => ReplyWriter;
  /** Counts the tokens that a whole answer is charged for. */
  count?: CountUsage<Read>;
  /** Where images are taken: space for large bodies. */
  openSpace?: (request: GatewayRequest, who: Who) => OpenSpace;
}

/**
 * Answers one request and charges it.
 * @throws AppError
 */
export async function runPrompt<Who extends Buyer, Read extends Prompt>(
  request: GatewayRequest,
  { identify, read, quote: price = quoteFitting, place, write, count = chargeableUsage, openSpace }: PromptHandler<Who, Read>,
): Promise<GatewayReply> {
  const caller = await identify(request);
  await limit(request, caller);
  await request.loadBody(openSpace?.(request, caller));
  const isLong = request.longJson !== undefined;
  const reading = read(request, caller);
  // Awaiting a value that is there already would cost every request a microtask turn.
  const prompt = reading instanceof Promise ? await reading : reading;
  request.facts.model = prompt.model.id;
  const pricing = price(prompt);
  const wanted = pricing instanceof Promise ? await pricing : pricing;
  const fence = prompt.stream ? readFence() : null;
  const placing = place(request, caller, prompt, wanted);
  // Written while the hold is decided; a long one only once there is money for it, since writing it takes a while.
  const prepared = isLong ? undefined : prepareCall(within(prompt, wanted), caller.accountId);
  const placed = await placing;
  if (placed.kind === "replay") return replay(request, placed.accountId, placed.key);
  const { hold, quote, payment } = placed;
  const requestHold = attachHold(request, hold, prompt, quote);
  const sold = within(prompt, quote);
  if (sold.clippedTo !== undefined) request.replyHeaders["x-clipped-to"] = String(sold.clippedTo);
  const isAsPrepared = quote === wanted && hold.accountId === caller.accountId;
  const call = (isAsPrepared && prepared) || prepareCall(sold, hold.accountId);
  const createWriter = () => write(request, sold, payment);
  const context = { request, prompt: sold, call, quote, requestHold, writer: createWriter(), createWriter };
  return fence === null ? answerWhole(context, count) : answerStream({ guard: new HoldGuard(hold, fence), ...context });
}

/** The prompt with the output limit of its quote. */
const within = <Read extends Prompt>(prompt: Read, { maxOutputTokens }: Quote): Read =>
  maxOutputTokens === prompt.maxOutputTokens ? prompt : { ...prompt, maxOutputTokens, clippedTo: maxOutputTokens };

/** Sends the first answer again: same status, same body, no second charge. A stream is sent as its text and its last event. */
async function replay(request: GatewayRequest, accountId: AccountId, key: string): Promise<GatewayReply> {
  const saved = await getSavedReply(accountId, key);
  request.facts.replayOf = saved.requestId;
  const type: Record<string, string> = saved.streamed ? eventStreamHeaders : {};
  const reply = jsonReply(request, saved.status, openAnswer(saved.body, key, request), {
    "idempotent-replayed": "true",
    "server-timing": serverTiming(request),
    ...type,
  });
  // The id in the saved body; one dialect has another header for it.
  reply.headers["x-request-id"] = saved.requestId;
  if (reply.headers["request-id"]) reply.headers["request-id"] = saved.requestId;
  return reply;
}

/**
 * Sets the quote's ceiling aside: from the payment that came with the request, or else from the caller's balance. Without a payment this
 * costs no more than the hold itself.
 * @throws AppError
 */
export function placeMoney(request: GatewayRequest, caller: Caller, prompt: Paying, quote: Quote): Promise<PlacedHold> {
  const header = request.headers["payment-proof"];
  if (header === undefined && prompt.payment === undefined) return placeFromBalance(request, caller, prompt, quote);
  return placeFromProof(request, caller, quote, { readGiven: () => givenPayment(prompt, header), minOutputTokens: prompt.minOutputTokens });
}

/** The part of a prompt that says how it is paid. */
type Paying = Pick<Prompt, "payment" | "minOutputTokens">;

function givenPayment({ payment }: Paying, header: string | undefined): unknown {
  if (header === undefined) return payment;
  if (payment !== undefined) throw paymentRefused("malformed", "Send the payment in the header Payment-Proof or in the body, not in both");
  return readProofHeader(header);
}
