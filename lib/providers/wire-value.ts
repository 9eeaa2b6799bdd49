// What a provider sends is unknown until it has been checked: the checks that all wire formats share, and that of its request ids. A value
// of the wrong kind fails the call as `malformed`. Messages name fields and never quote an answer, which is the customer's.

import { z } from "zod";
import { isNestedWithin } from "@/lib/base/json";
import { ProviderFailure, type ProviderId, type TokenUsage } from "./types";

/** Far above what any model can read or write; a count beyond it is a provider's mistake and must not become a price. */
const tokenLimit = 1_000_000_000;

/** A count of tokens; absent and null mean that the provider did not say. */
export const tokenCountSchema = z.number().int().min(0).lt(tokenLimit).nullish();

/** A failure of an answer that began with 200: the provider may bill for it. */
export function malformed(what: string): ProviderFailure {
  return new ProviderFailure("malformed", what, { accepted: true });
}

/** @throws ProviderFailure malformed */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, so it is not kept as the cause.
    throw malformed(`${what} is not JSON`);
  }
}

/** @throws ProviderFailure malformed, naming the first field that is wrong */
export function readShape<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw malformed(`${what}: ${issue?.path.join(".") ?? ""} ${issue?.code ?? "invalid"}`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON of any depth can be read, but only some four thousand levels can be written again, those around it among them. */
const MAX_LEVELS = 1_000;

/** The object that `text` is the JSON of; undefined for any other text, and for one too deep to be written into a request. */
export function readJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isNestedWithin(value, MAX_LEVELS) ? value : undefined;
  } catch {
    // A model may write arguments that are no JSON, and a function may return any text.
    return undefined;
  }
}

/**
 * Closes a usage that was added up from a provider's counts. The parts that only inform (cached, reasoning) are cut to
 * their wholes, which alone are charged.
 * @throws ProviderFailure malformed, when a sum is absurd
 */
export function closeUsage(usage: TokenUsage): TokenUsage {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens >= tokenLimit || outputTokens >= tokenLimit) throw malformed("usage adds up to an absurd number of tokens");
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: Math.min(usage.cachedInputTokens, inputTokens),
    reasoningTokens: Math.min(usage.reasoningTokens, outputTokens),
  };
}

// The provider's own id of a request: its support asks for it, and its invoice is reconciled by it. A response header holds it; without
// that header, the id in the answer's body counts. Only a short, printable one is accepted, and an odd one fails nothing.

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
