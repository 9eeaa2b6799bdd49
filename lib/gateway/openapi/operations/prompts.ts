// The operations that sell answers, in our own format and in OpenAI's.

import { chatErrorForm, errorAnswers } from "../errors";
import type { Examples } from "../examples";
import {
  answersOf,
  clipToBalance,
  idempotencyKey,
  jsonOf,
  keyedRefusals,
  needsKey,
  paidRefusals,
  paymentProof,
  success,
} from "../operation";
import type { Operation } from "../types";

export const createPrompt = ({ promptBody, promptAnswer, promptEvents, promptBroken, promptPaid, proof }: Examples): Operation => ({
  operationId: "createPrompt",
  tags: ["Answers"],
  summary: "Send a prompt, get the answer",
  description:
    "The most that the answer can cost is held before the model is called; the exact cost is charged before the answer is sent, and the rest of the hold is free again. What fails before the first token costs nothing. An unknown field is refused.",
  security: needsKey,
  parameters: [idempotencyKey, clipToBalance, paymentProof],
  requestBody: {
    required: true,
    content: jsonOf("PromptBody", {
      prompt: { summary: "A prompt", value: promptBody },
      stream: { summary: "The same as a stream", value: { ...promptBody, stream: true } },
      limits: {
        summary: "With limits of its own",
        value: { ...promptBody, system: "Answer in one sentence.", maxTokens: 100, maxCost: 0.05 },
      },
      payment: { summary: "Paid by a wallet that signed for it", value: { ...promptBody, payment: proof } },
    }),
  },
  responses: answersOf(
    success(
      "The answer and its cost. With `stream: true` it comes as server-sent events: `delta` with the next piece, then `done` with the whole answer, or `error` with an error's body. What broke off is charged as far as it was delivered, and the event says how much. Comment lines keep a quiet connection alive.",
      {
        ...jsonOf("PromptAnswer", {
          answer: { summary: "An answer", value: promptAnswer },
          paid: { summary: "An answer that a signed payment paid for", value: promptPaid },
        }),
        "text/event-stream": {
          schema: { type: "string", description: "Events. The data of delta is a PromptDelta, of done a PromptAnswer, of error an error." },
          examples: {
            complete: { summary: "A whole stream", value: promptEvents },
            broken: { summary: "A stream that broke off", value: promptBroken },
          },
        },
      },
      "Idempotent-Replayed",
      "X-Clipped-To",
      "Server-Timing",
    ),
    paidRefusals,
  ),
});

export const quotePrompt = ({ model, promptBody, usage, cost, pricing, priceVersion }: Examples): Operation => ({
  operationId: "quotePrompt",
  tags: ["Answers"],
  summary: "Ask what a prompt may cost",
  description:
    "Takes the body of a prompt and says the most that it can cost, and whether the balance covers it, and what a clip would make of it. No model is asked, nothing is held and nothing is charged.",
  security: needsKey,
  requestBody: { required: true, content: jsonOf("PromptBody", { prompt: { summary: "A prompt", value: promptBody } }) },
  responses: answersOf(
    success(
      "The quote.",
      jsonOf("Quote", {
        quote: {
          summary: "A prompt that the balance covers",
          value: {
            model: model.id,
            inputTokens: usage.inputTokens,
            maxOutputTokens: usage.outputTokens,
            maxReasoningTokens: 0,
            ceiling: cost.totalCost,
            expected: cost.totalCost,
            available: 25,
            covered: true,
            paymentCents: 1,
            affordableMaxTokens: model.maxOutputTokens,
            capLeft: null,
            clippedTo: usage.outputTokens,
            withinMaxCost: true,
            priceVersion,
            pricing,
          },
        },
      }),
    ),
    ["INVALID_MODEL", ...keyedRefusals],
  ),
});

export const createChatCompletion = ({ chatBody, chatAnswer, chatEvents }: Examples): Operation => ({
  operationId: "createChatCompletion",
  tags: ["Answers"],
  summary: "The same in OpenAI's words",
  description:
    "OpenAI's own chat completions, streams and function calls included: the `openai` package works with its `baseURL` and key changed. Fields that are not listed are ignored. Money is held and charged as for a prompt; `usage` says the cost.",
  security: needsKey,
  parameters: [idempotencyKey, clipToBalance, paymentProof],
  requestBody: {
    required: true,
    content: jsonOf("ChatBody", {
      chat: { summary: "A conversation", value: chatBody },
      stream: { summary: "The same as a stream", value: { ...chatBody, stream: true, stream_options: { include_usage: true } } },
      tools: { summary: "With a function of yours", value: { ...chatBody, tools: [weatherTool] } },
    }),
  },
  responses: {
    "200": success(
      "The answer. With `stream: true` it comes as server-sent events whose data are chunks, and `[DONE]` at the end; an event whose data is an error ends a stream that broke off.",
      {
        ...jsonOf("ChatCompletion", { answer: { summary: "An answer", value: chatAnswer } }),
        "text/event-stream": {
          schema: { type: "string", description: "Events. Their data is a ChatCompletionChunk, a ChatError, or [DONE]." },
          examples: { complete: { summary: "A whole stream with usage", value: chatEvents } },
        },
      },
      "Idempotent-Replayed",
      "X-Clipped-To",
      "Server-Timing",
    ),
    ...errorAnswers([...paidRefusals, "SERVICE_BUSY"], chatErrorForm),
  },
});

const weatherTool = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather of a city now.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
