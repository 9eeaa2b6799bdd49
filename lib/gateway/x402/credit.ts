// A request whose wallet signed in: its credit pays, and no money is signed. The nonce of its text is claimed in the commit of the hold, as an
// Idempotency-Key is: of any number of requests with one text one is answered, and the others get its answer. A request that failed and
// cost nothing gives it back.

import { formatUsd } from "@/lib/base/money";
import { verifySignature } from "@/lib/chains/verify-signature";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import type { Price } from "@/lib/payments/x402/network";
import type { GatewayRequest } from "../http/request";
import { holdRefused, type PlacedHold, placeFitting } from "../prompt/hold";
import type { Prompt } from "../prompt/prompt-body";
import type { Quote } from "../prompt/quote";
import { chainUnavailable } from "../proof/refusal";
import { refusePayment, refuseUnpaid, setCoveredHeader } from "./payment-headers";
import { readSignIn, SIGN_IN, type SignedIn } from "./sign-in";

interface Asked {
  prompt: Prompt;
  quote: Quote;
  price: Price;
}

/**
 * Sets the quote's ceiling aside from the credit of the wallet that signed in with `header`.
 * @throws AppError PAYMENT_VERIFICATION_FAILED, PAYMENT_REQUIRED when the credit is too low, SETTLEMENT_PENDING, REQUEST_IN_PROGRESS
 */
export async function placeFromCredit(
  request: GatewayRequest,
  header: string,
  { prompt, quote: wanted, price }: Asked,
): Promise<PlacedHold> {
  const read = readSignIn(header, price);
  if (read.kind === "refused") throw await refusePayment(request, price, { refusal: read.refusal, network: undefined, payer: undefined });
  const { signedIn } = read;
  await checkSignature(request, signedIn, price);
  const { network, nonce, wallet } = signedIn;
  const accountId = creditAccountOf(network, wallet.address);
  const claim = { key: `${SIGN_IN} ${nonce}`, bodyHash: Buffer.from(price.bodyHash, "hex") };
  const about = { requestId: request.id, accountId, keyId: null, model: wanted.model.id, claim, paidBy: "x402" } as const;
  const { decision, hold, quote } = await placeFitting(about, wanted, prompt.minOutputTokens);
  switch (decision.outcome) {
    case "held":
      setCoveredHeader(request, { network, payer: wallet.address });
      return { kind: "held", hold, quote, payment: null };
    case "replay":
      setCoveredHeader(request, { network, payer: wallet.address });
      return { kind: "replay", accountId, key: claim.key };
    case "insufficient":
      throw await refuseUnpaid(
        request,
        price,
        `The credit of ${wallet.address} is ${formatUsd(decision.available)}, and this request can cost ${formatUsd(wanted.ceiling)}. Pay with x402 instead`,
      );
    default:
      throw holdRefused(decision, { forget: () => undefined }, wanted);
  }
}

async function checkSignature(request: GatewayRequest, { wallet, network, text, signature }: SignedIn, price: Price): Promise<void> {
  const verdict = await verifySignature(wallet, text, signature);
  if (verdict === "unavailable") throw chainUnavailable();
  if (verdict === "valid") return;
  const message = `${SIGN_IN}: the signature is not ${wallet.address}'s signature of the message that was issued for this request`;
  const refusal = { reason: "bad_signature", errorReason: "invalid_siwx_signature", message } as const;
  throw await refusePayment(request, price, { refusal, network, payer: wallet.address });
}
