// The examples of the document: one prompt to a model of this catalogue, and its answers as written by the code of the endpoints, with the
// cost at the model's price.

import type { z } from "zod";
import { AppError } from "@/lib/base/errors";
import type { AccountId, RequestId } from "@/lib/base/ids";
import { fromCents, nanoUsd, usdText } from "@/lib/base/money";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import type { PaymentId } from "@/lib/payments/claims/claim";
import { defaultModel, listModels, priceVersion } from "@/lib/providers/catalogue";
import { takesImages } from "@/lib/providers/image-bound/bound";
import { costLines } from "@/lib/providers/prices";
import type { Model } from "@/lib/providers/types";
import type { ChatPrompt } from "../chat/body";
import { chatWriter } from "../chat/writer";
import { type GatewayRequest, openRequest } from "../http/request";
import { messagesWriter } from "../messages/writer";
import type { PricedCompletion } from "../prompt/completion";
import { promptWriter } from "../prompt/prompt-body";
import { ToolNames } from "../prompt/tool-calls/names";
import type { PaymentFacts } from "../proof/facts";
import type { paymentSchema } from "../proof/proof-body";
import { priceList, releaseTime } from "../reads/models";
import { usageInKinds } from "../reads/receipt";
import type { ResponsesPrompt } from "../responses/body";
import { responsesWriter } from "../responses/writer";

type PaymentObject = z.infer<typeof paymentSchema>;

/** As a wallet signs it; its key belongs to nobody. */
const PROOF: PaymentObject = {
  from: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: 5,
  signature: `0x${"5b1d6e".repeat(21)}c41b`,
  timestamp: 1_795_516_267_412,
  requestId: "req_1041",
  network: "ethereum",
};

const paymentFacts: PaymentFacts = {
  id: "pay_0WAqXk3e5Hs9Qd2NfT8w" as PaymentId,
  scheme: "proof",
  network: "eip155:8453",
  payer: PROOF.from.toLowerCase(),
  nonce: PROOF.requestId,
  amount: fromCents(PROOF.amount),
  transaction: "0x9f0c1d2e3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
  changeBelongsTo: "account",
};

/** A well-formed id that names no request. */
export const EXAMPLE_REQUEST_ID = "req_0WAqXk3e7Tz0Lm5RbV2c" as RequestId;

/**
 * The prompt of every example, and its answer as a stream delivers it. A test holds the counts to what the sandbox's models count, so that
 * a visitor of a sandbox who sends the prompt is charged for the same input.
 */
export const example = {
  prompt: "What is a nano-dollar?",
  pieces: ["One billionth", " of a dollar: $0.000000001."],
  tokens: { input: 10, output: 11, beforeTheBreak: 2 },
} as const;
const ANSWERED_AT = "2026-11-23T10:31:07.412Z";

/** The model that examples call. */
export const exampleModel = (): Model => defaultModel(listModels());

export interface Examples {
  model: Model;
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  /** USD, as JSON carries them. */
  cost: { inputCost: number; outputCost: number; totalCost: number };
  usageInKinds: object;
  costByKind: readonly object[];
  pricing: { inputPerToken: number; outputPerToken: number; currency: "USD" };
  priceVersion: string;
  messagesBody: { model: string; max_tokens: number; messages: readonly { role: string; content: string }[] };
  messagesAnswer: unknown;
  messagesEvents: string;
  /** When it was answered, ISO 8601. */
  at: string;
  promptBody: { model: string; prompt: string };
  promptAnswer: unknown;
  /** A signed payment, and the answer to a prompt that came with it. */
  proof: PaymentObject;
  promptPaid: unknown;
  promptPaidByX402: unknown;
  promptEvents: string;
  /** A stream that its provider cut off. */
  promptBroken: string;
  chatBody: { model: string; messages: readonly { role: string; content: string }[] };
  chatAnswer: unknown;
  chatEvents: string;
  responseBody: { model: string; input: string };
  responseAnswer: unknown;
  responseEvents: string;
}

const withoutReasoning: Pick<ResponsesPrompt, "accountId" | "toolNames" | "toolEcho" | "wantsEncrypted"> = {
  accountId: "" as AccountId, // only reasoning is sealed for an account
  toolNames: new ToolNames(),
  toolEcho: [],
  wantsEncrypted: false,
};

