// The hold of one request: money set aside before the provider is called. Whether the key (without one, the account) is still good, the
// idempotency key is free, and cap and balance suffice is decided in one statement, in arrival order, in one commit per batch. A prompt
// that may be clipped is tried again with the output limit that the refusal leaves room for: only the statement decides whether a hold
// fits.

import type { KeyRefusal } from "@/lib/access/authenticate";
import { assertNever } from "@/lib/base/assert";
import { AppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { formatUsd, type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { publicUrl } from "@/lib/base/public-url";
import type { Claim, Hold, HoldDecision, HoldRefusal } from "@/lib/ledger/holds";
import { placeHold } from "@/lib/ledger/place-hold";
import { accountFrozen, type Caller, invalidApiKey } from "../http/caller";
import type { GatewayRequest } from "../http/request";
import { invalidRequest } from "../http/request";
import type { PaymentFacts } from "../proof/facts";
import { commit } from "./commit";
import { hashRequest } from "./idempotency";
import type { Prompt } from "./prompt-body";
import { clipQuote, insufficientBalance, type Quote, quoteOutput } from "./quote";
import { tellRefused } from "./tell-refused";

export type PlacedHold =
  | {
      kind: "held";
      hold: Hold;
      /** The quote that the hold is for: the one asked for, or one with a lower output limit. */
      quote: Quote;
      payment: PaymentFacts | null;
    }
  /** The answer already exists, saved under this key. */
  | { kind: "replay"; accountId: AccountId; key: string };

/** The attempts at a hold that may be clipped. Others may take the money in between, so the last attempt asks for the minimum. */
const MAX_ATTEMPTS = 4;

/**
 * Sets the quote's ceiling aside from the caller's balance; where that is too much and the prompt may be clipped, the rest of the balance.
 * @throws AppError INSUFFICIENT_BALANCE, SPEND_CAP_REACHED, INVALID_API_KEY (changed meanwhile, or the account is frozen), REQUEST_IN_PROGRESS, INVALID_REQUEST (another body)
 */
export async function placeFromBalance(
  request: GatewayRequest,
  caller: Caller,
  prompt: Pick<Prompt, "minOutputTokens">,
  wanted: Quote,
): Promise<PlacedHold> {
  const { accountId, keyId, isUnconfirmed } = caller;
  const claim = readIdempotencyClaim(request);
  const about = { requestId: request.id, accountId, keyId, isUnconfirmed, model: wanted.model.id, claim, paidBy: "balance" } as const;
  const { decision, hold, quote } = await placeFitting(about, wanted, prompt.minOutputTokens);
  if (decision.outcome === "held") return { kind: "held", hold, quote, payment: null };
  if (decision.outcome === "replay") return { kind: "replay", accountId, key: claim?.key ?? "" };
  await tellRefused(decision, hold);
  throw holdRefused(decision, caller, wanted);
}

const keyForm = /^[\x20-\x7e]{1,255}$/;

/**
 * The claim of a request by its Idempotency-Key header, or null without one.
 * @throws AppError INVALID_REQUEST for a key that is empty, too long or not printable
 */
export function readIdempotencyClaim(request: GatewayRequest): Claim | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (!keyForm.test(key)) {
    throw invalidRequest([{ path: "Idempotency-Key", message: "must be 1 to 255 printable ASCII characters" }], "idempotency_key");
  }
  return { key, bodyHash: hashRequest(request) };
}

/** Places a hold of the quote's ceiling, or of a lower one: see Prompt.minOutputTokens. Returns the last decision. @throws AppError */
export async function placeFitting(
  about: Omit<Hold, "ceiling">,
  wanted: Quote,
  minOutputTokens: number | undefined,
): Promise<{ decision: HoldDecision; hold: Hold; quote: Quote }> {
  let quote = wanted;
  for (let attempt = 1; ; attempt++) {
    const hold: Hold = { ...about, ceiling: quote.ceiling };
    const decision = await placeHold(commit(), hold).catch(ledgerUnavailable);
    if (decision.outcome === "held" || minOutputTokens === undefined || attempt === MAX_ATTEMPTS) return { decision, hold, quote };
    const fitting = clipQuote(quote, moneyLeft(decision), minOutputTokens);
    if (!fitting) return { decision, hold, quote };
    quote = attempt < MAX_ATTEMPTS - 1 ? fitting : quoteOutput(fitting, minOutputTokens);
  }
}

/** The most that a refused hold could have been; zero when it was refused for another reason. */
function moneyLeft(decision: HoldRefusal): NanoUsd {
  if (decision.outcome === "insufficient") return decision.available;
  return decision.outcome === "cap_reached" ? nanoUsd(decision.cap - decision.spent) : ZERO_USD;
}

/** @throws AppError when the ledger could not be reached: nothing was charged */
export function ledgerUnavailable(cause: unknown): never {
  throw new AppError("INTERNAL_ERROR", {
    message: "The request could not be recorded and was not sent to the model. You were not charged",
    details: { reason: "internal", retryable: true },
    cause,
  });
}

/** The error for a hold that was not placed; a caller whose key has changed is dropped from the cache. */
export function holdRefused(decision: HoldRefusal, caller: Pick<Caller, "forget" | "isUnconfirmed">, quote: Quote): AppError {
  switch (decision.outcome) {
    case "insufficient":
      return insufficientBalance(decision.available, quote, `${publicUrl()}/deposit`);
    case "cap_reached":
      return spendCapReached(decision, caller);
    case "key_unusable":
      caller.forget();
      return invalidApiKey(readKeyState(decision.keyState));
    case "account_frozen":
      return accountFrozen();
    case "in_progress":
      return new AppError("REQUEST_IN_PROGRESS", { headers: { "retry-after": "1" } });
    case "mismatch":
      return idempotencyMismatch();
    case "replay":
    case "served":
    case "payer_mismatch":
      throw new Error(`assertion failed: a hold was refused as "${decision.outcome}"`);
    default:
      return assertNever(decision);
  }
}

function readKeyState(state: string): KeyRefusal {
  if (state === "revoked" || state === "expired") return state;
  return state === "paused" || state === "frozen" ? "disabled" : "unknown";
}

/** The error for an Idempotency-Key that belongs to another request. */
export const idempotencyMismatch = (): AppError =>
  invalidRequest(
    [
      {
        path: "Idempotency-Key",
        message: "was already used with a different body, or by another API key. Use a new one for each new request",
      },
    ],
    "idempotency_mismatch",
  );

function spendCapReached(
  { cap, spent, resetsAt }: Extract<HoldRefusal, { outcome: "cap_reached" }>,
  { isUnconfirmed }: Pick<Caller, "isUnconfirmed">,
): AppError {
  const limit = isUnconfirmed ? "the playground's daily limit, which you can lift by signing" : "the key's spending limit";
  const message = `This request could exceed ${limit}: ${formatUsd(spent)} of ${formatUsd(cap)} is spent or reserved`;
  return new AppError("SPEND_CAP_REACHED", { message, details: { cap, spent, resetsAt } });
}
