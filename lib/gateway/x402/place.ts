// Turns an x402 payment into a hold: requested, read, checked against the requirements, verified, and then settled like every other
// payment. Nothing moves before all of that is done, and the model is called only after the money is on the books.

import { isDeepStrictEqual } from "node:util";
import { isAppError } from "@/lib/base/errors";
import { fromUsdcUnits } from "@/lib/base/money";
import { findClaim, isTaken, type PaymentClaim } from "@/lib/payments/claims/claim";
import type { PaymentRefusal, Price, ReadPayment, SignedPayment, X402Network } from "@/lib/payments/x402/network";
import type { PaymentRequirements } from "@/lib/payments/x402/wire";
import { type PaymentPayload, readPaymentHeader } from "@/lib/payments/x402/wire";
import { isCustodialOnBase } from "@/lib/wallets/custody/custodial-wallet";
import type { Buyer } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import type { PlacedHold } from "../prompt/hold";
import type { Prompt } from "../prompt/prompt-body";
import type { Quote } from "../prompt/quote";
import { payAndHold } from "../proof/pay-and-hold";
import { chainUnavailable } from "../proof/refusal";
import { placeFromCredit } from "./credit";
import { checkIdentifier, readIdentifier } from "./identifier";
import { findFormerOffer, findOffer, type Offer, resource } from "./offers";
import { offer, refusePayment, refuseUnpaid, setOutcomeHeader, setPaidHeader } from "./payment-headers";
import { NANO_PER_UNIT, readPrice } from "./price";
import { SIGN_IN } from "./sign-in";

interface Resumed {
  payment: SignedPayment;
  claim: PaymentClaim;
  network: X402Network;
}

/** A billion USDC: the ledger could not hold much more. */
const MAX_BOOKED_UNITS = 10n ** 15n;

/**
 * Takes the payment in PAYMENT-SIGNATURE, or the credit of a wallet that signed in, or requests a payment.
 * @throws AppError PAYMENT_REQUIRED, PAYMENT_CONFLICT, and as payAndHold
 */
export async function placeFromX402(request: GatewayRequest, _buyer: Buyer, prompt: Prompt, quote: Quote): Promise<PlacedHold> {
  const price = readPrice(request, quote);
  const header = request.headers["payment-signature"];
  if (header === undefined) {
    const signIn = request.headers[SIGN_IN];
    if (signIn === undefined) throw await refuseUnpaid(request, price, howToPay(request));
    return placeFromCredit(request, signIn, { prompt, quote, price });
  }
  const payload = readPaymentHeader(header);
  const refuse = (refusal: PaymentRefusal, payer?: string) =>
    refusePayment(request, price, { refusal, network: payload?.accepted.network, payer });
  if (payload === null) throw await refuse(unreadable);
  const identifier = readIdentifier(payload);
  const known = await findResumed(payload, price);
  await checkIdentifier(identifier, known?.claim ?? null);
  if (known) {
    const low = isOnItsWay(known.claim) ? null : tooLow(known.payment, price);
    if (low) throw await refuse(low, known.payment.payer);
    return settle({ request, quote, price, identifier, ...known });
  }
  const offered = await findOffer(payload.accepted, price);
  if (offered === null) throw await refuse(unsupported(payload));
  const { network } = offered;
  const read = readPayment(payload, offered);
  if (read.kind === "refused") throw await refuse(read.refusal);
  const { payment } = read;
  const refusal = tooLow(payment, price) ?? (await checkPayment(payment, network));
  if (refusal) throw await refuse(refusal, payment.payer);
  return settle({ request, quote, price, identifier, payment, network });
}

const howToPay = ({ headers }: GatewayRequest): string =>
  headers["x-payment"] === undefined
    ? "Pay with x402: sign one of accepts and send the same request again with it in the PAYMENT-SIGNATURE header"
    : "X-PAYMENT is x402 version 1, which is not supported. Use version 2 with the PAYMENT-SIGNATURE header";

const unreadable: PaymentRefusal = {
  reason: "malformed",
  errorReason: "invalid_payload",
  message: "PAYMENT-SIGNATURE is not an x402 version 2 payment. Send base64 of JSON with x402Version, accepted and payload",
};

const unsupported = ({ accepted }: PaymentPayload): PaymentRefusal => ({
  reason: "network_unsupported",
  errorReason: "invalid_network",
  message: `Payments on ${accepted.network.slice(0, 100)} are not supported; accepts lists the supported networks`,
});

function tooLow({ amount }: SignedPayment, { units }: Price): PaymentRefusal | null {
  if (amount >= fromUsdcUnits(units)) return null;
  const message = `The payment is for ${amount / NANO_PER_UNIT} units of USDC, but this request can cost up to ${units}. Sign at least that`;
  return { reason: "amount_too_low", errorReason: "invalid_payment_requirements", message };
}

const bookedAsDeposit: PaymentRefusal = {
  reason: "replayed",
  errorReason: "invalid_payload",
  message: "This authorization moves a deposit that is already credited. Pay from your own wallet",
};

