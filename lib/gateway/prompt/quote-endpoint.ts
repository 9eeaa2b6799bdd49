// POST /api/v1/quote: the most that a prompt may cost, its estimated cost, and whether the balance covers it. Nothing is held and no
// provider is called.

import { writeJson } from "@/lib/base/json";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { readBalance } from "@/lib/ledger/accounts";
import { authenticate, type Caller, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import type { GatewayReply, GatewayRequest } from "../http/request";
import { requiredCents } from "../proof/required-cents";
import { pricePerToken } from "../reads/receipt";
import { estimateUsage } from "./completion";
import { type Prompt, readPrompt } from "./prompt-body";
import { affordableMaxTokens, type Quote, quotePrompt } from "./quote";

export const quote = endpoint("quote", async (request) => {
  const caller = await authenticate(request);
  await limit(request, caller);
  return replyWithQuote(request, caller);
});

/** @throws AppError INVALID_REQUEST, INVALID_MODEL */
export async function replyWithQuote(request: GatewayRequest, caller: Caller): Promise<GatewayReply> {
  const prompt = readPrompt(request, caller);
  const priced = quotePrompt({ ...prompt, maxCost: undefined });
  const { available } = await readBalance(caller.accountId);
  const { model, inputBound, ceiling, priceVersion } = priced;
  return jsonReply(
    request,
    200,
    writeJson({
      model: model.id,
      inputTokens: inputBound,
      maxOutputTokens: prompt.maxOutputTokens,
      maxReasoningTokens: model.reasoningCeiling,
      ceiling,
      expected: expectedCost(prompt, priced),
      available,
      covered: ceiling <= available,
      paymentCents: Number(requiredCents(priced)),
      // The 402 gives the same number.
      affordableMaxTokens: affordableMaxTokens(available, priced),
      withinMaxCost: prompt.maxCost === undefined || ceiling <= prompt.maxCost,
      priceVersion,
      pricing: pricePerToken(model),
    }),
  );
}

/**
 * An estimate, never above the ceiling: a token for every four bytes of input and three around each message, plus half of the allowed
 * output.
 */
function expectedCost({ model, messages, maxOutputTokens }: Prompt, { inputBound }: Quote): NanoUsd {
  const { inputTokens } = estimateUsage({ messages }, "", inputBound);
  return nanoUsd(BigInt(inputTokens) * model.inputPrice + BigInt(Math.ceil(maxOutputTokens / 2)) * model.outputPrice);
}
