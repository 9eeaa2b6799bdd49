// The errors of the client: the service's own, identified by their code, and the failure to get any answer from it.

import type { ErrorDetails } from "./api-types";

/** More codes may be added to the service later. */
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
 * The service sent no answer, or a broken one. The request may have been run, and charged, all the same: repeating it under the same
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
