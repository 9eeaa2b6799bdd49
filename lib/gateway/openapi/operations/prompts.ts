// The operations that sell answers, in our own format and in OpenAI's.

import { chatErrorForm, errorAnswers } from "../errors";
import type { Examples } from "../examples";
import { answersOf, clipToBalance, idempotencyKey, jsonOf, needsKey, paymentProof, success } from "../operation";
import type { Operation } from "../types";

export const createPrompt = ({ promptBody, promptAnswer, promptEvents, promptBroken, promptPaid, proof }: Examples): Operation => ({
  operationId: "createPrompt",
  tags: ["Answers"],
  summary: "Send a prompt",
  description:
    "The maximum cost is reserved before the model is called. The exact cost is charged before you get the end of the answer, and the rest is released. A request that fails before its first token costs nothing. Unknown fields are rejected.",
  security: needsKey,
  parameters: [idempotencyKey, clipToBalance, paymentProof],
  requestBody: {
    required: true,
    content: jsonOf("PromptBody", {
      prompt: { summary: "A prompt", value: promptBody },
      stream: { summary: "Streamed", value: { ...promptBody, stream: true } },
      limits: {
        summary: "With limits",
        value: { ...promptBody, system: "Answer in one sentence.", maxTokens: 100, maxCost: 0.05 },
      },
      payment: { summary: "Paid with a signed payment", value: { ...promptBody, payment: proof } },
    }),
  },
  responses: answersOf(
    success(
      "The answer and its cost. With `stream: true`, server-sent events: `delta` with the next piece, then `done` with the full answer, or `error` with an error body. If the provider fails midway, you pay for what was delivered, and the `error` event says how much. Comment lines keep the connection alive.",
      {
        ...jsonOf("PromptAnswer", {
          answer: { summary: "An answer", value: promptAnswer },
          paid: { summary: "An answer paid with a signed payment", value: promptPaid },
        }),
        "text/event-stream": {
          schema: {
            type: "string",
            description: "Server-sent events. delta carries a PromptDelta, done a PromptAnswer, error an error body.",
          },
          examples: {
            complete: { summary: "A complete stream", value: promptEvents },
            broken: { summary: "An interrupted stream", value: promptBroken },
          },
        },
      },
      "Idempotent-Replayed",
      "X-Clipped-To",
      "Server-Timing",
    ),
    "key",
    "prompt",
  ),
});

export const quotePrompt = ({ model, promptBody, usage, cost, pricing, priceVersion }: Examples): Operation => ({
  operationId: "quotePrompt",
  tags: ["Answers"],
  summary: "Get a prompt's maximum cost",
  description:
    "Takes the same body as a prompt and returns its maximum cost, whether your balance covers it, the output limit that clipToBalance would set, and what you pay if you close the stream early. No model is called, and nothing is reserved or charged.",
  security: needsKey,
  requestBody: { required: true, content: jsonOf("PromptBody", { prompt: { summary: "A prompt", value: promptBody } }) },
  responses: answersOf(
    success(
      "The quote.",
      jsonOf("Quote", {
        quote: {
          summary: "A prompt your balance covers",
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
            whenLeft: "cut",
          },
        },
      }),
    ),
    "key",
    "model",
  ),
});

export const createChatCompletion = ({ chatBody, chatAnswer, chatEvents }: Examples): Operation => ({
  operationId: "createChatCompletion",
  tags: ["Answers"],
  summary: "Create a chat completion (OpenAI format)",
  description:
    "OpenAI's chat completions, with streaming and function calls. The `openai` package works with a different `baseURL` and key. Fields that would change the answer but are not supported, such as `logprobs` and `audio`, are rejected; other fields that are not listed here are ignored. Funds are reserved and charged as for a prompt; `usage` includes the cost.",
  security: needsKey,
  parameters: [idempotencyKey, clipToBalance, paymentProof],
  requestBody: {
    required: true,
    content: jsonOf("ChatBody", {
      chat: { summary: "A conversation", value: chatBody },
      stream: { summary: "Streamed", value: { ...chatBody, stream: true, stream_options: { include_usage: true } } },
      tools: { summary: "With a function", value: { ...chatBody, tools: [weatherTool] } },
    }),
  },
  responses: {
    "200": success(
      "The answer. With `stream: true`, server-sent events with one chunk each, then `[DONE]`. If the provider fails midway, the stream ends with an error event.",
      {
        ...jsonOf("ChatCompletion", { answer: { summary: "An answer", value: chatAnswer } }),
        "text/event-stream": {
          schema: { type: "string", description: "Server-sent events. Each carries a ChatCompletionChunk, a ChatError, or [DONE]." },
          examples: { complete: { summary: "A complete stream with usage", value: chatEvents } },
        },
      },
      "Idempotent-Replayed",
      "X-Clipped-To",
      "Server-Timing",
    ),
    ...errorAnswers(["key", "prompt", "upload"], chatErrorForm),
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
