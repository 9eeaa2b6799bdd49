// POST /api/v1/x402/prompt: the same as POST /api/v1/prompt, for clients with a wallet and no account. x402's own clients pay
// automatically.

import { networkOf } from "@/lib/access/client-address";
import { config } from "@/lib/base/config";
import { isAppError } from "@/lib/base/errors";
import { addressOf, type Buyer } from "../http/caller";
import { endpoint } from "../http/endpoint";
import { type GatewayRequest, invalidRequest } from "../http/request";
import { runPrompt } from "../prompt/pipeline";
import { type Prompt, promptWriter, readPrompt } from "../prompt/prompt-body";
import { smallestPrompt } from "../prompt/quote";
import { placeFromX402 } from "./place";
import { SIGN_IN } from "./sign-in";

export const x402Prompt = endpoint("x402/prompt", (request) =>
  runPrompt(request, { identify: identifyClient, read: readOffered, place: placeFromX402, write: promptWriter }),
);

/**
 * Without a payment the price comes before the body is judged: indexers probe with an empty body. A body that cannot be read is priced as
 * the smallest prompt; its payer is told the problem before any money moves.
 * @throws AppError INVALID_REQUEST, INVALID_MODEL with a payment; INVALID_REQUEST for a body that did not arrive whole
 */
async function readOffered(request: GatewayRequest, buyer: Buyer): Promise<Prompt> {
  const { headers, bodyProblem } = request;
  const isPaid = headers["payment-signature"] !== undefined || headers[SIGN_IN] !== undefined;
  try {
    const prompt = await readPrompt(request, buyer);
    if (prompt.payment === undefined) return prompt;
    const message = "is only for signed payments at /api/v1/prompt. Here, send the payment in the header PAYMENT-SIGNATURE";
    throw invalidRequest([{ path: "payment", message }]);
  } catch (error) {
    if (isPaid || bodyProblem !== undefined || !isAppError(error)) throw error;
    return smallestPrompt();
  }
}

/**
 * Limits are counted for the address of the client, which has no account. It may send as many requests a minute as an account, and more at
 * the same time: many agents may share an address.
 */
async function identifyClient(request: GatewayRequest): Promise<Buyer> {
  const { RATE_LIMIT_PER_MINUTE: ratePerMinute, X402_CONCURRENCY_LIMIT: concurrency } = config();
  return {
    limitedAs: `x402 of ${networkOf(addressOf(request))}`,
    limits: { ratePerMinute, concurrency },
    allowedModels: null,
    clipMinTokens: null,
  };
}
