// Counts of input tokens before a call: Anthropic's own, for its models (https://docs.anthropic.com/en/api/messages-count-tokens). They are
// free, and limited there by rate.

import { z } from "zod";
import { config } from "@/lib/base/config";
import { anthropicFormat } from "./anthropic";
import { hideEndpoint } from "./attempt";
import { CallBudget } from "./budget";
import { endpoints } from "./endpoints";
import { exchangeWhole, readHeaders } from "./transport";
import type { Model, ModelCall } from "./types";
import { parseJson, readShape } from "./wire-value";

const replySchema = z.object({ input_tokens: z.number().int().min(0) });

const REPLY_LIMIT_BYTES = 64 * 1024;

/** Fields of a message request that a count does not take. */
const unwanted = ["max_tokens", "service_tier", "stream", "stop_sequences", "temperature", "top_p", "top_k"] as const;

/**
 * The tokens of this input at Anthropic; null when no route of the model leads there.
 * @throws ProviderFailure
 */
export async function countInputTokens(
  model: Model,
  call: Omit<ModelCall, "maxOutputTokens" | "stream">,
  signal: AbortSignal,
): Promise<number | null> {
  const route = model.routes.find(({ provider }) => provider === "anthropic");
  const endpoint = route && endpoints().get(route.provider);
  if (!route || endpoint?.format !== "anthropic") return null;
  const whole: ModelCall = { ...call, maxOutputTokens: model.maxOutputTokens, stream: false };
  const request = anthropicFormat.buildRequest(whole, route.wireName, endpoint.apiKey, route.provider);
  const body = JSON.parse(request.body) as Record<string, unknown>;
  for (const name of unwanted) delete body[name];
  const limits = config();
  const budget = new CallBudget(limits, signal);
  budget.awaitFirstToken(limits.PROVIDER_FIRST_TOKEN_TIMEOUT_MS);
  try {
    const answer = await exchangeWhole(
      endpoint,
      { ...request, path: `${request.path}/count_tokens`, body: JSON.stringify(body) },
      budget,
      () => REPLY_LIMIT_BYTES,
    );
    if (answer.status !== 200) throw hideEndpoint(anthropicFormat.readError(answer.status, readHeaders(answer), answer.text), endpoint);
    return readShape(replySchema, parseJson(answer.text, "the count"), "the count").input_tokens;
  } finally {
    budget.close();
  }
}
