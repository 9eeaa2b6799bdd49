// The hold of one request: money set aside before the provider is called. Whether the key is still good (without one, the
// account), the idempotency key is free, cap and balance suffice is decided in one statement, in arrival order, in one commit
// per batch.

import { assertNever } from "@/lib/base/assert";
import { AppError } from "@/lib/base/errors";
import { formatUsd, type NanoUsd, nanoUsd } from "@/lib/base/money";
import { publicUrl } from "@/lib/base/public-url";
import { accountFrozen, type Caller, invalidApiKey } from "./caller";
import { releaseHoldsAhead, takeHoldAhead } from "./hold-ahead";
import { type HoldDecision, type HoldRefusal, ledgerUnavailable, submitHold } from "./hold-batch";
import { type IdempotencyClaim, readIdempotencyClaim } from "./idempotency";
import { invalidRequest } from "./invalid-request";
import type { Hold, PlacedHold } from "./placed-hold";
import type { Prompt } from "./prompt-body";
import { insufficientBalance, type Quote } from "./quote";
import type { GatewayRequest } from "./request";

/**
 * Sets the quote's ceiling aside from the caller's balance, durably, before it resolves; returns at once what was set aside ahead.
 * @throws AppError INSUFFICIENT_BALANCE, SPEND_CAP_REACHED, INVALID_API_KEY (changed meanwhile, or the account is frozen), REQUEST_IN_PROGRESS, INVALID_REQUEST (another body)
 */
export function placeFromBalance(request: GatewayRequest, caller: Caller, _prompt: Prompt, quote: Quote): PlacedHold | Promise<PlacedHold> {
  const claim = readIdempotencyClaim(request);
  const ahead = claim || caller.keyId === null ? null : takeHoldAhead(caller.keyId, quote);
  if (!ahead) return placeNew(request, caller, quote, claim);
  request.id = ahead.requestId;
  return { kind: "held", hold: ahead, payment: null };
}

async function placeNew(request: GatewayRequest, caller: Caller, quote: Quote, claim: IdempotencyClaim | null): Promise<PlacedHold> {
  const { accountId, keyId } = caller;
  const item = {
    request: request.id,
    account: accountId,
    key: keyId,
    ceiling: quote.ceiling,
    idempotency: claim?.key ?? null,
    hash: claim?.bodyHash ?? null,
  };
  let decision: HoldDecision;
  try {
    decision = await submitHold(item);
    for (let again = 0; again < MOST_AGAIN && isShort(decision) && (await releaseHoldsAhead(accountId)); again++) {
      decision = await submitHold(item);
    }
  } catch (error) {
    // Whether it was committed is not known: the reaper frees it at its deadline if it was.
    throw ledgerUnavailable(error);
  }
  switch (decision.outcome) {
    case "held": {
      const { period, periodStart } = decision;
      const hold: Hold = { requestId: request.id, accountId, keyId, ceiling: quote.ceiling, period, periodStart, claim, paidBy: "balance" };
      return { kind: "held", hold, payment: null };
    }
    case "replay":
      return { kind: "replay", accountId, key: claim?.key ?? "" };
    default:
      throw holdRefused(decision, caller, quote);
  }
}

/** Other keys of the account may have set something ahead meanwhile. */
const MOST_AGAIN = 3;

const isShort = ({ outcome }: HoldDecision): boolean => outcome === "insufficient" || outcome === "cap_reached";

/** The error for a hold that was not placed; a caller whose key is found changed is forgotten. */
export function holdRefused(decision: HoldRefusal, caller: Pick<Caller, "forget">, quote: Quote): AppError {
  switch (decision.outcome) {
    case "insufficient":
      return insufficientBalance(decision.available, quote, `${publicUrl()}/deposit`);
    case "cap_reached":
      return spendCapReached(decision.cap, decision.spent, decision.resetsAt);
    case "key_unusable":
      caller.forget();
      return invalidApiKey(decision.reason);
    case "account_frozen":
      return accountFrozen();
    case "in_progress":
      return new AppError("REQUEST_IN_PROGRESS", { headers: { "retry-after": "1" } });
    case "mismatch":
      return idempotencyMismatch();
    default:
      return assertNever(decision);
  }
}

/** The error for an Idempotency-Key that belongs to another request. */
export const idempotencyMismatch = (): AppError =>
  invalidRequest(
    [{ path: "Idempotency-Key", message: "was used for another body; use a new key for a new request" }],
    "idempotency_mismatch",
  );

function spendCapReached(cap: NanoUsd, spent: NanoUsd, resetsAt: Date | null): AppError {
  return new AppError("SPEND_CAP_REACHED", {
    message: `This API key may spend ${formatUsd(cap)} in its period; ${formatUsd(spent)} is spent or held, and this request could cost more than the rest`,
    details: { cap: nanoUsd(cap), spent: nanoUsd(spent), resetsAt: resetsAt ?? null },
  });
}
