// The answer's x402 headers for a payer: what to sign, and the outcome of its payment. They are set on the request as soon as they are
// known, so every later answer carries them, errors included.

import { AppError } from "@/lib/base/errors";
import { log } from "@/lib/base/observe/log";
import { findClaim, type PaymentClaim, relayIdOf, type SettleFailure } from "@/lib/payments/claims/claim";
import type { PaymentRefusal } from "@/lib/payments/x402/network";
import { encodeHeader, type PaymentRequirements, type SettlementResponse } from "@/lib/payments/x402/wire";
import { findRelayed } from "@/lib/relay/relayed";
import type { GatewayRequest } from "../http/request";
import type { PaymentFacts } from "../proof/facts";
import { paymentRequired } from "./offers";
import { NANO_PER_UNIT } from "./price";

/** The 402 for a request that came without a payment. */
export function refuseUnpaid(request: GatewayRequest, accepts: readonly PaymentRequirements[], message: string): AppError {
  setRequirementsHeader(request, accepts, message);
  return new AppError("PAYMENT_REQUIRED", { message, details: { accepts: accepts.map((one) => ({ ...one })) } });
}

/** Sets the header that says what may be signed instead. */
export function setRequirementsHeader(request: GatewayRequest, accepts: readonly PaymentRequirements[], message: string): void {
  request.replyHeaders["payment-required"] = encodeHeader(paymentRequired(accepts, message));
}

const setSettlementHeader = (request: GatewayRequest, response: SettlementResponse): void => {
  request.replyHeaders["payment-response"] = encodeHeader(response);
};

/** Reports that a payment was refused before any request claimed it. */
export const setRefusalHeader = (request: GatewayRequest, { network, payer, refusal }: Refused): void =>
  setSettlementHeader(request, {
    ...{ success: false, errorReason: refusal.errorReason, errorMessage: refusal.message },
    ...{ payer, transaction: "", network },
  });

interface Refused {
  /** CAIP-2, as the payer named it. */
  network: string;
  payer: string | undefined;
  refusal: PaymentRefusal;
}

/** Reports that a payment is on the books; one that the payer's credit covered moved nothing. */
export const setPaidHeader = (request: GatewayRequest, { network, payer, amount, transaction }: PaymentFacts): void =>
  setSettlementHeader(request, { success: true, payer, transaction: transaction ?? "", network, amount: `${amount / NANO_PER_UNIT}` });

/** Reports the outcome of a claimed payment, as the books have it now. */
export async function setOutcomeHeader(
  request: GatewayRequest,
  { network, payer, nonce }: Pick<PaymentClaim, "network" | "payer" | "nonce">,
) {
  try {
    const claim = await findClaim(network, payer, nonce);
    if (claim) setSettlementHeader(request, await outcomeOf(claim));
  } catch (error) {
    // The answer itself matters more than this header.
    log().warn({ err: error, requestId: request.id }, "what became of a payment could not be told");
  }
}

async function outcomeOf(claim: PaymentClaim): Promise<SettlementResponse> {
  const { network, payer, state, amount, transaction } = claim;
  switch (state) {
    case "paid":
      return { success: true, payer, transaction: transaction ?? "", network, amount: `${amount / NANO_PER_UNIT}` };
    case "covered":
      return { success: true, payer, transaction: "", network, amount: "0" };
    case "claimed": {
      const [relayed] = claim.isRelayed ? await findRelayed([relayIdOf(claim)]) : [];
      const hash = transaction ?? relayed?.hash ?? "";
      return { success: false, errorReason: "settlement_pending", errorMessage: pending, payer, transaction: hash, network };
    }
    case "failed":
    case "reversed":
      return {
        success: false,
        errorReason: reasonOf(claim),
        errorMessage: claim.failureMessage ?? undefined,
        payer,
        transaction: "",
        network,
      };
  }
}

const pending = "Send the same payment and the same request again: you never pay twice";

const words: Readonly<Record<SettleFailure, string>> = {
  expired: "payload_authorization_valid_before",
  allowance_too_low: "insufficient_allowance",
  wallet_balance_too_low: "insufficient_balance",
  settlement_failed: "transaction_failed",
  bad_signature: "signature",
};

function reasonOf({ scheme, failure }: PaymentClaim): string {
  if (failure === "wallet_balance_too_low") return "insufficient_funds";
  return `invalid_${scheme}_${words[failure ?? "settlement_failed"]}`;
}
