// Browsers (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol): the pages of other sites that may call the API. Endpoints for wallets
// are open to every page, since they take no key and no cookie. The others are open to the pages that CORS_ORIGINS lists: a key in a page is
// its visitors' to copy. No answer allows credentials.

import { config } from "@/lib/base/config";
import { SIGN_IN } from "../x402/sign-in";
import { type Endpoint, endpoint } from "./endpoint";
import type { GatewayRequest } from "./request";

/** Every page may call these. */
export const walletPaths = new Set(["/api/v1/x402/prompt", "/.well-known/x402", "/api/v1/payment-terms"]);

/**
 * The first in each line is for every client, then ours, then what x402's clients send. Its fetch wrapper sends
 * Access-Control-Expose-Headers, the name of an answer's header, with the request that pays (@x402/fetch 2, index.js).
 */
const walletHeaders = [
  "Content-Type",
  ...["Idempotency-Key", "X-Request-Id"],
  ...["PAYMENT-SIGNATURE", "X-PAYMENT", SIGN_IN.toUpperCase(), "Access-Control-Expose-Headers"],
];

/**
 * The headers of OpenAI's and Anthropic's clients in a browser (openai 6, @anthropic-ai/sdk 1). They add others with each release, which `*`
 * allows; it never covers Authorization.
 */
const keyHeaders = [
  ...["Authorization", "X-API-Key", "Content-Type", "Idempotency-Key", "Payment-Proof", "X-Clip-To-Balance", "X-Client-Request-Id"],
  ...["OpenAI-Organization", "OpenAI-Project", "OpenAI-Beta"],
  ...["anthropic-version", "anthropic-beta", "anthropic-dangerous-direct-browser-access"],
  ...["lang", "package-version", "os", "arch", "runtime", "runtime-version", "retry-count", "timeout", "helper", "helper-method"].map(
    (name) => `x-stainless-${name}`,
  ),
  "*",
];

const EXPOSED = [
  ...["X-Request-Id", "Request-Id", "Retry-After", "X-Should-Retry", "RateLimit", "RateLimit-Policy"],
  ...["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Server-Timing"],
  ...["PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "Idempotent-Replayed", "X-Clipped-To", "X-Dropped-Tools"],
  ...["WWW-Authenticate", "Allow", "Accept-Encoding"],
].join(", ");

/** As long as Chrome keeps it; after that a change of CORS_ORIGINS counts. */
const MAX_AGE_S = 7_200;

const ALLOWED = "access-control-allow-origin";

/** Writes the headers that every answer to this request has for the page that sent it. */
export function allowOrigin({ path, headers: { origin }, replyHeaders }: GatewayRequest): void {
  const allowed = walletPaths.has(path) ? "*" : allowedByOperator(path, origin);
  if (allowed === undefined) return;
  if (allowed !== "*") replyHeaders.vary = "Origin";
  if (allowed === "") return;
  replyHeaders[ALLOWED] = allowed;
  replyHeaders["access-control-expose-headers"] = EXPOSED;
}

/** Who may call by CORS_ORIGINS: `*`, or the listed origin. Empty: this origin may not. Undefined: no origin may. */
function allowedByOperator(path: string, origin: string | undefined): string | undefined {
  const { CORS_ORIGINS: origins } = config();
  if (origins.length === 0 || !path.startsWith("/api/v1/")) return undefined;
  if (origins.includes("*")) return "*";
  return origin !== undefined && origins.includes(origin) ? origin : "";
}

/** True once the page of this request, or every page, may call its path. */
export const isAllowed = ({ replyHeaders }: GatewayRequest): boolean => replyHeaders[ALLOWED] !== undefined;

/**
 * Answers a browser's preflight request. `methods` are those of the path. An unknown path allows all: its page shall be able to read the
 * 404.
 */
export const answerPreflight = (methods: readonly string[] = ["GET", "POST"]): Endpoint =>
  endpoint("preflight", async (request) => {
    const headers = request.replyHeaders;
    const all = [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].join(", ");
    headers["x-request-id"] = request.id;
    headers["x-content-type-options"] = "nosniff";
    headers.allow = all;
    headers["access-control-allow-methods"] = all;
    headers["access-control-allow-headers"] = (walletPaths.has(request.path) ? walletHeaders : keyHeaders).join(", ");
    headers["access-control-max-age"] = `${MAX_AGE_S}`;
    return { status: 204, headers, body: "", end: request.end };
  });
