// The page of each error: its catalogue entry, when it happens, and a body as the API sends it.

import { type ErrorCode, errorCodes, errorRow } from "@/lib/base/errors";
import { ownErrorForm } from "@/lib/gateway/openapi/errors";

export interface ErrorPage {
  code: ErrorCode;
  status: number;
  title: string;
  /** What the caller should do. */
  fix: string;
  /** When the same request may succeed on a retry. */
  retry: string;
  when: string;
  /** Fields of `details` other than `docs`. */
  details: readonly { name: string; about: string }[];
  /** Indented JSON. */
  example: string;
}

/** Every code with its status and title, by status. */
export const listErrors = (): { code: ErrorCode; status: number; title: string }[] =>
  errorCodes.map((code) => ({ code, status: errorRow(code).status, title: errorRow(code).title }));

/** The page of `code`, or null for an unknown code. */
export function findErrorPage(code: string): ErrorPage | null {
  const known = errorCodes.find((name) => name === code);
  if (!known) return null;
  const { status, title, when, fix, retry, details } = errorRow(known);
  const rows = Object.entries(details.shape).map(([name, field]) => ({ name, about: field.description ?? "" }));
  return { code: known, status, title, fix, retry, when, details: rows, example: JSON.stringify(ownErrorForm.example(known), null, 2) };
}
