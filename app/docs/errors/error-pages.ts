// The page of each error: what the catalogue says of it, when it happens, and a body as the API sends it.

import { type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import { EXAMPLE_REQUEST_ID } from "../../examples";
import { BASE_URL, errorNotes } from "./error-notes";

export interface ErrorPage {
  code: ErrorCode;
  status: number;
  title: string;
  /** What the caller does about it. */
  fix: string;
  /** When the same request may succeed if it is sent again. */
  retry: string;
  when: string;
  /** Fields of `details` beside `docs`. */
  details: readonly { name: string; about: string }[];
  /** Indented JSON. */
  example: string;
}

const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** Every code with its status and title, by status. */
export const listErrors = (): { code: ErrorCode; status: number; title: string }[] =>
  codes.map((code) => ({ code, status: errorCatalogue[code].status, title: errorCatalogue[code].title }));

/** The page of `code`, or null when there is no such code. */
export function findErrorPage(code: string, baseUrl: string): ErrorPage | null {
  const known = codes.find((name) => name === code);
  if (!known) return null;
  const { when, details, example } = errorNotes[known];
  const { status, title, fix, retry } = errorCatalogue[known];
  const body = {
    error: example.error ?? title,
    code: known,
    details: { ...example.details, docs: `${BASE_URL}/docs/errors/${known}` },
    requestId: EXAMPLE_REQUEST_ID,
  };
  const rows = Object.entries(details).map(([name, about]) => ({ name, about }));
  return {
    code: known,
    status,
    title,
    fix,
    retry,
    when,
    details: rows,
    example: JSON.stringify(body, null, 2).replaceAll(BASE_URL, baseUrl),
  };
}
