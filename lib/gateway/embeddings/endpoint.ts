// POST /api/v1/embeddings: texts in, their vectors out. Held, charged, saved and limited like a prompt; there is no output to bound.

import { nowMs } from "@/lib/base/clock";
import { runInSlices, type Slices } from "@/lib/base/slices";
import { callProviderWhole, setupWithFormat } from "@/lib/providers/call";
import { embeddingFormat } from "@/lib/providers/openai/embeddings";
import { inputTokenBoundInSlices } from "@/lib/providers/token-bound";
import { isProviderFailure, ProviderFailure } from "@/lib/providers/types";
import { chatErrorBody } from "../chat/errors";
import { authenticate, limit } from "../http/caller";
import { endpoint, jsonReply, serverTiming } from "../http/endpoint";
import type { GatewayReply, GatewayRequest } from "../http/request";
import { measure, reportZeroCount } from "../prompt/answer";
import { emptyOutput } from "../prompt/completion";
import { estimateTokens } from "../prompt/estimate";
import { placeMoney, replay } from "../prompt/pipeline";
import { providerError } from "../prompt/provider-failure";
import { needsByteBound, quoteInput } from "../prompt/quote";
import { openSettlement, type Settlement } from "../prompt/settlement";
import { type EmbeddingRequest, readEmbeddings, writeEmbeddings } from "./body";

export const embeddings = endpoint(
  "embeddings",
  async (request) => {
    const caller = await authenticate(request);
    await limit(request, caller);
    await request.loadBody();
    const order = readEmbeddings(request, caller);
    request.facts.model = order.model.id;
    const quote = quoteInput(order.model, await runInSlices(boundInputs(order)), order.maxCost);
    const placed = await placeMoney(request, caller, {}, quote);
    if (placed.kind === "replay") return replay(request, placed.accountId, placed.key);
    return answerEmbeddings(request, order, openSettlement(request, placed.hold, { stream: false }, quote));
  },
  { writeError: chatErrorBody, keepsFailures: true },
);

/** A text is counted as it is: nothing stands around it. */
function* boundInputs({ model, inputs }: EmbeddingRequest): Slices<number> {
  const bound = needsByteBound(model.id) ? "bytes" : model.tokenBound;
  let tokens = 0;
  for (const input of inputs) {
    tokens += 1 + (typeof input === "string" ? yield* inputTokenBoundInSlices(input, bound) : input.length);
    yield;
  }
  return tokens;
}

/** Our own count, on the customer's side, for a provider that counts nothing. */
const ownTokenCount = ({ inputs }: EmbeddingRequest): number =>
  inputs.reduce((sum, input) => sum + (typeof input === "string" ? estimateTokens(input) : input.length), 0);

async function answerEmbeddings(request: GatewayRequest, order: EmbeddingRequest, settlement: Settlement): Promise<GatewayReply> {
  const startedAtMs = nowMs();
  const startedAt = performance.now();
  const call = callProviderWhole(
    order.model,
    { messages: [], maxOutputTokens: 1, stream: false },
    null,
    setupWithFormat(embeddingFormat(order)),
  );
  const output = emptyOutput();
  try {
    const [vectors, finish] = await call.events;
    request.providerMs = performance.now() - startedAt;
    if (vectors?.type !== "text" || finish?.type !== "finish" || !finish.usage) {
      throw new ProviderFailure("malformed", "the answer is no embeddings", { accepted: true });
    }
    output.text = vectors.text;
    output.finish = finish.reason;
    const measured = measure(call, request.providerMs, startedAtMs);
    const isCounted = finish.usage.inputTokens > 0;
    if (!isCounted) reportZeroCount(measured.provider);
    const usage = isCounted ? finish.usage : { ...finish.usage, inputTokens: ownTokenCount(order) };
    const completion = { output, usage, outcome: "complete" as const, estimated: !isCounted, ...measured };
    const body = await settlement.chargeForBody(completion, (receipt) => writeEmbeddings(order, receipt));
    request.facts.provider = completion.provider;
    request.facts.inputTokens = usage.inputTokens;
    request.replyHeaders["server-timing"] = serverTiming(request);
    return jsonReply(request, 200, body);
  } catch (error) {
    request.providerMs ??= performance.now() - startedAt;
    await settlement.release();
    throw isProviderFailure(error) ? providerError(error, { model: order.model, inputField: "input" }) : error;
  }
}
