// GET /api/v1/requests/{requestId}: the receipt of one request, or its hold while it is under way.

import { AppError } from "@/lib/base/errors";
import { writeJson } from "@/lib/base/json";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { countsOf, type TokenCounts, tokenKinds } from "@/lib/base/tokens/token-kinds";
import type { WhenLeft } from "@/lib/base/when-left";
import type { ChargeReceipt } from "@/lib/ledger/receipt";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import { findPaidReceipt, type RequestPayment } from "@/lib/payments/claims/request-payment";
import { findModel } from "@/lib/providers/catalogue";
import { whenLeft } from "@/lib/providers/cut-calls/read-on";
import { costLines, type PriceTier, tierAt } from "@/lib/providers/prices";
import { authenticateReader, limit } from "../http/caller";
import { endpoint, jsonReply } from "../http/endpoint";
import { type ChargeReceipt as ChargeAnswer, type Receipt, charged as schema } from "../openapi/answers/account";
import { type PricePerToken, pickFields } from "../openapi/answers/fields";
import { paymentBody } from "../proof/payment-body";

export const receipt = endpoint("receipt", async (request) => {
  const caller = await authenticateReader(request);
  await limit(request, caller);
  const requestId = request.path.slice(request.path.lastIndexOf("/") + 1);
  const found = await findPaidReceipt(caller.accountId, requestId);
  // The same answer for a malformed, an unknown, another account's and another key's id: it must not reveal which ids exist.
  if (!found || !(caller.scopes.includes("account") || found.keyId === caller.keyId))
    throw new AppError("NOT_FOUND", { message: "This request does not exist, or it failed and was not charged" });
  const { receipt, keyId, payment } = found;
  const body: Receipt = receipt.state === "charged" ? chargedBody(requestId, { ...receipt, keyId }, payment) : { requestId, ...receipt };
  return jsonReply(request, 200, writeJson(body));
});

const chargedBody = (requestId: string, charge: ChargeReceipt, payment: RequestPayment | null) =>
  pickFields(schema, {
    ...charge,
    ...amountsOf(charge),
    requestId,
    pricing: pricePerToken(tierAt(charge.prices, charge.inputTokens)),
    costByKind: costLines(charge.prices, charge).map((line) => ({ ...line, cost: nanoUsd(BigInt(line.tokens) * line.price) })),
    outcome: outcomeOf(charge),
    whenLeft: whenLeftOf(charge.model),
    payment: payment && paidWith(payment, charge),
  });

/** The ledger writes no other. */
export const outcomeOf = ({ outcome }: { outcome: string }) => outcome as ChargeAnswer["outcome"];

/** The tokens of a charge, or of several, and their cost. */
export const amountsOf = ({ inputCost, outputCost, ...tokens }: TokenCounts & Pick<ChargeReceipt, "inputCost" | "outputCost">) => ({
  usage: usageInKinds(tokens),
  cost: { inputCost, outputCost, totalCost: nanoUsd(inputCost + outputCost) },
});

/** The counts of a charge, with the kinds of its input and output. */
export function usageInKinds(charge: TokenCounts) {
  const { inputTokens, outputTokens } = charge;
  const sides = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  // The sides stand first, then their parts.
  const counts = countsOf((kind) => charge[tokenKinds[kind].count]);
  return Object.assign(sides, counts);
}

function paidWith(payment: RequestPayment, { inputCost, outputCost }: ChargeReceipt): ChargeAnswer["payment"] {
  const { scheme, network, payer, state, creditedAccount } = payment;
  const changeBelongsTo = creditedAccount === creditAccountOf(network, payer) ? "address" : "account";
  const facts = { ...payment, amount: state === "covered" ? ZERO_USD : payment.amount, changeBelongsTo } as const;
  return { scheme: scheme === "proof" ? "proof" : "exact", ...paymentBody(facts, nanoUsd(inputCost + outputCost)) };
}

/** Prices as receipts and quotes show them, in USD. */
export const pricePerToken = ({ input, output }: Pick<PriceTier, "input" | "output">): PricePerToken => ({
  inputPerToken: input,
  outputPerToken: output,
  currency: "USD",
});

/**
 * The end of a stream of this model whose client leaves, if the request asks for nothing that changes it; null for a model that is no
 * longer in the catalogue.
 */
function whenLeftOf(modelId: string): WhenLeft | null {
  const model = findModel(modelId);
  return model ? whenLeft(model, { messages: [], maxOutputTokens: model.defaultMaxTokens, stream: true }) : null;
}
