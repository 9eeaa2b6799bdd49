// A payment's way to a hold: claimed, settled on its chain, then credited and held in one commit. Every step may be run any number
// of times: one payload pays once and is answered once, however often it comes.

import { assertNever } from "@/lib/base/assert";
import { config } from "@/lib/base/config";
import { ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { inTransaction, type Transaction } from "@/lib/db/pool";
import { type Claimed, claimPayment, type PaymentClaim, type PaymentTerms, type SettleFailure } from "@/lib/payments/claim";
import { creditAccountOf } from "@/lib/payments/credits";
import { settleClaim } from "@/lib/payments/settle";
import type { SettledAt } from "@/lib/payments/settle-way";
import type { Caller } from "../caller";
import { holdRefused, idempotencyMismatch, ledgerUnavailable, type PlacedHold } from "../hold";
import type { Quote } from "../quote";
import type { GatewayRequest } from "../request";
import { coverAndHold, creditAndHold, freeIdempotencyKey, markIdempotencyKey, type PaymentHoldDecision } from "./payment-hold";
import { paymentRefused, settlementPending } from "./refusal";

/**
 * Takes a payment whose signature is good and whose amount is enough, and sets the quote's ceiling aside from it. `caller` is null where
 * nobody needs a key. What a payer has as a credit pays before an authorization is submitted; a proof is this one payment.
 * @throws AppError PAYMENT_VERIFICATION_FAILED, SETTLEMENT_PENDING, and what a hold may be refused with
 */
export async function payAndHold(request: GatewayRequest, caller: Caller | null, quote: Quote, terms: PaymentTerms): Promise<PlacedHold> {
  try {
    return await claimAndHold(request, caller, quote, terms);
  } catch (error) {
    await giveKeyBack(request, terms);
    throw error;
  }
}

/** Of a payment that came to nothing. A job does it when this does not. */
async function giveKeyBack(request: GatewayRequest, { accountId, idempotencyKey }: PaymentTerms): Promise<void> {
  if (accountId === null || idempotencyKey === null) return;
  await freeIdempotencyKey(accountId, idempotencyKey, request).catch((error: unknown) =>
    log().warn({ err: error, requestId: request.id }, "an Idempotency-Key is given back later"),
  );
}

async function claimAndHold(request: GatewayRequest, caller: Caller | null, quote: Quote, terms: PaymentTerms): Promise<PlacedHold> {
  const claim = await takePayment(request, terms);
  request.facts.payment = claim.id;
  const paid = { payment: claim.id, request, caller, quote, bodyHash: terms.bodyHash };
  const mayBeCovered = claim.scheme !== "proof" && claim.state !== "paid";
  const covered = mayBeCovered ? await coverAndHold(paid) : null;
  const settled = covered ? null : await settle(claim);
  // Where that fails the payment was made: it is booked when it comes again, or by the job that looks after payments.
  const decision = covered ?? (settled && (await creditAndHold(paid, settled).catch(ledgerUnavailable)));
  if (!decision) throw settlementPending();
  return placedOf(decision, { claim, caller, quote, request, settled });
}

/** Raised to undo a claim whose Idempotency-Key is another request's. */
class KeyTaken extends Error {}

/** The claim and its key in one commit: nobody has one of them alone. The claim comes first, as everywhere before accounts. */
async function claimWithKey(request: GatewayRequest, terms: PaymentTerms): Promise<Claimed> {
  const { accountId, idempotencyKey } = terms;
  if (accountId === null || idempotencyKey === null) return claimPayment(terms);
  const claimBoth = async (commit: Transaction) => {
    const taken = await claimPayment(terms, commit);
    if (taken.kind === "claimed" && !(await markIdempotencyKey(accountId, idempotencyKey, request, commit))) throw new KeyTaken();
    return taken;
  };
  try {
    return await inTransaction(claimBoth);
  } catch (error) {
    if (error instanceof KeyTaken) return { kind: "idempotency_mismatch" };
    throw error;
  }
}

async function takePayment(request: GatewayRequest, terms: PaymentTerms): Promise<PaymentClaim> {
  const taken = await claimWithKey(request, terms);
  switch (taken.kind) {
    case "claimed":
      return taken.claim;
    case "replayed":
      throw paymentRefused("replayed");
    case "idempotency_mismatch":
      throw idempotencyMismatch();
    default:
      return assertNever(taken);
  }
}

async function settle(claim: PaymentClaim): Promise<SettledAt> {
  const { state, transaction, block } = claim;
  if (state === "paid" && transaction !== null && block !== null) return { transaction, block };
  const settled = await settleClaim(claim, config().PAYMENT_WAIT_MS);
  switch (settled.kind) {
    case "paid":
      return settled;
    case "pending":
      throw settlementPending();
    case "covered":
      throw spentMeanwhile();
    case "failed":
      throw paymentRefused(settled.reason, settled.message && `${settled.message}; ${cures[settled.reason]}`);
    default:
      return assertNever(settled);
  }
}

/** What to do about what the chain said. */
const cures: Readonly<Record<SettleFailure, string>> = {
  expired: "sign a new payment with the present time",
  bad_signature: "sign the four lines again",
  allowance_too_low: "then send the same request again",
  wallet_balance_too_low: "add the rest, and send the same request again",
  settlement_failed: "nothing was paid, and a new payment may be signed",
};

const spentMeanwhile = () =>
  paymentRefused("replayed", "What this payment left was spent on other requests of its payer since; sign a new one");

interface Placing {
  claim: PaymentClaim;
  caller: Caller | null;
  quote: Quote;
  request: GatewayRequest;
  /** Null when the payer's credit covered it. */
  settled: SettledAt | null;
}

function placedOf(decision: PaymentHoldDecision, { claim, caller, quote, request, settled }: Placing): PlacedHold {
  const { creditedAccount } = decision;
  const key = `payment ${claim.id}`;
  const isCredit = creditedAccount === creditAccountOf(claim.network, claim.payer);
  switch (decision.outcome) {
    case "held": {
      const { id, scheme, network, payer, nonce } = claim;
      const paidBy = scheme === "proof" ? "payment" : "x402";
      const keyId = isCredit ? null : (caller?.keyId ?? null);
      const held = {
        requestId: request.id,
        accountId: creditedAccount,
        keyId,
        model: quote.model.id,
        ceiling: quote.ceiling,
        paidBy,
      } as const;
      return {
        kind: "held",
        hold: { ...held, claim: { key, bodyHash: claim.bodyHash } },
        payment: {
          ...{ id, scheme, network, payer, nonce },
          amount: settled ? claim.amount : ZERO_USD,
          transaction: settled?.transaction ?? null,
          changeBelongsTo: isCredit ? "address" : "account",
        },
      };
    }
    case "replay":
      return { kind: "replay", accountId: creditedAccount, key };
    case "served":
      throw paymentRefused(
        "replayed",
        "This payment was answered and charged more than 24 hours ago, and the answer is not kept; sign a new one",
      );
    case "insufficient":
      if (isCredit) throw spentMeanwhile();
      throw holdRefused(decision, caller ?? nobody, quote);
    default:
      throw holdRefused(decision, caller ?? nobody, quote);
  }
}

const nobody = { forget: () => undefined };
