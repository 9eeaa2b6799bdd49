// Every error that leaves the service: a row for each code, which all formats, docs and types derive from, and one class to throw.
// `details` and `message` are public; `context` and `cause` are logged and never sent.

import type { ErrorRow } from "./errors/error-row";
import { moneyErrors } from "./errors/money-errors";
import { protocolErrors } from "./errors/protocol-errors";
import { requestErrors } from "./errors/request-errors";
import { serviceErrors } from "./errors/service-errors";
import type { Json } from "./json";

export const errorCatalogue = { ...requestErrors, ...moneyErrors, ...protocolErrors, ...serviceErrors };

export type ErrorCode = keyof typeof errorCatalogue;

export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[];

/** The row of a code. */
export const errorRow = (code: ErrorCode): ErrorRow => errorCatalogue[code];

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
