// A payment of x402 on its way to a hold: asked for, read, held against what was asked for, verified, and then settled as every other
// payment is. Nothing moves before all of that is done, and the model is called only after the money is on the books.

import { isDeepStrictEqual } from "node:util";
import { type AppError, isAppError } from "@/lib/base/errors";
import { fromUsdcUnits } from "@/lib/base/money";
import { findClaim, isTaken, type PaymentClaim } from "@/lib/payments/claim";
import type { PaymentRefusal, Price, ReadPayment, SignedPayment, X402Network } from "@/lib/payments/x402/network";
import { type PaymentPayload, type PaymentRequirements, readPaymentHeader } from "@/lib/payments/x402/wire";
import { isCustodialOnBase } from "@/lib/wallets/custodial-wallet";
import type { Buyer } from "../caller";
import type { PlacedHold } from "../hold";
import { invalidRequest } from "../invalid-request";
import { payAndHold } from "../pay/pay-and-hold";
import { chainUnavailable, paymentRefused } from "../pay/refusal";
import type { Prompt } from "../prompt-body";
import type { Quote } from "../quote";
import type { GatewayRequest } from "../request";
import { findOffer, listRequirements, type Offer, resource } from "./offers";
import { readPrice } from "./price";
import { askForPayment, tellOutcome, tellPaid, tellRefusal, tellRequirements } from "./told";

/** Takes the payment in PAYMENT-SIGNATURE, or asks for one. @throws AppError PAYMENT_REQUIRED, and as payAndHold */
export async function placeFromX402(request: GatewayRequest, _buyer: Buyer, prompt: Prompt, quote: Quote): Promise<PlacedHold> {
  if (prompt.payment !== undefined) {
    const message = "is for signed proofs at /api/v1/prompt; here a payment comes in the header PAYMENT-SIGNATURE";
    throw invalidRequest([{ path: "payment", message }]);
  }
  const price = readPrice(request, quote);
  const header = request.headers["payment-signature"];
  if (header === undefined) throw await unpaid(request, price);
  const payload = readPaymentHeader(header);
  const refuse = (refusal: PaymentRefusal, payer?: string) =>
    refused(request, price, { refusal, network: payload?.accepted.network, payer });
  if (payload === null) throw await refuse(unreadable);
  const offer = await findOffer(payload.accepted, price);
  if (offer === null) throw await refuse(unsupported(payload));
  const read = readPayment(payload, offer);
  if (read.kind === "refused") throw await refuse(offer.isClosed ? unsupported(payload) : read.refusal);
  const { payment } = read;
  const refusal = await checkPayment(payment, offer, price);
  if (refusal) throw await refuse(refusal === "closed" ? unsupported(payload) : refusal, payment.payer);
  return settle({ request, quote, price, payment, network: offer.network });
}

async function unpaid(request: GatewayRequest, price: Price): Promise<AppError> {
  const accepts = await listRequirements(price);
  if (accepts.length === 0)
    return paymentRefused("network_unsupported", "No network can be paid over at present; pay from a balance at /api/v1/prompt");
  const isFirstVersion = request.headers["x-payment"] !== undefined;
  const message = isFirstVersion
    ? "X-PAYMENT is of x402's version 1, which is not taken; pay by version 2, in the header PAYMENT-SIGNATURE"
    : "Pay with x402: sign one of accepts, and send the very same request again with it in the header PAYMENT-SIGNATURE";
  return askForPayment(request, accepts, message);
}

const unreadable: PaymentRefusal = {
  reason: "malformed",
  errorReason: "invalid_payload",
  message: "PAYMENT-SIGNATURE holds no payment of x402 version 2: base64 of JSON with x402Version, accepted and payload",
};

const unsupported = ({ accepted }: PaymentPayload): PaymentRefusal => ({
  reason: "network_unsupported",
  errorReason: "invalid_network",
  message: `Payments are not taken on ${accepted.network.slice(0, 100)} here; accepts lists the networks that are`,
});

/** A billion USDC: much more could not be booked. */
const MOST_BOOKED_UNITS = 10n ** 15n;

/** Held against what is asked for this very request: what was accepted may be more money, and differ in nothing else that matters. */
function readPayment(payload: PaymentPayload, { network, requirements }: Offer): ReadPayment {
  const refusal = mismatch(payload, requirements);
  if (refusal) return { kind: "refused", refusal };
  return network.read(payload.payload, { ...requirements, amount: payload.accepted.amount });
}

