// The provider's own id of a request: its support asks for it, and its invoice is reconciled by it. A response header holds it;
// without that header, the id in the answer's body counts. Both come from outside: only a short, printable one is accepted.

import type { ProviderId } from "./types";

/** In lower case. Undefined: the provider names a request in the body alone. */
const headerName: Record<ProviderId, string | undefined> = {
  // https://platform.openai.com/docs/api-reference/debugging-requests
  openai: "x-request-id",
  // https://docs.anthropic.com/en/api/overview, "Response headers"
  anthropic: "request-id",
  // `responseId` "is used to identify each response": https://ai.google.dev/api/generate-content
  gemini: undefined,
  // Neither documents it; public projects that record their answers' headers name these two.
  xai: "x-request-id",
  deepseek: "x-ds-trace-id",
};

/** A support ticket, a log and a database column take it as it is. */
const printable = /^[!-~]{1,128}$/;

/** What a header or a body gave as an id, if it can be one. */
export const acceptRequestId = (value: unknown): string | undefined =>
  typeof value === "string" && printable.test(value) ? value : undefined;

/** From headers by their names in lower case. A repeated header counts as it came first. */
export function readRequestId(headers: Record<string, string | string[] | undefined>, provider: ProviderId): string | undefined {
  const name = headerName[provider];
  const value = name === undefined ? undefined : headers[name];
  return acceptRequestId((typeof value === "string" ? value : value?.[0])?.trim());
}

/** From undici's raw headers, names and values in turn. To parse all of them takes 6 µs of each request, this 0.2 µs. */
export function readRawRequestId(headers: readonly Buffer[], provider: ProviderId): string | undefined {
  const name = headerName[provider];
  if (name === undefined) return undefined;
  for (let index = 0; index < headers.length; index += 2) {
    // Undici leaves the white space behind a value.
    if (isNamed(headers[index], name)) return acceptRequestId(headers[index + 1]?.toString("latin1").trim());
  }
  return undefined;
}

function isNamed(bytes: Buffer | undefined, name: string): boolean {
  if (bytes?.length !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    // The bit 0x20 makes a capital letter small, and leaves small letters and hyphens as they are.
    if (((bytes[index] ?? 0) | 0x20) !== name.charCodeAt(index)) return false;
  }
  return true;
}
