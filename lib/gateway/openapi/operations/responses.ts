// The operation that sells answers in the format of OpenAI's Responses.

import { chatErrorForm, errorAnswers } from "../errors";
import type { Examples } from "../examples";
import { clipToBalance, idempotencyKey, jsonOf, needsKey, paymentProof, success } from "../operation";
import type { Operation } from "../types";

export const createResponse = ({ responseBody, responseAnswer, responseEvents }: Examples): Operation => ({
  operationId: "createResponse",
  tags: ["Answers"],
  summary: "Create a response (OpenAI format)",
  description:
    "OpenAI's Responses API, stateless: send the whole conversation in `input` with each request. Works with Codex and the `openai` package. Function and custom tools work with every model; tools that OpenAI hosts are dropped, and a request that forces one is rejected. Fields that need stored responses, such as `previous_response_id`, are rejected. `compaction_trigger` at the end of `input` compacts the conversation into one `compaction` item, charged like any answer. Funds are reserved and charged as for a prompt; `usage` includes the cost.",
  security: needsKey,
  parameters: [idempotencyKey, clipToBalance, paymentProof],
  requestBody: {
    required: true,
    content: jsonOf("ResponseBody", {
      text: { summary: "A text", value: responseBody },
      stream: { summary: "Streamed", value: { ...responseBody, stream: true } },
      tools: { summary: "With a function and a custom tool", value: { ...responseBody, tools } },
      compaction: {
        summary: "A summary in place of the conversation",
        value: { ...responseBody, input: [{ type: "message", role: "user", content: responseBody.input }, { type: "compaction_trigger" }] },
      },
      reasoning: {
        summary: "With reasoning to send back next time",
        value: { ...responseBody, reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] },
      },
    }),
  },
  responses: {
    "200": success(
      "The answer. With `stream: true`, server-sent events with sequence numbers. The last one is `response.completed`, `response.incomplete` or `response.failed`. If Codex streams a prompt that is too long, it gets `response.failed` with the code `context_length_exceeded` instead of a 400.",
      {
        ...jsonOf("Response", { answer: { summary: "An answer", value: responseAnswer } }),
        "text/event-stream": {
          schema: { type: "string", description: "Server-sent events. Each carries a ResponseEvent." },
          examples: { complete: { summary: "A complete stream", value: responseEvents } },
        },
      },
      "Idempotent-Replayed",
      "X-Clipped-To",
      "X-Dropped-Tools",
      "Server-Timing",
    ),
    ...errorAnswers(["key", "prompt", "upload"], chatErrorForm),
  },
});

const tools = [
  {
    type: "function",
    name: "weather",
    description: "The current weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  { type: "custom", name: "shell", description: "Runs a command." },
];
