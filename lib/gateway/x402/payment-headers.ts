// The answer's x402 headers for a payer: what to sign, and the outcome of its payment. They are set on the request as soon as they are
// known, so every later answer carries them, errors included.

import { AppError } from "@/lib/base/errors";
import { log } from "@/lib/base/observe/log";
import type { SettleFailure } from "@/lib/chains/payment-failure";
import { findClaim, type PaymentClaim, relayIdOf } from "@/lib/payments/claims/claim";
import type { PaymentRefusal, Price } from "@/lib/payments/x402/network";
import { encodeHeader, type PaymentRequirements, type SettlementResponse, X402_VERSION } from "@/lib/payments/x402/wire";
import { findRelayed } from "@/lib/relay/relayed";
import type { GatewayRequest } from "../http/request";
import type { PaymentFacts } from "../proof/facts";
import { paymentRefused } from "../proof/refusal";
import { extensionsOf } from "./extensions";
import { listRequirements, resource } from "./offers";
import { NANO_PER_UNIT } from "./price";

/** The 402 for a request without a payment that pays for it. */
export async function refuseUnpaid(request: GatewayRequest, price: Price, message: string): Promise<AppError> {
  const accepts = await offer(request, price, message);
  if (accepts.length === 0)
    return paymentRefused("network_unsupported", "No network is available for payments right now. Pay from a balance at /api/v1/prompt");
  return new AppError("PAYMENT_REQUIRED", { message, details: { accepts: accepts.map((one) => ({ ...one })) } });
}

/** Sets the header that says what may be signed, and returns the offers in it; without any there is no header. */
export async function offer(request: GatewayRequest, price: Price, message: string): Promise<PaymentRequirements[]> {
  const accepts = await listRequirements(price);
  const required = { x402Version: X402_VERSION, error: message, resource: resource(), accepts, extensions: extensionsOf(price) } as const;
  if (accepts.length > 0) request.replyHeaders["payment-required"] = encodeHeader(required);
  return accepts;
}

/** The 402 for a payment that was refused before any request claimed it. */
export async function refusePayment(request: GatewayRequest, price: Price, { refusal, network, payer }: Refused): Promise<AppError> {
  const accepts = await offer(request, price, refusal.message);
  setSettlementHeader(request, {
    success: false,
    errorReason: refusal.errorReason,
    errorMessage: refusal.message,
    payer,
    transaction: "",
    network: network ?? accepts[0]?.network ?? "",
  });
  return paymentRefused(refusal.reason, refusal.message);
}

interface Refused {
  refusal: PaymentRefusal;
  /** CAIP-2, as the payer named it. */
  network: string | undefined;
  payer: string | undefined;
}

const setSettlementHeader = (request: GatewayRequest, response: SettlementResponse): void => {
  request.replyHeaders["payment-response"] = encodeHeader(response);
};

/** Reports that a payment is on the books; a payment that the payer's credit covered moved nothing. */
export const setPaidHeader = (request: GatewayRequest, { network, payer, amount, transaction }: PaymentFacts): void =>
  setSettlementHeader(request, { success: true, payer, transaction: transaction ?? "", network, amount: `${amount / NANO_PER_UNIT}` });

/** Reports that the payer's credit paid, without any payment. */
export const setCoveredHeader = (request: GatewayRequest, { network, payer }: Pick<PaymentFacts, "network" | "payer">): void =>
  setSettlementHeader(request, { success: true, payer, transaction: "", network, amount: "0" });

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
