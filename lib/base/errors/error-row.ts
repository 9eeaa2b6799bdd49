// One row of the error catalogue: all that the API, its formats, its document, its client and its docs say of an error code.

import type { z } from "zod";

/** The placeholder in examples for this service's address. */
export const BASE_URL = "{baseUrl}";

/** An operation of the API ends with the errors of its sources. */
export type ErrorSource =
  /** Every operation. */
  | "any"
  /** A path with an ID in it. */
  | "path"
  /** An operation that needs an API key. */
  | "key"
  /** A body that names a model, and is not run. */
  | "model"
  /** A prompt that an API key pays for. */
  | "prompt"
  /** A count of tokens, which its provider makes. */
  | "count"
  /** A prompt that x402 pays for. */
  | "x402"
  /** A body that may be larger than 1 MiB. */
  | "upload";

export interface ErrorRow {
  status: number;
  title: string;
  /** What causes it. */
  when: string;
  /** What the caller should do. */
  fix: string;
  /** When the same request may succeed if it is sent again. */
  retry: string;
  /** `error.type` in OpenAI's format; its client chooses the class of the error that it throws by the status alone. */
  openai:
    | "invalid_request_error"
    | "authentication_error"
    | "permission_error"
    | "insufficient_quota"
    | "rate_limit_error"
    | "server_error";
  /** `error.type` and status in Anthropic's format: docs.anthropic.com/en/api/errors. */
  anthropic: {
    type:
      | "invalid_request_error"
      | "authentication_error"
      | "permission_error"
      | "billing_error"
      | "not_found_error"
      | "rate_limit_error"
      | "api_error"
      | "overloaded_error";
    /** Null: the row's own. */
    status: number | null;
  };
  /** The headers of its answers, besides those of every answer. */
  headers: readonly ("Accept-Encoding" | "Retry-After" | "WWW-Authenticate")[];
  /** Where it can come from; nothing for an error that no operation of the document has. */
  from: readonly ErrorSource[];
  /** Each field of `details` but `docs`, described in a sentence. */
  details: z.ZodObject;
  /** One real case. `error` is its message; null for the title. */
  example: { error: string | null; details: Readonly<Record<string, unknown>> };
}
