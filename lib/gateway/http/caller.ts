// Identifies the caller and applies its limits: from the Authorization header to an account and its key, unless the address has guessed too
// often; then the account's own limits, its rate and its concurrent requests. A stream counts as concurrent until its end.

import { type Authentication, authenticateBearer, type KeyRefusal } from "@/lib/access/authenticate";
import { clientAddress, isInNetworks, trustedProxies } from "@/lib/access/client-address";
import type { KeyRecord, KeyScope } from "@/lib/access/find-key";
import { forgetKey, recordKeyUse } from "@/lib/access/key-cache";
import { type AddressVerdict, failedAuth } from "@/lib/access/limits/failed-auth";
import { limiter } from "@/lib/access/limits/limiter";
import type { Entry, LimitState, RateState } from "@/lib/access/limits/memory-limiter";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { AppError } from "@/lib/base/errors";
import type { AccountId, KeyId } from "@/lib/base/ids";
import type { GatewayRequest } from "./request";

/** A caller that requests an answer, with or without an account. */
export interface Buyer {
  /** The name that the limits are counted under. */
  limitedAs: string;
  limits: { ratePerMinute: number; concurrency: number };
  /** Models that may be called; null = all. */
  allowedModels: readonly string[] | null;
  /** Output limits are lowered as far as balance and cap demand, down to this many tokens; null: only where a request asks for it. */
  clipMinTokens: number | null;
  /** Absent without a key: who pays is known once the payment is read. */
  accountId?: AccountId;
}

/** A buyer with an account. */
export interface Caller extends Buyer {
  accountId: AccountId;
  /** Null for a signed-in caller without a key. */
  keyId: KeyId | null;
  /** Signed in, without a fresh signature: see Hold.isUnconfirmed. */
  isUnconfirmed?: boolean;
  scopes: readonly KeyScope[];
  /** Drops the key from this process's cache: the hold found that it changed. */
  forget: () => void;
}

const refusalText: Record<KeyRefusal, string> = {
  missing: "Missing API key. Send the header Authorization: Bearer pp_…",
  malformed: "This API key is incomplete. Keys are pp_ followed by 38 letters and digits. Copy it again",
  unknown: "This API key does not exist",
  revoked: "This API key was revoked",
  expired: "This API key has expired",
  rotated: "This API key has a new secret, and this one no longer works. Use the new one",
  disabled: "This API key is paused, or its account is frozen",
};

/** The error for a key that cannot be used. */
export function invalidApiKey(reason: KeyRefusal): AppError {
  return new AppError("INVALID_API_KEY", { message: refusalText[reason], details: { reason }, headers: { "www-authenticate": "Bearer" } });
}

/** The error for a caller without a key whose account may not spend. */
export const accountFrozen = (): AppError =>
  new AppError("INVALID_API_KEY", {
    message: "This account is frozen. Contact support to unfreeze it",
    details: { reason: "disabled" },
  });

/**
 * Finds the caller of a request, synchronously when this process knows the key.
 * @throws AppError INVALID_API_KEY; KEY_NOT_ALLOWED; RATE_LIMIT_EXCEEDED when this client address failed too often
 */
export const authenticate = (request: GatewayRequest): Caller | Promise<Caller> => authenticateFor(request, "prompt");

/** Like authenticate, for a caller that may read. */
export const authenticateReader = (request: GatewayRequest): Caller | Promise<Caller> => authenticateFor(request, "read");

function authenticateFor(request: GatewayRequest, needed: KeyScope): Caller | Promise<Caller> {
  const found = authenticateBearer(bearerOf(request), () => admitAddress(failedAuth().check(addressOf(request))));
  // A cached key is found synchronously; awaiting it would cost every request a microtask turn.
  return found instanceof Promise ? found.then((result) => callerOf(request, result, needed)) : callerOf(request, found, needed);
}

/**
 * Anthropic's clients send a key as `x-api-key`, and some send both: with a key of ours in Authorization that one counts, whatever the
 * other is (often a key of Anthropic's from the environment).
 */
function bearerOf({ headers: { authorization, "x-api-key": apiKey } }: GatewayRequest): string | undefined {
  return apiKey === undefined || /^bearer pp_/i.test(authorization ?? "") ? authorization : `Bearer ${apiKey}`;
}

/** The address of the client. */
export const addressOf = (request: GatewayRequest): string =>
  clientAddress(request.remoteAddress, request.headers["x-forwarded-for"], trustedProxies());

