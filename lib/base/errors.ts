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
    title: "The request is invalid",
    retry: "after it is corrected",
    fix: "Correct the fields listed in details.issues.",
  },
  INVALID_MODEL: {
    status: 400,
    title: "Unknown model",
    retry: "with a supported model",
    fix: "Use a model from details.supportedModels, or list them with GET /api/v1/models.",
  },
  INVALID_API_KEY: {
    status: 401,
    title: "The API key is missing or invalid",
    retry: "with a working key",
    fix: "Send your key in the header Authorization: Bearer pp_…; details.reason says what is wrong with it.",
  },
  KEY_NOT_ALLOWED: {
    status: 403,
    title: "This API key is not allowed to do this",
    retry: "with a key that is allowed to",
    fix: "details.reason says what is missing: a scope, or your IP address in the key's allowlist. Edit the key in the console, or use another key.",
  },
  INSUFFICIENT_BALANCE: {
    status: 402,
    title: "Not enough USDC",
    retry: "after a deposit",
    fix: "Deposit at least details.deficit (the minimum deposit is $1), or lower maxTokens to details.affordableMaxTokens.",
  },
  SPEND_CAP_REACHED: {
    status: 402,
    title: "The request could exceed the key's spending limit",
    retry: "after details.resetsAt, or with a higher limit",
    fix: "Raise the key's spending limit in the console, use another key, or wait until details.resetsAt.",
  },
  PAYMENT_VERIFICATION_FAILED: {
    status: 402,
    title: "The signed payment was not accepted",
    retry: "with a corrected payment",
    fix: "details.reason says why, and the message how to fix it. Unless the message says otherwise, no USDC has moved.",
  },
  PAYMENT_REQUIRED: {
    status: 402,
    title: "Payment required",
    retry: "with a payment",
    fix: "Sign one of details.accepts and send the same request again with it in PAYMENT-SIGNATURE. x402 clients do this automatically.",
  },
  NOT_FOUND: {
    status: 404,
    title: "Not found",
    retry: "with another path",
    fix: "Check the path and the ID in it. The API reference lists all endpoints.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: "Method not allowed",
    retry: "with a method from the Allow header",
    fix: "Use one of the methods in the Allow header.",
  },
  REQUEST_IN_PROGRESS: {
    status: 409,
    title: "The same request is still running",
    retry: "after Retry-After",
    fix: "Wait until the first request ends, then send it again. If the first request was answered, you get that answer without another charge.",
  },
  PAYMENT_CONFLICT: {
    status: 409,
    title: "This payment identifier belongs to another payment or request",
    retry: "with a new payment identifier",
    fix: "Choose a new payment-identifier for each new payment. To repeat a request, send it again with exactly the same payment and body.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: "The body's compression is not supported",
    retry: "with a plain body, or another Content-Encoding",
    fix: "Send the body without Content-Encoding, or with one of details.accepted.",
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: "Too many requests",
    retry: "after details.retryAfterMs",
    fix: "Wait for the time in Retry-After. details.limit says which limit you reached: rate or concurrency.",
  },
  INTERNAL_ERROR: {
    status: 500,
    title: "Something went wrong on our side",
    retry: "with exponential backoff, if details.retryable is true",
    fix: "You were not charged unless the error includes a cost. Retry if details.retryable is true; with the same Idempotency-Key, you are never charged twice. Include requestId when you contact support.",
  },
  SETTLEMENT_PENDING: {
    status: 503,
    title: "The payment is still being confirmed",
    retry: "the same request, after Retry-After",
    fix: "Send the same request again after Retry-After: you never pay twice.",
  },
  SERVICE_BUSY: {
    status: 503,
    title: "Too many large requests right now",
    retry: "after Retry-After",
    fix: "Send the request again after Retry-After. Bodies of up to 1 MiB are not affected.",
  },
  PROVIDER_BUSY: {
    status: 503,
    title: "The model's provider is busy",
    retry: "after Retry-After",
    fix: "You were not charged. Send the request again after Retry-After, or use another model.",
  },
  SHUTTING_DOWN: {
    status: 503,
    title: "The server is restarting",
    retry: "after Retry-After",
    fix: "Send the request again after Retry-After.",
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
