// POST /api/v1/prompt: a prompt in, the model's answer out, its exact cost charged.

import type { AccountId } from "@/lib/base/ids";
import { answerStream, answerWhole } from "./answer";
import { authenticate } from "./caller";
import { endpoint } from "./endpoint";
import { placeHold } from "./hold";
import { getSavedReply, readIdempotencyClaim } from "./idempotency";
import { limit } from "./limit";
import { readPrompt } from "./prompt-body";
import { quotePrompt } from "./quote";
import { jsonReply } from "./respond";
import type { GatewayReply, GatewayRequest } from "./request";
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

/** The first answer again: same status, same body, no second charge. */
async function replay(request: GatewayRequest, accountId: AccountId, key: string): Promise<GatewayReply> {
  const saved = await getSavedReply(accountId, key);
  const headers = { "idempotent-replayed": "true" };
  request.facts.replayOf = saved.requestId;
  if (!saved.streamed) return jsonReply(request, saved.status, saved.body, headers);
  const { text } = JSON.parse(saved.body) as { text: string };
  const reply = jsonReply(request, saved.status, "", { ...headers, "content-type": "text/event-stream; charset=utf-8" });
  const delta = text === "" ? "" : `event: delta\ndata: ${JSON.stringify({ text })}\n\n`;
  return { ...reply, body: `${delta}event: done\ndata: ${saved.body}\n\n` };
}
