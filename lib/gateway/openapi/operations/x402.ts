// The operation that x402's clients pay for directly: a prompt in our own format, without a key.

import type { Examples } from "../examples";
import { headersWith } from "../headers";
import { answersOf, jsonOf, needsNoKey, paymentSignature, success, x402Refusals } from "../operation";
import type { Answer, Operation } from "../types";

export const createX402Prompt = ({ promptBody, promptPaidByX402, promptEvents }: Examples): Operation => ({
  operationId: "createX402Prompt",
  tags: ["Answers"],
  summary: "Pay for one answer with a wallet, without an account",
  description:
    "The body of a prompt, paid by x402 version 2, scheme exact: the first answer is 402 with what to sign, and the same request with the payment is answered. What was paid beyond the cost is a credit of the paying address: it pays for later requests, and its owner claims it by signing in.",
  security: needsNoKey,
  parameters: [paymentSignature],
  requestBody: { required: true, content: jsonOf("PromptBody", { prompt: { summary: "A prompt", value: promptBody } }) },
  responses: withPaymentHeaders(
    answersOf(
      success(
        "The answer, its cost and its payment; with `stream: true` as server-sent events.",
        {
          ...jsonOf("PromptAnswer", { answer: { summary: "An answer", value: promptPaidByX402 } }),
          "text/event-stream": {
            schema: {
              type: "string",
              description: "Events. The data of delta is a PromptDelta, of done a PromptAnswer, of error an error.",
            },
            examples: { complete: { summary: "A whole stream", value: promptEvents } },
          },
        },
        "PAYMENT-RESPONSE",
        "Idempotent-Replayed",
        "Server-Timing",
      ),
      x402Refusals,
    ),
  ),
});

/** A refusal also carries x402's headers: what may be signed, and the outcome of a payment that was. */
function withPaymentHeaders(answers: Record<string, Answer>): Record<string, Answer> {
  const refused = answers["402"];
  return refused ? { ...answers, "402": { ...refused, headers: headersWith("PAYMENT-REQUIRED", "PAYMENT-RESPONSE") } } : answers;
}
