// The model's answer in one JSON body, and from there to its charge.

import { nowMs } from "@/lib/base/clock";
import { isProviderFailure, ProviderFailure, type TokenUsage } from "@/lib/providers/types";
import { jsonReply, serverTiming } from "../http/endpoint";
import type { GatewayReply } from "../http/request";
import { type CallContext, measure, readUsage, recordFacts, requestWhole } from "./call-context";
import { addPiece, emptyOutput } from "./output";
import { providerError } from "./provider-failure";
import type { Completion } from "./settlement";

/**
 * The whole answer in one JSON body. Once the provider was asked it is finished and charged even when the client is gone:
 * the provider bills us for it, and the idempotency key keeps it.
 * @throws AppError INTERNAL_ERROR, INVALID_REQUEST (the provider refused it); the hold is released then
 */
export async function answerWhole(context: CallContext): Promise<GatewayReply> {
  const { request, prompt, settlement } = context;
  const startedAtMs = nowMs();
  const startedAt = performance.now();
  const call = requestWhole(context);
  const output = emptyOutput();
  let usage: TokenUsage | null = null;
  try {
    for (const event of await call.events) {
      if (event.type === "finish") {
        output.finish = event.reason;
        usage = readUsage(context, event);
      } else addPiece(output, event);
    }
  } catch (error) {
    request.providerMs = performance.now() - startedAt;
    await settlement.release();
    throw isProviderFailure(error) ? providerError(error, prompt) : error;
  }
  request.providerMs = performance.now() - startedAt;
  if (!usage) {
    await settlement.release();
    throw providerError(new ProviderFailure("malformed", "the answer came without a token count", { accepted: true }), prompt);
  }
  const measured = measure(call, request.providerMs, startedAtMs);
  const completion: Completion = { output, usage, outcome: "complete", estimated: false, ...measured };
  const body = await settlement.chargeForBody(completion, context.writer.whole);
  recordFacts(context, completion);
  request.replyHeaders["server-timing"] = serverTiming(request);
  return jsonReply(request, 200, body);
}
