// Every error that leaves the service: one catalogue entry per code (status, cure, docs text) and one class to throw.
// `details` and `message` are public; `context` and `cause` are logged and never sent.

import type { Json } from "./json";

interface CatalogueEntry {
  status: number;
  title: string;
  /** When the same request may succeed if it is sent again. */
  retry: string;
  /** What the caller should do. */
  fix: string;
}

export const errorCatalogue = {
  INVALID_REQUEST: {
    status: 400,
    title: "The request cannot be read",
    retry: "after it is corrected",
    fix: "Each entry of details.issues names a field and says what it must be.",
  },
  INVALID_MODEL: {
    status: 400,
    title: "The model is not in the catalogue",
    retry: "with a supported model",
    fix: "Pick a name from details.supportedModels, or list them with GET /api/v1/models.",
  },
  INVALID_API_KEY: {
    status: 401,
    title: "The API key is missing or cannot be used",
    retry: "with a working key",
    fix: "Send the header Authorization: Bearer pp_…; details.reason tells what is wrong with the one that was sent.",
  },
  INSUFFICIENT_BALANCE: {
    status: 402,
    title: "Not enough USDC",
    retry: "after a deposit",
    fix: "Deposit at least details.deficit, or lower maxTokens to details.affordableMaxTokens.",
  },
  SPEND_CAP_REACHED: {
    status: 402,
    title: "The key's own spending cap is reached",
    retry: "after details.resetsAt, or with a higher cap",
    fix: "Raise the cap of this key in the console, use another key, or wait until details.resetsAt.",
  },
  PAYMENT_VERIFICATION_FAILED: {
    status: 402,
    title: "The signed payment was not accepted",
    retry: "with a corrected payment",
    fix: "details.reason tells why. A payment that was refused has moved no money.",
  },
  PAYMENT_REQUIRED: {
    status: 402,
    title: "This request is paid for with x402",
    retry: "with a payment",
    fix: "Sign one of details.accepts, and send the very same request again with it in PAYMENT-SIGNATURE; a client of x402 does so by itself.",
  },
  NOT_FOUND: {
    status: 404,
    title: "There is nothing at this address",
    retry: "with another path",
    fix: "Check the path; the endpoints are listed in the API reference.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "This endpoint does not take this method",
    retry: "with a method of the Allow header",
    fix: "Use one of the methods in the Allow header.",
  },
  REQUEST_IN_PROGRESS: {
    status: 409,
    title: "A request with this Idempotency-Key is still running",
    retry: "in a moment",
    fix: "Wait for the first request to end and send the same one again; it is answered from the first.",
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: "Too many requests",
    retry: "after details.retryAfterMs",
    fix: "Wait for the time in Retry-After; details.limit tells whether the rate or the concurrency was exceeded.",
  },
  INTERNAL_ERROR: {
    status: 500,
    title: "The request could not be answered",
    retry: "with growing delay when details.retryable is true",
    fix: "Nothing was charged unless the error carries a cost. Retry when details.retryable is true; quote requestId to support.",
  },
  SETTLEMENT_PENDING: {
    status: 503,
    title: "The payment's outcome is not known yet",
    retry: "the very same request, after Retry-After",
    fix: "The payment was broadcast. Send the same request again: it never pays twice.",
  },
  SHUTTING_DOWN: {
    status: 503,
    title: "This process is shutting down",
    retry: "after Retry-After",
    fix: "Send the request again; another process will answer it.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

interface AppErrorOptions {
  /** Replaces the catalogue's title as the public message. */
  message?: string;
  /** Public, sent in the body. */
  details?: { readonly [key: string]: Json };
  /** Response headers that belong to this error, lower-case names. */
  headers?: Record<string, string>;
  /** For the log only. */
  context?: Record<string, unknown>;
  cause?: unknown;
}

const brand = Symbol.for("pennyprompt.AppError");

/** An error that reaches the caller with the status and texts of its catalogue entry. */
export class AppError extends Error {
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly details: { readonly [key: string]: Json };
  readonly headers: Record<string, string>;
  readonly context: Record<string, unknown>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? errorCatalogue[code].title, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
    this.context = options.context ?? {};
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** True for an AppError of any copy of this module; `instanceof` fails between Next's bundles. */
export function isAppError(error: unknown): error is AppError {
  return typeof error === "object" && error !== null && (error as { [brand]?: boolean })[brand] === true;
}
