// Who calls: from the Authorization header to an account and its key, and no further than the limits on guessing allow.

import { type Authentication, authenticateBearer, type KeyRefusal } from "@/lib/access/authenticate";
import { clientAddress, trustedProxies } from "@/lib/access/client-address";
import { forgetKey } from "@/lib/access/key-cache";
import { noteKeyUse } from "@/lib/access/last-used";
import { type Attempt, failedAuth } from "@/lib/access/limits/failed-auth";
import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { rateLimitExceeded } from "./rate-limit-exceeded";
import type { GatewayRequest } from "./request";

/** Whoever asks for an answer. */
export interface Buyer {
  /** Who the limits are counted for. */
  limitedAs: string;
  limits: { ratePerMinute: number; concurrency: number };
  /** Models that may be asked; null = all. */
  allowedModels: readonly string[] | null;
}

/** A buyer with an account. */
export interface Caller extends Buyer {
  accountId: AccountId;
  /** Null for a caller that is signed in rather than holding a key. */
  keyId: KeyId | null;
  /** Drops what this process remembers of the key: the hold found it changed. */
  forget: () => void;
}

const refusalText: Record<KeyRefusal, string> = {
  missing: "No API key: send the header Authorization: Bearer pp_…",
  malformed: "This is not a whole API key: a key is pp_ and 38 letters and digits; was it cut short in copying?",
  unknown: "This API key does not exist",
  revoked: "This API key was revoked",
  expired: "This API key has expired",
  disabled: "This API key is paused, or its account is frozen",
};

/** The error for a key that cannot be used. */
export function invalidApiKey(reason: KeyRefusal): AppError {
  return new AppError("INVALID_API_KEY", { message: refusalText[reason], details: { reason }, headers: { "www-authenticate": "Bearer" } });
}

/** The error for a caller without a key whose account may not spend. */
export const accountFrozen = (): AppError =>
  new AppError("INVALID_API_KEY", {
    message: "This account is frozen: it can be looked at, and spends nothing until the operator opens it again",
    details: { reason: "disabled" },
  });

/**
 * Finds the caller of a request, at once when this process knows the key.
 * @throws AppError INVALID_API_KEY; RATE_LIMIT_EXCEEDED when this client address failed too often
 */
export function authenticate(request: GatewayRequest): Caller | Promise<Caller> {
  const found = authenticateBearer(request.headers.authorization, () => admit(failedAuth().check(addressOf(request))));
  // A key that this process knows is there at once; awaiting it would cost every request a turn.
  return found instanceof Promise ? found.then((result) => callerOf(request, result)) : callerOf(request, found);
}

const addressOf = (request: GatewayRequest): string =>
  clientAddress(request.remoteAddress, request.headers["x-forwarded-for"], trustedProxies());

function callerOf(request: GatewayRequest, result: Authentication): Caller {
  if (!result.ok) {
    admit(failedAuth().record(addressOf(request)));
    throw invalidApiKey(result.reason);
  }
  const { key, name } = result;
  noteKeyUse(key.keyId);
  request.facts.accountId = key.accountId;
  request.facts.keyId = key.keyId;
  return {
    accountId: key.accountId,
    keyId: key.keyId,
    limitedAs: key.accountId,
    allowedModels: key.allowedModels,
    limits: {
      ratePerMinute: key.ratePerMinute ?? config().RATE_LIMIT_PER_MINUTE,
      concurrency: key.concurrency ?? config().CONCURRENCY_LIMIT,
    },
    forget: () => forgetKey(name),
  };
}

/** @throws AppError RATE_LIMIT_EXCEEDED when this address has failed too often */
function admit(attempt: Attempt): void {
  if (!attempt.granted) throw rateLimitExceeded("rate", attempt.retryAfterMs);
}
