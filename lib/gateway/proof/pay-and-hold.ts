// Turns a payment into a hold: it is claimed, settled on its chain, then credited and held in one commit. Every step may run any number of
// times: one payment pays once and is answered once, however often it is sent.

import { assertNever } from "@/lib/base/assert";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { AppError, isAppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import type { SettleFailure } from "@/lib/chains/payment-failure";
import { isStatementError } from "@/lib/db/failure";
import { prisma } from "@/lib/db/prisma";
import type { Hold } from "@/lib/ledger/holds";
import { releaseUnknown } from "@/lib/ledger/waiting-settlements";
import type { PaymentClaim, PaymentTerms } from "@/lib/payments/claims/claim";
import { type ClaimedPayment, claimPayment } from "@/lib/payments/claims/claim-payment";
import { creditAccountOf } from "@/lib/payments/claims/credits";
import { settleClaim } from "@/lib/payments/settlement/settle";
import type { SettledAt } from "@/lib/payments/settlement/settlement-strategy";
import type { Caller } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import { commit } from "../prompt/commit";
import { holdRefused, idempotencyMismatch, ledgerUnavailable, type PlacedHold } from "../prompt/hold";
import type { Quote } from "../prompt/quote";
import { tellRefused } from "../prompt/tell-refused";
import { coverAndHold, creditAndHold, type PaymentHoldDecision } from "./payment-hold";
import { paymentRefused, settlementPending } from "./refusal";

/**
 * Takes a payment whose signature is valid and whose amount is enough, and sets the quote's ceiling aside from it. `caller` is null where
 * no key is needed. A payer's credit pays before an authorization is submitted; a proof is always settled.
 * @throws AppError PAYMENT_VERIFICATION_FAILED, SETTLEMENT_PENDING, and the errors of a refused hold
 */
export async function payAndHold(request: GatewayRequest, caller: Caller | null, quote: Quote, terms: PaymentTerms): Promise<PlacedHold> {
  try {
    return await claimAndHold(request, caller, quote, terms);
  } catch (error) {
    // After any other error the payment may still get its key: the job checks later.
    if (isAppError(error)) await giveKeyBack(request, terms);
    throw error;
  }
}

/** Releases the key of a failed payment. A job does it when this call does not. */
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
  const placing = { claim, caller, quote, request };
  const unknown = releaseUnknownHold(placing);
  const covered = mayBeCovered ? await coverAndHold(paid).catch(unknown) : null;
  const settled = covered ? null : await settle(claim);
  // If this fails, the payment was made all the same: it is credited when it is sent again, or by the payments' job.
  const decision = covered ?? (settled && (await creditAndHold(paid, settled).catch(unknown).catch(ledgerUnavailable)));
  if (!decision) throw settlementPending();
  if (decision.outcome !== "held") await tellRefused(decision, holdOf(decision.creditedAccount, placing));
  return placedOf(decision, placing, settled);
}

/**
 * The key is marked first: a mark alone moves nothing, and is removed again. A claim alone could be settled before its key turns out to
 * belong to another request.
 */
