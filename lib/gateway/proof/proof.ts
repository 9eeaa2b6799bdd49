// Turns a signed proof into a hold: it is read, then checked against its request and its signer, cheap refusals first. Nothing moves before
// every check has passed.

import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { proofText, type SettlementTerms } from "@/lib/chains/evm/settlement";
import { verifyProofSignature } from "@/lib/chains/evm/signature";
import { findClaim, isTaken, type PaymentClaim } from "@/lib/payments/claims/claim";
import { evmNetwork } from "@/lib/payments/claims/networks";
import { findSettlementTerms } from "@/lib/payments/settlement/settlement-terms";
import type { Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import { holdRefused, type PlacedHold, readIdempotencyClaim } from "../prompt/hold";
import { hashRequest } from "../prompt/idempotency";
import { clipQuote, type Quote } from "../prompt/quote";
import { payAndHold } from "./pay-and-hold";
import { checkPayment } from "./payment-hold";
import { type Proof, readProof } from "./proof-body";
import { chainUnavailable, paymentRefused } from "./refusal";
import { requiredCents } from "./required-cents";

/** How far a proof's timestamp may be from now, either way, when it first arrives. */
export const MAX_PROOF_AGE_MS = 300_000;

/** The names of the settlement network. */
export const proofNetworks: readonly string[] = ["ethereum", "base"];

interface GivenProof {
  /** Returns the payment object. */
  readGiven: () => unknown;
  /** As in Prompt: the output limit may be lowered until the payment covers it. */
  minOutputTokens: number | undefined;
}

/** Sets the request's highest cost aside from the payment that came with it. @throws AppError as payAndHold */
export async function placeFromProof(
  request: GatewayRequest,
  caller: Caller,
  wanted: Quote,
  { readGiven, minOutputTokens }: GivenProof,
): Promise<PlacedHold> {
  const proof = readProof(readGiven());
  const paid = fromCents(proof.cents);
  const quote = (wanted.ceiling > paid ? clipQuote(wanted, paid, minOutputTokens) : null) ?? wanted;
  const idempotencyKey = readIdempotencyClaim(request)?.key ?? null;
  const settlement = await findTerms(proof);
  const network = evmNetwork();
  const bodyHash = hashRequest(request);
  const known = await findClaim(network, proof.from, proof.requestId);
  const goes = goesOn(known, proof, caller, bodyHash);
  // A paid request gets its answer again, whatever it would cost now.
  if (!goes || known?.state !== "paid") checkAmount(proof, quote);
  if (!goes) {
    await checkSignature(proof, settlement);
    if (!isTaken(known)) checkAge(proof);
    await checkPayer(proof, caller, quote);
  }
  const { accountId, keyId } = caller;
  return payAndHold(request, caller, quote, {
    scheme: "proof",
    network,
    payer: proof.from,
    nonce: proof.requestId,
    amount: paid,
    accountId,
    keyId,
    idempotencyKey,
    identifier: null,
    bodyHash,
    validUntil: new Date(proof.timestampMs + MAX_PROOF_AGE_MS),
    settlement: {
      cents: proof.cents.toString(),
      timestampMs: proof.timestampMs.toString(),
      signature: proof.signature,
      relayer: settlement.relayer,
    },
  });
}

/**
 * Checks a proof's own statements, before a large body is read for it: its form, its signature and its age, unless it was taken before.
 * @throws AppError
 */
export async function checkProofAlone(given: unknown, accountId: AccountId): Promise<void> {
  const proof = readProof(given);
  const settlement = await findTerms(proof);
  const known = await findClaim(evmNetwork(), proof.from, proof.requestId);
  if (isTaken(known) && known.accountId === accountId) return;
  await checkSignature(proof, settlement);
  checkAge(proof);
}

/** This very payment for this very request was verified before: it continues, whatever the time and the chain say now. */
const goesOn = (claim: PaymentClaim | null, { cents }: Proof, { accountId }: Caller, bodyHash: Buffer): boolean =>
  isTaken(claim) && claim.accountId === accountId && claim.amount === fromCents(cents) && claim.bodyHash.equals(bodyHash);

async function findTerms({ network }: Proof): Promise<SettlementTerms> {
  if (/^solana(:|$)/.test(network)) {
    throw paymentRefused(
      "network_unsupported",
      "Signed payments are settled on Base. To pay on Solana, use x402: POST /api/v1/x402/prompt",
    );
  }
  if (!proofNetworks.includes(network)) throw paymentRefused("network_unsupported");
  const terms = await findSettlementTerms();
  if (terms) return terms;
  throw paymentRefused(
    "network_unsupported",
    "This service does not accept signed payments. Remove payment to pay from the API key's balance",
  );
}

function checkAmount({ cents }: Proof, quote: Quote): void {
  const required = requiredCents(quote);
  if (cents >= required) return;
  throw paymentRefused(
    "amount_too_low",
    `The payment is ${cents} USDC cents, but this request can cost up to ${required}. Sign at least that`,
    {
      requiredAmount: Number(required),
      ceiling: quote.ceiling,
      minimumAmount: config().PAYMENT_MINIMUM_CENTS,
    },
  );
}

async function checkSignature(proof: Proof, { serviceName }: SettlementTerms): Promise<void> {
  const { from, requestNumber, cents, timestampMs, signature } = proof;
  const text = proofText(serviceName, { requestNumber, cents, timestampMs: BigInt(timestampMs) });
  const verdict = await verifyProofSignature(from, text, signature);
  if (verdict === "unavailable") throw chainUnavailable();
  if (verdict === "invalid") throw paymentRefused("bad_signature");
}

function checkAge({ timestampMs }: Proof): void {
  if (Math.abs(timestampMs - now().getTime()) > MAX_PROOF_AGE_MS) throw paymentRefused("expired");
}

async function checkPayer({ from }: Proof, caller: Caller, quote: Quote): Promise<void> {
  const check = await checkPayment(caller, from, quote);
  if (check.outcome === "payable") return;
  if (check.outcome === "payer_mismatch") throw paymentRefused("payer_mismatch");
  throw holdRefused(check, caller, quote);
}
