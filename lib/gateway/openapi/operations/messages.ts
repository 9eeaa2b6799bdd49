// The operations in Anthropic's format.

import { listModels } from "@/lib/providers/catalogue";
import { errorAnswers, messagesErrorForm } from "../errors";
import type { Examples } from "../examples";
import { clipToBalance, idempotencyKey, jsonOf, needsKey, paymentProof, success } from "../operation";
import type { Operation } from "../types";

export const createMessage = ({ messagesBody, messagesAnswer, messagesEvents }: Examples): Operation => ({
  operationId: "createMessage",
  tags: ["Answers"],
  summary: "Create a message (Anthropic format)",
  description:
    "Anthropic's Messages API, with streaming, tools, thinking and cache_control, for every model. The `@anthropic-ai/sdk` package and Claude Code work with a different base URL and key; you can send the key as x-api-key. Fields not listed here are ignored. Tools that run at Anthropic are dropped and named in X-Dropped-Tools. Funds are reserved and charged as for a prompt; `usage` includes the cost.",
  security: needsKey,
  parameters: [idempotencyKey, clipToBalance, paymentProof],
  requestBody: {
    required: true,
    content: jsonOf("MessagesBody", {
      message: { summary: "A conversation", value: messagesBody },
      stream: { summary: "Streamed", value: { ...messagesBody, stream: true } },
      tools: { summary: "With a tool", value: { ...messagesBody, tools: [weatherTool] } },
    }),
  },
  responses: {
    "200": success(
      "The answer. With `stream: true`, Anthropic's server-sent events. If the provider fails midway, the stream ends with an `error` event.",
      {
        ...jsonOf("Message", { answer: { summary: "An answer", value: messagesAnswer } }),
        "text/event-stream": {
          schema: { type: "string", description: "Events. The data is a MessageEvent." },
          examples: { complete: { summary: "A complete stream", value: messagesEvents } },
        },
      },
      "Idempotent-Replayed",
      "X-Clipped-To",
      "X-Dropped-Tools",
      "Request-Id",
      "Server-Timing",
    ),
    ...errorAnswers(["key", "prompt", "upload"], messagesErrorForm),
  },
});

export const countMessageTokens = ({ messagesBody: { max_tokens: _, ...input } }: Examples): Operation => ({
  operationId: "countMessageTokens",
  tags: ["Answers"],
  summary: "Count a message's input tokens (Anthropic format)",
  description:
    "Free. Anthropic counts for its own models. For other models, the count is our estimate, marked with `estimated: true`; the provider may count differently. To get the maximum cost of a prompt, use POST /api/v1/quote.",
  security: needsKey,
  requestBody: {
    required: true,
    content: jsonOf("CountBody", { message: { summary: "A conversation", value: { ...input, model: countedModel() ?? input.model } } }),
  },
  responses: {
    "200": success(
      "The count.",
      jsonOf("TokenCount", {
        count: { summary: "A count by Anthropic", value: { input_tokens: 14 } },
        estimate: { summary: "An estimate", value: { input_tokens: 14, estimated: true } },
      }),
      "X-Dropped-Tools",
      "Request-Id",
    ),
    ...errorAnswers(["key", "model", "count", "upload"], messagesErrorForm),
  },
});

/** Only Anthropic counts exactly ahead. */
const countedModel = (): string | undefined => listModels().find(({ routes: [route] }) => route.provider === "anthropic")?.id;

const weatherTool = {
  name: "weather",
  description: "The weather of a city now.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
