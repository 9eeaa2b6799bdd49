// The way of a request that is paid for: one direction, and what each step made is handed to the next.

import type { AccountId } from "@/lib/base/ids";
import { answerStream } from "./answer-stream";
import { answerWhole } from "./answer-whole";
import { authenticate, type Caller } from "./caller";
import { placeHold } from "./hold";
import { getSavedReply, readIdempotencyClaim } from "./idempotency";
import { limit } from "./limit";
import type { Prompt } from "./prompt-body";
import { quotePrompt } from "./quote";
import type { ReplyWriter } from "./reply-writer";
import type { GatewayReply, GatewayRequest } from "./request";
import { eventStreamHeaders, jsonReply, serverTiming } from "./respond";
import { openSettlement } from "./settlement";

/** By what the endpoints differ that sell answers. */
interface Sale<Read extends Prompt> {
  /** Tells who pays; by the request's API key when left out. */
  identify?: (request: GatewayRequest) => Promise<Caller>;
  /** Makes a prompt of the request's body. */
  read: (request: GatewayRequest, caller: Caller) => Read;
  /** Writes what comes of it. */
  write: (request: GatewayRequest, prompt: Read) => ReplyWriter;
}

/**
 * Answers one request and charges it.
 * @throws AppError
 */
export async function sellAnswer<Read extends Prompt>(
  request: GatewayRequest,
  { identify = authenticate, read, write }: Sale<Read>,
): Promise<GatewayReply> {
  const caller = await identify(request);
  await limit(request, caller);
  const prompt = read(request, caller);
  const claim = readIdempotencyClaim(request);
  const quote = quotePrompt(prompt);
  const placed = await placeHold(request, caller, quote, claim);
  if (placed.kind === "replay") return replay(request, caller.accountId, claim?.key ?? "");
  const settlement = openSettlement(request, placed.hold, prompt, quote);
  const work = { request, prompt, quote, settlement, writer: write(request, prompt) };
  return prompt.stream ? answerStream(work) : answerWhole(work);
}

/** The first answer again: same status, same body, no second charge. A stream comes as its text and its last event. */
async function replay(request: GatewayRequest, accountId: AccountId, key: string): Promise<GatewayReply> {
  const saved = await getSavedReply(accountId, key);
  request.facts.replayOf = saved.requestId;
  const type: Record<string, string> = saved.streamed ? eventStreamHeaders : {};
  const reply = jsonReply(request, saved.status, saved.body, {
    ...type,
    "idempotent-replayed": "true",
    "server-timing": serverTiming(request),
  });
  // The id that its body names.
  reply.headers["x-request-id"] = saved.requestId;
  return reply;
}