/** Whether the payer signed it, and, unless it is claimed already, whether there is time left. @throws AppError SETTLEMENT_PENDING */
async function checkPayment(payment: SignedPayment, network: X402Network): Promise<PaymentRefusal | null> {
  const verdict = await network.verify(payment);
  if (verdict.kind === "unavailable") throw chainUnavailable();
  if (verdict.kind === "refused") return verdict.refusal;
  if (isTaken(await findClaim(network.network, payment.payer, payment.nonce))) return null;
  const isSweep = network.scheme === "exact_evm" && (await isCustodialOnBase(payment.payer));
  return isSweep ? bookedAsDeposit : network.checkTime(payment);
}

interface Settling {
  request: GatewayRequest;
  quote: Quote;
  price: Price;
  identifier: string | null;
  payment: SignedPayment;
  network: X402Network;
}

async function settle({ request, quote, price, identifier, payment, network: { scheme, network } }: Settling): Promise<PlacedHold> {
  const bodyHash = Buffer.from(price.bodyHash, "hex");
  const terms = { scheme, network, ...payment, bodyHash, accountId: null, keyId: null, idempotencyKey: null, identifier };
  try {
    const placed = await payAndHold(request, null, quote, terms);
    if (placed.kind === "held" && placed.payment) setPaidHeader(request, placed.payment);
    else await setOutcomeHeader(request, terms);
    return placed;
  } catch (error) {
    await setOutcomeHeader(request, terms);
    if (isAppError(error) && error.status === 402) await offer(request, price, error.message);
    throw error;
  }
}

/** A payment that was sent before goes on from its state, whether or not anybody could pay this way now. Null unless it was claimed. */
async function findResumed(payload: PaymentPayload, price: Price): Promise<Resumed | null> {
  const offer = await findFormerOffer(payload.accepted, price);
  if (offer === null) return null;
  const { network } = offer;
  const read = readPayment(payload, offer);
  if (read.kind === "refused") return null;
  const { payment } = read;
  const claim = await findClaim(network.network, payment.payer, payment.nonce);
  const isSame = isTaken(claim) && isDeepStrictEqual(claim.settlement, payment.settlement);
  return isSame ? { payment, claim, network } : null;
}

/** It moved, or may have: it is accepted for its amount, even if its request would cost more now. */
const isOnItsWay = ({ state, isRelayed, transaction }: PaymentClaim): boolean =>
  state === "paid" || state === "covered" || isRelayed || transaction !== null;

/**
 * Against the requirements: the accepted amount may be higher, and nothing else that matters may differ. Makes no calls; the signature is
 * checked elsewhere.
 */
function readPayment(payload: PaymentPayload, { network, requirements }: Offer): ReadPayment {
  const refusal = mismatch(payload, requirements);
  if (refusal) return { kind: "refused", refusal };
  const read = network.read(payload.payload, requirements);
  const unlike = read.kind === "read" && otherAmount(read.payment, { accepted: payload.accepted.amount, network, requirements });
  return unlike ? { kind: "refused", refusal: unlike } : read;
}

/** The scheme is exact: the payer signs the amount accepted, no less and no more. An amount above the price is not too low. */
function otherAmount({ amount }: SignedPayment, { accepted, network, requirements }: Offer & { accepted: string }): PaymentRefusal | null {
  const [signed, price] = [amount / NANO_PER_UNIT, BigInt(requirements.amount)];
  if (signed === BigInt(accepted)) return null;
  const isLow = signed < price || BigInt(accepted) < price;
  const message =
    `The payment is for ${signed} units of USDC, but its accepted.amount is ${accepted}. ` +
    `Sign exactly what accepted.amount says${isLow ? `, at least ${price}` : ""}`;
  return { reason: isLow ? "amount_too_low" : "amount_mismatch", errorReason: network.amountMismatch, message };
}

function mismatch({ accepted, resource: paidFor }: PaymentPayload, wanted: PaymentRequirements): PaymentRefusal | null {
  const differs = (["scheme", "asset", "payTo"] as const).find((field) => !isSame(wanted, accepted[field], wanted[field]));
  if (differs) {
    const message = `accepted.${differs} is not ${wanted[differs]}`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  if ((paidFor && paidFor.url !== resource().url) || accepted.extra?.bodyHash !== wanted.extra.bodyHash) {
    const message = "This payment was made for another request. Send the request without a payment and sign the new offer";
    return { reason: "replayed", errorReason: "invalid_payment_requirements", message };
  }
  if (BigInt(accepted.amount) > MAX_BOOKED_UNITS) {
    const message = `The payment is for more than ${MAX_BOOKED_UNITS} units of USDC. Sign the amount in accepts`;
    return { reason: "malformed", errorReason: "invalid_payment_requirements", message };
  }
  return null;
}

/** EVM addresses may differ in case. */
const isSame = ({ network }: PaymentRequirements, given: string, wanted: string): boolean =>
  network.startsWith("eip155:") ? given.toLowerCase() === wanted.toLowerCase() : given === wanted;
