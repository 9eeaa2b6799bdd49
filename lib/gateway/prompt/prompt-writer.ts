// Answers of POST /api/v1/prompt: the body of the specification, field by field and in its order, whole or as server-sent events.

import { writeJson } from "@/lib/base/json";
import { nanoUsd, usdText } from "@/lib/base/money";
import { errorBody } from "../http/endpoint";
import type { GatewayRequest } from "../http/request";
import type { PaymentFacts } from "../proof/facts";
import { paymentBody } from "../proof/payment-body";
import type { Prompt } from "./prompt-body";
import { type ReplyWriter, writeEvent } from "./reply-writer";
import type { ChargeReceipt } from "./settlement";

/** Writes answers to `request`. No tool can be named in a prompt, so its pieces are all text. */
export function promptWriter(request: GatewayRequest, { model }: Prompt, payment: PaymentFacts | null = null): ReplyWriter {
  const whole = ({ completion, inputCost, outputCost }: ChargeReceipt): string => {
    const { inputTokens, outputTokens } = completion.usage;
    const paid = payment === null ? "" : `,"payment":${writeJson(paymentBody(payment, nanoUsd(inputCost + outputCost)))}`;
    return (
      `{"success":true,"text":${JSON.stringify(completion.output.text)},"model":${JSON.stringify(model.id)},` +
      `"usage":{"inputTokens":${inputTokens},"outputTokens":${outputTokens},"totalTokens":${inputTokens + outputTokens}},` +
      `"cost":{"inputCost":${usdText(inputCost)},"outputCost":${usdText(outputCost)},"totalCost":${usdText(inputCost + outputCost)}},` +
      `"requestId":"${request.id}"${paid}}`
    );
  };
  return {
    whole,
    opening: () => "",
    piece: (piece) => (piece.type === "text" ? writeEvent("delta", JSON.stringify({ text: piece.text })) : ""),
    done: (receipt) => writeEvent("done", whole(receipt)),
    failed: (error) => writeEvent("error", errorBody(error, request.id)),
  };
}
