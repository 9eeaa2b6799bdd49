// Provider data is unknown until it has been checked: the checks that all wire formats share, and the check of request ids. A value of
// the wrong type fails the call as `malformed`. Messages name fields and never quote an answer, which belongs to the customer.

import { z } from "zod";
import { isNestedWithin } from "@/lib/base/json";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { readJson } from "@/lib/base/sliced-json";
import type { Slices } from "@/lib/base/slices";
import { countsOf, type KindNeeds, noTokens, partKinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import type { ProviderId } from "./model-route";
import { ProviderFailure, type TokenUsage } from "./types";

/** Far above what any model can read or write; a higher count is a provider's mistake and must not become a price. */
const tokenLimit = 1_000_000_000;

/** A count of tokens, which some servers write as a text; absent and null mean that the provider sent none. */
export const tokenCountSchema = z
  .union([
    z.number().int().min(0).lt(tokenLimit),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .nullish();

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

/** @throws ProviderFailure malformed, naming the first wrong field */
export function readShape<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw malformed(`${what}: ${issue?.path.join(".") ?? ""} ${issue?.code ?? "invalid"}`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON of any depth can be parsed, but only about four thousand levels can be stringified, surrounding levels included. */
const MAX_LEVELS = 1_000;

/** Told by the first character: for a text that is no JSON, JSON.parse builds an error, which takes some microseconds. */
const beginsObject = /^[ \t\n\r]*\{/;

/** The object in the JSON `text`; undefined for any other text, and for an object too deep to be written into a request. */
export function readJsonObject(text: string): Record<string, unknown> | undefined {
  if (!beginsObject.test(text)) return undefined;
  try {
    return objectOf(JSON.parse(text));
  } catch {
    // A model may write arguments that are not JSON, and a function may return any text.
    return undefined;
  }
}

/** The same in slices, for a long text. */
export function* readJsonObjectInSlices(text: string): Slices<Record<string, unknown> | undefined> {
  if (!beginsObject.test(text)) return undefined;
  const reading = yield* readJson(text);
  return "value" in reading ? objectOf(reading.value) : undefined;
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  isRecord(value) && isNestedWithin(value, MAX_LEVELS) ? value : undefined;

/** A provider's counts, added up so that `inputTokens` includes every kind of input. Kinds that it does not have may be left out. */
type CountedUsage = Pick<TokenUsage, "inputTokens" | "outputTokens"> & Partial<TokenUsage>;

/**
 * Which kinds come first where they do not all fit into their side: of the two cache writes the write for hours, which only a later report
 * tells.
 */
const inOrder = (["nothing", "cache writes for hours", "cache writes", "images"] as const satisfies readonly KindNeeds[]).flatMap((needs) =>
  partKinds.filter((kind) => tokenKinds[kind].needs === needs),
);

/** The providers' own objects that usages were read from. */
const vendorUsages = processSingleton("usages of vendors", () => new WeakMap<TokenUsage, object>());

/** The provider's own usage object, for the operator's log; undefined for a count of our own. */
export const vendorUsageOf = (usage: TokenUsage): object | undefined => vendorUsages().get(usage);

/**
 * Validates a usage added up from a provider's counts. Kinds never exceed their side; tokens that do not fit are left out, and the log says
 * so.
 * @throws ProviderFailure malformed, when a sum is absurd
 */
export function closeUsage(counted: CountedUsage, vendorUsage: object): TokenUsage {
  const left = { input: counted.inputTokens, output: counted.outputTokens };
  if (left.input >= tokenLimit || left.output >= tokenLimit) throw malformed("usage adds up to an absurd number of tokens");
  const usage: TokenUsage = { ...noTokens, ...counted };
  let isTooMuch = false;
  for (const kind of inOrder) {
    const { count, partOf, needs } = tokenKinds[kind];
    const tokens = Math.min(usage[count], left[partOf]);
    left[partOf] -= tokens;
    // Images may be among the cached tokens.
    isTooMuch ||= tokens < usage[count] && needs !== "images";
    usage[count] = tokens;
  }
  if (isTooMuch) log().warn({ usage: counted }, "a provider counted more tokens of a kind than in all: the rest is left out");
  vendorUsages().set(usage, vendorUsage);
  return usage;
}

/** Of each kind the larger count: a later report may leave one out. Kinds still fit into their total. */
export function largestUsage(one: TokenUsage | undefined, other: TokenUsage): TokenUsage {
  if (one === undefined) return other;
  const largest = countsOf((kind) => Math.max(one[tokenKinds[kind].count], other[tokenKinds[kind].count]));
  return closeUsage(largest, { ...vendorUsageOf(one), ...vendorUsageOf(other) });
}

// The service tier of an answer. Requests name the standard one, at whose prices we sell; an answer of another tier is billed at prices that
// nobody agreed to. The customer pays the standard price: the difference is ours, and an alarm.

/** Providers' names for the tier of their list prices: OpenAI and xAI, Anthropic, Groq. */
const standardTiers: ReadonlySet<string> = new Set(["default", "auto", "standard", "on_demand"]);
/** Others are counted under one name: a label's values must be few. */
const knownTiers: ReadonlySet<string> = new Set(["priority", "fast", "flex", "scale", "batch"]);

/** Reports an answer of another tier; `tier` comes unchecked from the answer. */
export function checkServiceTier(tier: unknown): void {
  if (typeof tier !== "string" || standardTiers.has(tier)) return;
  metrics().otherServiceTiers.inc({ tier: knownTiers.has(tier) ? tier : "other" });
  log().error(
    { tier: tier.slice(0, 40) },
    "a provider served a call in another service tier than the standard one: we bear the difference",
  );
}

// The provider's own id of a request: its support asks for it, and its invoice is reconciled by it. It comes in a response header;
// without that header, the id in the answer's body counts. Only a short, printable id is accepted; any other is ignored, not an error.

/** In lower case. Undefined: the provider sends the id in the body only. */
const headerName: Readonly<Record<string, string | undefined>> = {
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

/** Short and printable, so a support ticket, a log and a database column can hold it unchanged. */
const printable = /^[!-~]{1,128}$/;

/** The value of a header or a body field as an id, if it is a valid one. */
export const acceptRequestId = (value: unknown): string | undefined =>
  typeof value === "string" && printable.test(value) ? value : undefined;

/** From headers by lower-case name. Of a repeated header the first value counts. */
export function readRequestId(headers: Record<string, string | string[] | undefined>, provider: ProviderId): string | undefined {
  const name = headerName[provider];
  const value = name === undefined ? undefined : headers[name];
  return acceptRequestId((typeof value === "string" ? value : value?.[0])?.trim());
}

/** From undici's raw headers, names and values in turn. Parsing all of them takes 6 µs of each request, this 0.2 µs. */
export function readRawRequestId(headers: readonly Buffer[], provider: ProviderId): string | undefined {
  const name = headerName[provider];
  if (name === undefined) return undefined;
  for (let index = 0; index < headers.length; index += 2) {
    // Undici leaves trailing white space in a value.
    if (isNamed(headers[index], name)) return acceptRequestId(headers[index + 1]?.toString("latin1").trim());
  }
  return undefined;
}

function isNamed(bytes: Buffer | undefined, name: string): boolean {
  if (bytes?.length !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) {
    // The bit 0x20 turns a capital letter into lower case, and leaves lower-case letters and hyphens unchanged.
    if (((bytes[index] ?? 0) | 0x20) !== name.charCodeAt(index)) return false;
  }
  return true;
}