async function claimWithKey(request: GatewayRequest, terms: PaymentTerms): Promise<ClaimedPayment> {
  const { accountId, idempotencyKey } = terms;
  const isMarked = accountId === null || idempotencyKey === null || (await markIdempotencyKey(accountId, idempotencyKey, request));
  return isMarked ? claimPayment(terms) : { kind: "idempotency_mismatch" };
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
    case "identifier_conflict":
      throw new AppError("PAYMENT_CONFLICT");
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

/** The fix for each reason of the chain. */
const cures: Readonly<Record<SettleFailure, string>> = {
  expired: "sign a new payment with the present time",
  bad_signature: "sign the four lines again",
  allowance_too_low: "then send the same request again",
  wallet_balance_too_low: "add the rest, and send the same request again",
  settlement_failed: "nothing was paid. Sign a new payment",
};

const spentMeanwhile = () => paymentRefused("replayed", "The change of this payment has been spent on other requests. Sign a new payment");

interface Placing {
  claim: PaymentClaim;
  caller: Caller | null;
  quote: Quote;
  request: GatewayRequest;
}

/**
 * Handles an error after which a hold may have been placed all the same, because the connection broke: releases it, so that the same
 * request need not wait until it expires. A payment is credited to the caller's account, if the payer is its wallet, or to the payer's
 * address.
 */
const releaseUnknownHold =
  (placing: Placing) =>
  (error: unknown): never => {
    const { claim, caller } = placing;
    const accounts = [creditAccountOf(claim.network, claim.payer), ...(caller ? [caller.accountId] : [])];
    if (!isStatementError(error)) for (const accountId of accounts) releaseUnknown(commit(), holdOf(accountId, placing));
    throw error;
  };

const keyOf = ({ id }: PaymentClaim): string => `payment ${id}`;

const isCredit = (accountId: AccountId, { network, payer }: PaymentClaim): boolean => accountId === creditAccountOf(network, payer);

const holdOf = (accountId: AccountId, { claim, caller, quote, request }: Placing): Hold => ({
  requestId: request.id,
  accountId,
  keyId: isCredit(accountId, claim) ? null : (caller?.keyId ?? null),
  model: quote.model.id,
  ceiling: quote.ceiling,
  claim: { key: keyOf(claim), bodyHash: claim.bodyHash },
  paidBy: claim.scheme === "proof" ? "payment" : "x402",
});

/** `settled` is null when the payer's credit covered it. */
function placedOf(decision: PaymentHoldDecision, placing: Placing, settled: SettledAt | null): PlacedHold {
  const { creditedAccount } = decision;
  const { claim, caller, quote } = placing;
  switch (decision.outcome) {
    case "held": {
      const { id, scheme, network, payer, nonce } = claim;
      return {
        kind: "held",
        hold: holdOf(creditedAccount, placing),
        quote,
        payment: {
          id,
          scheme,
          network,
          payer,
          nonce,
          amount: settled ? claim.amount : ZERO_USD,
          transaction: settled?.transaction ?? null,
          changeBelongsTo: isCredit(creditedAccount, claim) ? "address" : "account",
        },
      };
    }
    case "replay":
      return { kind: "replay", accountId: creditedAccount, key: keyOf(claim) };
    case "served":
      throw paymentRefused(
        "replayed",
        "This payment was answered and charged more than 24 hours ago, and the answer is no longer stored. Sign a new payment",
      );
    case "insufficient":
      if (isCredit(creditedAccount, claim)) throw spentMeanwhile();
      throw holdRefused(decision, caller ?? nobody, quote);
    default:
      throw holdRefused(decision, caller ?? nobody, quote);
  }
}

const nobody = { forget: () => undefined };

/**
 * Marks the key among the saved replies, before the payment is claimed: no request paid from the balance takes it. A mark without a payment
 * is removed by its own request, or after a minute by a job (`freePaymentKeys`). False when such a request has the key.
 */
async function markIdempotencyKey(accountId: AccountId, key: string, request: GatewayRequest): Promise<boolean> {
  // This locks the account, so that a hold under the same key comes either before or after it.
  const [row] = await prisma().$queryRaw<{ isFree: boolean }[]>`
    SELECT gateway_mark_key(${accountId}, ${key}, ${request.id}, ${now()}::timestamptz) AS "isFree"`;
  return row?.isFree === true;
}

/** Removes the mark of a request whose payment failed, unless another request marked the key since, or a payment has it. */
async function freeIdempotencyKey(accountId: AccountId, key: string, request: GatewayRequest): Promise<void> {
  // SQL decides which keys payments have, since the job needs it there, too; a later mark names another request, and stays.
  await prisma().$executeRaw`
    DELETE FROM idempotent_reply
    WHERE account_id = ${accountId} AND idempotency_key = ${key} AND request_id = ${request.id} AND status = 0
      AND NOT payments_has_key(account_id, idempotency_key, ${now()}::timestamptz)`;
}