function callerOf(request: GatewayRequest, result: Authentication, needed: KeyScope): Caller {
  if (!result.ok) {
    admitAddress(failedAuth().record(addressOf(request)));
    throw invalidApiKey(result.reason);
  }
  const { key, name } = result;
  if (key.networks.length > 0) checkAddress(key, addressOf(request));
  checkScope(key, needed);
  recordKeyUse(key.keyId);
  request.facts.accountId = key.accountId;
  request.facts.keyId = key.keyId;
  return {
    accountId: key.accountId,
    keyId: key.keyId,
    limitedAs: key.accountId,
    allowedModels: key.allowedModels,
    clipMinTokens: key.clipMinTokens,
    scopes: key.scopes,
    limits: {
      ratePerMinute: key.ratePerMinute ?? config().RATE_LIMIT_PER_MINUTE,
      concurrency: key.concurrency ?? config().CONCURRENCY_LIMIT,
    },
    forget: () => forgetKey(name),
  };
}

const scopeText: Record<KeyScope, string> = {
  prompt: "send prompts",
  read: "read balance and usage",
  account: "read events and the whole account's usage",
};

/** @throws AppError KEY_NOT_ALLOWED */
export function checkScope({ scopes }: Pick<Caller, "scopes">, needed: KeyScope): void {
  if (scopes.includes(needed)) return;
  const message = `This API key is not allowed to ${scopeText[needed]}. Edit it in the console, under API keys, or use another key`;
  throw new AppError("KEY_NOT_ALLOWED", { message, details: { reason: "scope", neededScope: needed } });
}

/** @throws AppError KEY_NOT_ALLOWED */
function checkAddress({ networks }: KeyRecord, address: string): void {
  if (isInNetworks(address, networks)) return;
  const message = `This API key cannot be used from ${address}. Add this IP address to the key in the console, under API keys`;
  throw new AppError("KEY_NOT_ALLOWED", { message, details: { reason: "address", address } });
}

/** @throws AppError RATE_LIMIT_EXCEEDED when this address has failed too often */
function admitAddress(verdict: AddressVerdict): void {
  if (!verdict.granted) throw rateLimitExceeded("rate", verdict.retryAfterMs);
}

/**
 * Counts one request and takes one concurrency slot; the slot is returned when the request ends.
 * @throws AppError RATE_LIMIT_EXCEEDED
 */
export function limit(request: GatewayRequest, { limitedAs, limits }: Buyer): void | Promise<void> {
  const entered = limiter().enter(limitedAs, limits);
  // The in-memory limiter answers synchronously; awaiting it would cost every request a microtask turn.
  return entered instanceof Promise ? entered.then((entry) => admitEntry(request, entry)) : admitEntry(request, entered);
}

function admitEntry(request: GatewayRequest, entry: Entry): void {
  writeLimitHeaders(request.replyHeaders, entry.state);
  if (!entry.granted) throw rateLimitExceeded(entry.limit, entry.retryAfterMs);
  request.onEnd(entry.leave);
}

const limitText = {
  rate: "Too many requests in the last minute",
  concurrency: "Too many concurrent requests",
};

/** The error for an exceeded limit, with the time until it may grant a request. */
function rateLimitExceeded(limit: "rate" | "concurrency", retryAfterMs: number): AppError {
  return new AppError("RATE_LIMIT_EXCEEDED", {
    message: `${limitText[limit]}; try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s`,
    details: { limit, retryAfterMs: Math.ceil(retryAfterMs) },
    headers: { "retry-after": retryAfter(retryAfterMs) },
  });
}

// RateLimit-Policy and RateLimit follow draft-ietf-httpapi-ratelimit-headers-11: lists of quoted policy names; `q` quota, `w` window in
// seconds, `qu` unit; `r` remaining, `t` seconds until reset. X-RateLimit-Reset is Unix seconds, as GitHub made common; clients that
// also accept seconds from now tell the two apart by size.

/** Adds the headers of `state` to `headers` (lower-case names): an account's two limits, or an address's one limit on failures. */
export function writeLimitHeaders(headers: Record<string, string>, state: LimitState | RateState): void {
  const { ratePerMinute, remaining, resetAtMs } = state;
  const resetS = Math.max(0, Math.ceil((resetAtMs - nowMs()) / 1_000));
  if ("concurrency" in state) {
    headers["ratelimit-policy"] = `"rate";q=${ratePerMinute};w=60, "concurrency";q=${state.concurrency};qu="concurrent-requests"`;
    headers.ratelimit = `"rate";r=${remaining};t=${resetS}, "concurrency";r=${state.freeSlots}`;
  } else {
    headers["ratelimit-policy"] = `"failed-auth";q=${ratePerMinute};w=60`;
    headers.ratelimit = `"failed-auth";r=${remaining};t=${resetS}`;
  }
  headers["x-ratelimit-limit"] = `${ratePerMinute}`;
  headers["x-ratelimit-remaining"] = `${remaining}`;
  headers["x-ratelimit-reset"] = `${Math.ceil(resetAtMs / 1_000)}`;
}

/** The value of Retry-After: whole seconds, at least 1. */
export const retryAfter = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))}`;
