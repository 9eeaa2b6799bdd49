// The errors of the client: the service's own, identified by their code, and the failure to get any answer from it.

import type { Cost } from "./types";

/** `details` of each code of the service; amounts are USD. More codes may be added to the service later. */
export interface ErrorDetails {
  /**
   * 400. `reason` names some cases for programs, `idempotency_mismatch` among them. With `context_length_exceeded` the numbers say how much the
   * prompt was too long, as far as they are known.
   */
  INVALID_REQUEST: {
    issues: { path: string; message: string }[];
    reason?: string;
    inputTokens?: number;
    outputTokens?: number;
    contextWindow?: number;
    ceiling?: number;
    maximum?: number;
    affordableMaxTokens?: number;
  };
  /** 400. `retiredOn` is the first day without a model that has retired, `successor` what to use instead. */
  INVALID_MODEL: { model: string; supportedModels: string[]; retiredOn?: string; successor?: string };
  /** 401 */
  INVALID_API_KEY: { reason: "missing" | "malformed" | "unknown" | "revoked" | "expired" | "rotated" | "disabled" };
  KEY_NOT_ALLOWED: { reason: "scope" | "address"; neededScope?: "prompt" | "read" | "account"; address?: string };
  /** 402. `deficit` is the missing amount; `affordableMaxTokens` is the most `maxTokens` that the balance covers. */
  INSUFFICIENT_BALANCE: {
    currentBalance: number;
    requiredBalance: number;
    deficit: number;
    affordableMaxTokens: number;
    depositUrl: string;
  };
  /** 402, of the API key's own cap. `resetsAt` is ISO 8601, or null when the cap has no period. */
  SPEND_CAP_REACHED: { cap: number; spent: number; resetsAt: string | null };
  /** 402. With `amount_too_low`, `requiredAmount` is the minimum in cents. */
  PAYMENT_VERIFICATION_FAILED: {
    reason:
      | "malformed"
      | "network_unsupported"
      | "amount_too_low"
      | "amount_mismatch"
      | "bad_signature"
      | "expired"
      | "payer_mismatch"
      | "replayed"
      | "allowance_too_low"
      | "wallet_balance_too_low"
      | "settlement_failed";
    requiredAmount?: number;
    minimumAmount?: number;
    ceiling?: number;
    issues?: { path: string; message: string }[];
  };
  /** 402, from the endpoint that x402 clients pay at; `accepts` holds x402's payment requirements. */
  PAYMENT_REQUIRED: { accepts: { network: string; amount: string; [field: string]: unknown }[] };
  /** 404 */
  NOT_FOUND: Record<string, unknown>;
  /** 405 */
  METHOD_NOT_ALLOWED: Record<string, unknown>;
  /** 409: a request with the same idempotency key is still running. */
  REQUEST_IN_PROGRESS: Record<string, unknown>;
  /** 409, from the endpoint that x402 clients pay at: the payment identifier is another payment's. */
  PAYMENT_CONFLICT: Record<string, unknown>;
  /** 415: never after a request of this client, which sends plain bodies. */
  UNSUPPORTED_MEDIA_TYPE: { accepted: string[] };
  /** 429 */
  RATE_LIMIT_EXCEEDED: { limit: "rate" | "concurrency"; retryAfterMs: number };
  /** 500, or inside a stream. With a `cost`, that much was charged, for what was delivered. */
  INTERNAL_ERROR: { reason: "provider_unavailable" | "provider_timeout" | "internal"; retryable: boolean; cost?: Cost };
  /** 503: sending the same request again never pays twice. */
  SETTLEMENT_PENDING: { reason: "outcome_unknown" | "chain_unavailable" };
  /** 503 */
  SERVICE_BUSY: Record<string, unknown>;
  /** 503: the model's provider has too much to do. Nothing was charged. */
  PROVIDER_BUSY: { reason: "provider_busy"; retryable: boolean; retryAfterMs: number };
  SHUTTING_DOWN: Record<string, unknown>;
}

export type ErrorCode = keyof ErrorDetails;

/** `docs` is the URL of the service's documentation page for the code. */
export type DetailsOf<Code extends string> = Code extends ErrorCode ? ErrorDetails[Code] & { docs: string } : Record<string, unknown>;

interface PennyPromptErrorFields<Code extends string> {
  code: Code;
  status: number;
  details: DetailsOf<Code>;
  requestId: string;
  retryAfterMs: number | undefined;
  idempotencyKey: string | undefined;
}

/** An error response of the service. `hasCode` narrows its code, and so the type of `details`. */
export class PennyPromptError<Code extends string = string> extends Error {
  override readonly name = "PennyPromptError";
  readonly code: Code;
  /** HTTP status; 200 when the error came inside a stream. */
  readonly status: number;
  readonly details: DetailsOf<Code>;
  /** Identifies the request to the operator; "" only when a proxy removed it. */
  readonly requestId: string;
  /** How long the service asks the client to wait, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The key under which a prompt was sent. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, fields: PennyPromptErrorFields<Code>) {
    super(message);
    this.code = fields.code;
    this.status = fields.status;
    this.details = fields.details;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.idempotencyKey = fields.idempotencyKey;
  }
}

/** True for the service's error with this code. */
export function hasCode<Code extends ErrorCode>(error: unknown, code: Code): error is PennyPromptError<Code> {
  return error instanceof PennyPromptError && error.code === code;
}

interface ConnectionErrorFields {
  status?: number;
  requestId?: string;
  idempotencyKey?: string;
  cause?: unknown;
}

/**
 * The service sent no answer, or one that broke off. The request may have been run, and charged, all the same: repeating it under the same
 * `idempotencyKey` gets its answer and is not charged again.
 */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** HTTP status of an error response that did not come from the service, such as a proxy's; undefined otherwise. */
  readonly status: number | undefined;
  /** Undefined unless the answer had begun. */
  readonly requestId: string | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { status, requestId, idempotencyKey, cause }: ConnectionErrorFields = {}) {
    super(message, { cause });
    this.status = status;
    this.requestId = requestId;
    this.idempotencyKey = idempotencyKey;
  }
}