function mismatch({ accepted, resource: paidFor }: PaymentPayload, wanted: PaymentRequirements): PaymentRefusal | null {
  const differs = (["scheme", "asset", "payTo"] as const).find((field) => !isSame(wanted, accepted[field], wanted[field]));
  if (differs) {
    const message = `accepted.${differs} is not ${wanted[differs]}`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  if ((paidFor && paidFor.url !== resource().url) || accepted.extra?.bodyHash !== wanted.extra.bodyHash) {
    const message = "This payment was made for another request; ask again without one, and sign what is asked for then";
    return { reason: "replayed", errorReason: "invalid_payment_requirements", message };
  }
  if (BigInt(accepted.amount) > MOST_BOOKED_UNITS) {
    const message = `The payment is over more than ${MOST_BOOKED_UNITS} units of USDC; sign what accepts says`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  return null;
}

/** One that is on the books is as good as it was, whatever its request would cost now. */
function tooLow({ amount }: SignedPayment, { units }: Price): PaymentRefusal | null {
  if (amount >= fromUsdcUnits(units)) return null;
  const message = `The payment is over ${amount / fromUsdcUnits(1n)} units of USDC, and this request can cost ${units}; sign at least that`;
  return { reason: "amount_too_low", errorReason: "invalid_payment_requirements", message };
}

/** Addresses of EVM chains may be written in capitals or not. */
const isSame = ({ network }: PaymentRequirements, given: string, wanted: string): boolean =>
  network.startsWith("eip155:") ? given.toLowerCase() === wanted.toLowerCase() : given === wanted;

const bookedAsDeposit: PaymentRefusal = {
  reason: "replayed",
  errorReason: "invalid_payload",
  message: "This authorization brings a deposit to the treasury, and the deposit is booked; pay from a wallet of your own",
};

/** Whether the payer signed it, and, before anybody has claimed it, whether there is time left. @throws AppError SETTLEMENT_PENDING */
async function checkPayment(payment: SignedPayment, { network, isClosed }: Offer, price: Price): Promise<PaymentRefusal | "closed" | null> {
  const known = await findClaim(network.network, payment.payer, payment.nonce);
  // Every byte of what was verified then.
  const wasVerified = isTaken(known) && isDeepStrictEqual(known.settlement, payment.settlement);
  const low = wasVerified && isBooked(known) ? null : tooLow(payment, price);
  if (low || wasVerified) return low;
  if (isClosed) return "closed";
  const verdict = await network.verify(payment);
  if (verdict.kind === "unavailable") throw chainUnavailable();
  if (verdict.kind === "refused") return verdict.refusal;
  if (isTaken(known)) return null;
  const isSweep = network.scheme === "exact_evm" && (await isCustodialOnBase(payment.payer));
  return isSweep ? bookedAsDeposit : network.checkTime(payment);
}

const isBooked = ({ state }: PaymentClaim): boolean => state === "paid" || state === "covered";

interface Settling {
  request: GatewayRequest;
  quote: Quote;
  price: Price;
  payment: SignedPayment;
  network: X402Network;
}

async function settle({ request, quote, price, payment, network: { scheme, network } }: Settling): Promise<PlacedHold> {
  const bodyHash = Buffer.from(price.bodyHash, "hex");
  const terms = { scheme, network, ...payment, bodyHash, accountId: null, keyId: null, idempotencyKey: null };
  try {
    const placed = await payAndHold(request, null, quote, terms);
    if (placed.kind === "held" && placed.payment) tellPaid(request, placed.payment);
    else await tellOutcome(request, terms);
    return placed;
  } catch (error) {
    await tellOutcome(request, terms);
    if (isAppError(error) && error.status === 402) tellRequirements(request, await listRequirements(price), error.message);
    throw error;
  }
}

interface Refused {
  refusal: PaymentRefusal;
  network: string | undefined;
  payer: string | undefined;
}

async function refused(request: GatewayRequest, price: Price, { refusal, network, payer }: Refused): Promise<AppError> {
  const accepts = await listRequirements(price);
  tellRequirements(request, accepts, refusal.message);
  tellRefusal(request, { network: network ?? accepts[0]?.network ?? "", payer, refusal });
  return paymentRefused(refusal.reason, refusal.message);
}
