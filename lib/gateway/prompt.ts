// POST /api/v1/prompt: a prompt in, the model's answer out, its exact cost charged.

import type { AccountId } from "@/lib/base/ids";
import { answerStream } from "./answer-stream";
import { answerWhole } from "./answer-whole";
import { authenticate } from "./caller";
import { endpoint } from "./endpoint";
import { placeHold } from "./hold";
import { getSavedReply, readIdempotencyClaim } from "./idempotency";
import { limit } from "./limit";
import { readPrompt } from "./prompt-body";
import { quotePrompt } from "./quote";
import type { GatewayReply, GatewayRequest } from "./request";
import { eventStreamHeaders, jsonReply, serverTiming } from "./respond";
import { openSettlement } from "./settlement";

export const prompt = endpoint("prompt", async (request) => {
  const caller = await authenticate(request);
  await limit(request, caller);
  const prompt = readPrompt(request, caller);
  const claim = readIdempotencyClaim(request);
  const quote = quotePrompt(prompt);
  const placed = await placeHold(request, caller, quote, claim);
  if (placed.kind === "replay") return replay(request, caller.accountId, claim?.key ?? "");
  const settlement = openSettlement(request, placed.hold, prompt, quote);
  const work = { request, prompt, quote, settlement };
  return prompt.stream ? answerStream(work) : answerWhole(work);
});

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
