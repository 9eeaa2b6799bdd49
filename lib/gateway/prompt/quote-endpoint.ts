// POST /api/v1/quote: the most that a prompt may cost, its estimated cost, whether the balance covers it, its output limit after a clip,
// and the end of its stream when its client leaves. Nothing is held and no provider is called.

import { now } from "@/lib/base/clock";
import { writeJson } from "@/lib/base/json";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { estimateMessageTokens } from "@/lib/base/tokens/token-estimate";
import { prisma } from "@/lib/db/prisma";
import { readBalance } from "@/lib/ledger/accounts";
import { whenLeft } from "@/lib/providers/cut-calls/read-on";
import { tierAt } from "@/lib/providers/prices";
import type { OpenSpace } from "../http/body-room";
import { authenticate, type Caller, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import type { GatewayReply, GatewayRequest } from "../http/request";
import type { Quote as QuoteAnswer } from "../openapi/answers/prompt";
import { requiredCents } from "../proof/required-cents";
import { pricePerToken } from "../reads/receipt";
import { countMessageBytes } from "./completion";
import { MIN_CLIPPED_TOKENS, type Prompt, readPrompt } from "./prompt-body";
import { affordableMaxTokens, boundInput, clipQuote, type Quote, quotePrompt } from "./quote";

export const quote = endpoint("quote", async (request) => {
  const caller = await authenticate(request);
  await limit(request, caller);
  return replyWithQuote(request, caller);
});

interface QuoteReading {
  read: (request: GatewayRequest, caller: Caller) => Prompt | Promise<Prompt>;
  /** Where images are taken: space for large bodies. */
  openSpace?: OpenSpace;
}

/** @throws AppError INVALID_REQUEST, INVALID_MODEL */
export async function replyWithQuote(
  request: GatewayRequest,
  caller: Caller,
  { read, openSpace }: QuoteReading = { read: readPrompt },
): Promise<GatewayReply> {
  await request.loadBody(openSpace);
  const prompt = await read(request, caller);
  const priced = quotePrompt({ ...prompt, maxCost: undefined }, await boundInput(prompt));
  const { available } = await readBalance(caller.accountId);
  const capLeft = caller.keyId && (await readCapLeft(caller));
  const { model, inputBound, ceiling, priceVersion } = priced;
  const body: QuoteAnswer = {
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
    capLeft,
    clippedTo: clipQuote(priced, leastOf(available, capLeft, prompt.maxCost), minTokensOf(prompt, caller))?.maxOutputTokens ?? null,
    withinMaxCost: prompt.maxCost === undefined || ceiling <= prompt.maxCost,
    priceVersion,
    pricing: pricePerToken(tierAt(model.prices, inputBound)),
    whenLeft: whenLeftOf(prompt),
  };
  return jsonReply(request, 200, writeJson(body));
}

/** The rest of a key's cap in its current period; null without a cap. */
async function readCapLeft({ accountId, keyId }: Caller): Promise<NanoUsd | null> {
  const [row] = await prisma().$queryRaw<{ left: bigint | null }[]>`SELECT gateway_cap_left(${accountId}, ${keyId}, ${now()}) AS left`;
  return row?.left == null ? null : nanoUsd(row.left);
}

const leastOf = (first: NanoUsd, ...others: readonly (NanoUsd | null | undefined)[]): NanoUsd =>
  others.reduce<NanoUsd>((least, other) => (other != null && other < least ? other : least), first);

/** The minimum of a clip, also where this body does not ask for one. */
const minTokensOf = ({ minOutputTokens, maxOutputTokens }: Prompt, { clipMinTokens }: Caller): number =>
  minOutputTokens ?? Math.min(clipMinTokens ?? MIN_CLIPPED_TOKENS, maxOutputTokens);

/** Of this prompt as a stream: whether its model may reason depends on the options. */
const whenLeftOf = ({ model, messages, maxOutputTokens, options }: Prompt) =>
  whenLeft(model, { messages, maxOutputTokens, stream: true, ...options });

/** An estimate, never above the ceiling: the input as it is estimated everywhere, plus half of the allowed output. */
function expectedCost({ model, messages, maxOutputTokens }: Prompt, { inputBound }: Quote): NanoUsd {
  const inputTokens = Math.min(inputBound, estimateMessageTokens(countMessageBytes(messages), messages.length));
  const tier = tierAt(model.prices, inputTokens);
  return nanoUsd(BigInt(inputTokens) * tier.input + BigInt(Math.ceil(maxOutputTokens / 2)) * tier.output);
}
