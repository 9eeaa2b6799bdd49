// The operation that x402's clients pay for directly: a prompt in our own format, without a key.

import type { Examples } from "../examples";
import { headersWith } from "../headers";
import { answersOf, jsonOf, needsNoKey, paymentSignature, signInWithX, success } from "../operation";
import type { Answer, Operation } from "../types";

export const createX402Prompt = ({ promptBody, promptPaidByX402, promptEvents }: Examples): Operation => ({
  operationId: "createX402Prompt",
  tags: ["Answers"],
  summary: "Send a prompt and pay with x402",
  description:
    "Takes the same body as a prompt and needs no account or API key. Supports x402 version 2, scheme exact: without a payment, the response is 402 with the payment requirements, even if the body is invalid; a request that could cost more than 1 USD or maxCost gets 400. Send the same request again with the payment. Anything you pay above the cost becomes a credit of the paying address. The credit pays for later requests, including those with a signed message instead of a payment (sign-in-with-x). To claim it, sign in with that wallet.",
  security: needsNoKey,
  parameters: [paymentSignature, signInWithX],
  requestBody: { required: true, content: jsonOf("PromptBody", { prompt: { summary: "A prompt", value: promptBody } }) },
  responses: withPaymentHeaders(
    answersOf(
      success(
        "The answer, its cost and its payment. With `stream: true`, as server-sent events.",
        {
          ...jsonOf("PromptAnswer", { answer: { summary: "An answer", value: promptPaidByX402 } }),
          "text/event-stream": {
            schema: {
              type: "string",
              description: "Server-sent events. delta carries a PromptDelta, done a PromptAnswer, error an error body.",
            },
            examples: { complete: { summary: "A complete stream", value: promptEvents } },
          },
        },
        "PAYMENT-RESPONSE",
        "X-Clipped-To",
        "Idempotent-Replayed",
        "Server-Timing",
      ),
      "x402",
    ),
  ),
});

/** A refusal also carries x402's headers: the terms to sign, and the outcome of a signed payment. */
function withPaymentHeaders(answers: Record<string, Answer>): Record<string, Answer> {
  const refused = answers["402"];
  return refused ? { ...answers, "402": { ...refused, headers: headersWith("PAYMENT-REQUIRED", "PAYMENT-RESPONSE") } } : answers;
}