/** Examples with `model`. */
export function examplesOf(model: Model): Examples {
  const receipt = receiptOf(model);
  const request = exampleRequest();
  const { input, output } = example.tokens;
  const prompt: ChatPrompt = {
    model,
    messages: [{ role: "user", content: example.prompt }],
    maxOutputTokens: model.defaultMaxTokens,
    options: {},
    stream: true,
    maxCost: undefined,
    includeUsage: true,
    inputField: "messages",
  };
  const responseBody = { model: model.id, input: example.prompt };
  const [own, chat] = [promptWriter(request, prompt), chatWriter(request, prompt)];
  const response = () => responsesWriter(request, { ...prompt, ...withoutReasoning, body: responseBody });
  const pieces = example.pieces.map((text) => ({ type: "text" as const, text }));
  const stream = (writer: typeof own) => writer.opening() + pieces.map(writer.piece).join("") + writer.done(receipt);
  const messages = messagesWriter(request, { ...prompt, accountId: "acct_example" as AccountId });
  return {
    model,
    usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
    usageInKinds: usageInKinds(receipt.completion.usage),
    costByKind: costLines(model.prices, receipt.completion.usage).map(({ kind, tokens, price }) => ({
      kind,
      tokens,
      price: usdNumber(price),
      cost: usdNumber(BigInt(tokens) * price),
    })),
    cost: {
      inputCost: usdNumber(receipt.inputCost),
      outputCost: usdNumber(receipt.outputCost),
      totalCost: usdNumber(receipt.inputCost + receipt.outputCost),
    },
    pricing: { inputPerToken: usdNumber(model.prices[0].input), outputPerToken: usdNumber(model.prices[0].output), currency: "USD" },
    priceVersion: priceVersion(model),
    messagesBody: { model: model.id, max_tokens: model.defaultMaxTokens, messages: [{ role: "user", content: example.prompt }] },
    messagesAnswer: JSON.parse(messages.whole(receipt)),
    messagesEvents: stream(messages),
    at: ANSWERED_AT,
    promptBody: { model: model.id, prompt: example.prompt },
    promptAnswer: JSON.parse(own.whole(receipt)),
    proof: PROOF,
    promptPaid: JSON.parse(promptWriter(request, prompt, paymentFacts).whole(receipt)),
    promptPaidByX402: JSON.parse(
      promptWriter(request, prompt, { ...paymentFacts, scheme: "exact_evm", changeBelongsTo: "address" }).whole(receipt),
    ),
    promptEvents: stream(own),
    promptBroken: pieces.slice(0, 1).map(own.piece).join("") + own.failed(brokenOff(model)),
    chatBody: { model: model.id, messages: [{ role: "user", content: example.prompt }] },
    chatAnswer: JSON.parse(chat.whole(receipt)),
    chatEvents: stream(chat),
    responseBody,
    responseAnswer: JSON.parse(response().whole(receipt)),
    responseEvents: stream(response()),
  };
}

const usdNumber = (amount: bigint): number => Number(usdText(amount));

function receiptOf(model: Model, outputTokens: number = example.tokens.output): PricedCompletion {
  return {
    completion: {
      output: { text: example.pieces.join(""), toolCalls: [], reasoning: [], finish: "stop" },
      usage: { ...noTokens, inputTokens: example.tokens.input, outputTokens },
      outcome: "complete",
      estimated: false,
      provider: model.routes[0].provider,
      providerRequestId: null,
      firstTokenMs: null,
      providerMs: 640,
    },
    inputCost: nanoUsd(BigInt(example.tokens.input) * model.prices[0].input),
    outputCost: nanoUsd(BigInt(outputTokens) * model.prices[0].output),
  };
}

function brokenOff(model: Model): AppError {
  const { inputCost, outputCost } = receiptOf(model, example.tokens.beforeTheBreak);
  const cost = { inputCost, outputCost, totalCost: nanoUsd(inputCost + outputCost) };
  const message = `${model.id} stopped mid-answer. You were charged for the part you received`;
  return new AppError("INTERNAL_ERROR", { message, details: { reason: "provider_unavailable", retryable: true, cost } });
}

function exampleRequest(): GatewayRequest {
  const { signal } = new AbortController();
  const request = openRequest({
    method: "POST",
    path: "",
    query: "",
    headers: {},
    readBody: () => ({ text: "" }),
    remoteAddress: "",
    signal,
  });
  return Object.assign(request, { id: EXAMPLE_REQUEST_ID, arrivedAtMs: Date.parse(ANSWERED_AT) });
}

/** A model as GET /api/v1/models returns it. */
export const modelExample = (model: Model): object => ({
  id: model.id,
  object: "model",
  type: "model",
  display_name: model.id,
  max_input_tokens: model.contextWindow,
  max_tokens: model.maxOutputTokens,
  owned_by: model.routes[0].provider,
  description: model.description,
  outputModalities: ["text"],
  inputModalities: model.routes.every(takesImages) ? ["text", "image"] : ["text"],
  contextWindow: model.contextWindow,
  maxOutputTokens: model.maxOutputTokens,
  pricing: {
    inputPer1K: usdNumber(model.prices[0].input * 1_000n),
    outputPer1K: usdNumber(model.prices[0].output * 1_000n),
    currency: "USD",
  },
  prices: priceList(model.prices).map(({ per1M, ...listed }) => ({ ...listed, per1M: usdNumber(per1M) })),
  aliases: model.aliases,
  ...releaseTime(model),
  ...(model.retirement && { retiresOn: model.retirement.on, successor: model.retirement.successor }),
});
