// Who pays for a request: the payment that came with it, or without one the caller's balance.

import type { Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import { type PlacedHold, placeFromBalance } from "../prompt/hold";
import type { Prompt } from "../prompt/prompt-body";
import type { Quote } from "../prompt/quote";
import { placeFromProof } from "./proof";
import { readProofHeader } from "./proof-body";
import { paymentRefused } from "./refusal";

/** Sets the quote's ceiling aside. Without a payment this costs nothing beyond what a hold does. @throws AppError */
export function placeMoney(request: GatewayRequest, caller: Caller, prompt: Prompt, quote: Quote): Promise<PlacedHold> {
  const header = request.headers["payment-proof"];
  if (header === undefined && prompt.payment === undefined) return placeFromBalance(request, caller, prompt, quote);
  return placeFromProof(request, caller, quote, () => givenPayment(prompt, header));
}

function givenPayment({ payment }: Prompt, header: string | undefined): unknown {
  if (header === undefined) return payment;
  if (payment !== undefined) throw paymentRefused("malformed", "Payment-Proof: send it, or payment in the body, and not both");
  return readProofHeader(header);
}
