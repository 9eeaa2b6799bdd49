// An outside facilitator (X402_FACILITATOR_URL), which verifies payments and settles them for us. Its answers are not trusted: they only
// decide how long to look at the chain.

import { request } from "undici";
import { z } from "zod";
import { readBoundedText } from "@/lib/base/bounded-text";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { X402_VERSION } from "./wire";

/** The request to it: the payer's payload, and our requirements. */
export interface FacilitatorOrder {
  paymentPayload: object;
  paymentRequirements: object;
}

export type FacilitatorAnswer =
  /** It reports that the payment is good, or settled. */
  | { kind: "yes" }
  /** It reports why not. */
  | { kind: "no"; reason: string }
  /** It did not answer, or not readably. */
  | { kind: "silent" };

/** Capped by the time that a request waits for its payment. */
const ANSWER_TIMEOUT_MS = 5_000;
const SETTLE_TIMEOUT_MS = 20_000;
const SUPPORTED_FOR_MS = 600_000;
/** While it does not answer, requests do not ask it each time for the kinds it supports. */
const SILENT_FOR_MS = 5_000;
const MAX_ANSWER_BYTES = 262_144;
const MAX_REASON_CHARACTERS = 100;

const reason = z.string().nullish();
const verified = z.object({ isValid: z.boolean(), invalidReason: reason });
const settled = z.object({ success: z.boolean(), errorReason: reason });
const kind = z.object({
  x402Version: z.number(),
  scheme: z.string(),
  network: z.string(),
  extra: z.record(z.string(), z.unknown()).nullish(),
});
const supported = z.object({ kinds: z.array(kind) });

interface Call<T> {
  path: "verify" | "settle" | "supported";
  body: object | null;
  timeoutMs: number;
  form: z.ZodType<T>;
}

/** Null when it does not answer in time, or answers in another format. Any status counts: some facilitators refuse with 4xx. */
async function call<T>({ path, body, timeoutMs, form }: Call<T>): Promise<T | null> {
  try {
    const signal = AbortSignal.timeout(Math.min(timeoutMs, config().PAYMENT_WAIT_MS));
    const headers = { "content-type": "application/json", accept: "application/json" };
    const options = body ? ({ method: "POST", body: JSON.stringify(body) } as const) : ({ method: "GET" } as const);
    const answer = await request(`${config().X402_FACILITATOR_URL}/${path}`, { ...options, headers, signal });
    const text = await readBoundedText(answer.body, MAX_ANSWER_BYTES);
    const read = form.safeParse(text === null ? null : JSON.parse(text));
    if (read.success) return read.data;
    log().warn({ path, status: answer.statusCode }, "the x402 facilitator returned an invalid response");
  } catch (error) {
    // Log only the error's name: the message may hold the URL, which may hold a key.
    log().warn({ path, kind: error instanceof Error ? error.name : "unknown" }, "the x402 facilitator did not respond");
  }
  return null;
}

const said = (isYes: boolean, why: string | null | undefined): FacilitatorAnswer =>
  isYes ? { kind: "yes" } : { kind: "no", reason: (why ?? "unknown").slice(0, MAX_REASON_CHARACTERS) };

/** Whether it would settle a payment. */
export async function requestVerification(order: FacilitatorOrder): Promise<FacilitatorAnswer> {
  const answer = await call({
    path: "verify",
    body: { x402Version: X402_VERSION, ...order },
    timeoutMs: ANSWER_TIMEOUT_MS,
    form: verified,
  });
  return answer === null ? { kind: "silent" } : said(answer.isValid, answer.invalidReason);
}

/** Makes it settle a payment. Whatever it answers, the chain decides whether it did. */
export async function requestSettlement(order: FacilitatorOrder): Promise<FacilitatorAnswer> {
  const answer = await call({ path: "settle", body: { x402Version: X402_VERSION, ...order }, timeoutMs: SETTLE_TIMEOUT_MS, form: settled });
  return answer === null ? { kind: "silent" } : said(answer.success, answer.errorReason);
}

interface Kind {
  network: string;
  extra: Readonly<Record<string, unknown>>;
}

const knownKinds = processSingleton<{ url?: string; untilMs: number; kinds: readonly Kind[] | null }>("x402 facilitator", () => ({
  untilMs: 0,
  kinds: [],
}));

/** The networks where it settles the exact scheme, cached for a while; null while it does not answer. */
async function listKinds(url: string): Promise<readonly Kind[] | null> {
  const known = knownKinds();
  if (known.url === url && known.untilMs >= nowMs()) return known.kinds;
  const answer = await call({ path: "supported", body: null, timeoutMs: ANSWER_TIMEOUT_MS, form: supported });
  if (answer === null) {
    Object.assign(known, { url, untilMs: nowMs() + SILENT_FOR_MS, kinds: null });
    return null;
  }
  const ours = answer.kinds.filter(({ x402Version, scheme }) => x402Version === X402_VERSION && scheme === "exact");
  const kinds = ours.map(({ network, extra }) => ({ network, extra: extra ?? {} }));
  Object.assign(known, { url, untilMs: nowMs() + SUPPORTED_FOR_MS, kinds });
  return kinds;
}

async function findKind(network: string): Promise<Kind | null | undefined> {
  const { X402_FACILITATOR_URL: url } = config();
  if (url === undefined) return undefined;
  const kinds = await listKinds(url);
  if (kinds === null) return null;
  return kinds.find((kind) => kind.network === network) ?? kinds.find((kind) => isPatternOf(kind.network, network));
}

/** True when there is one, and it settles the exact scheme on `network`. While it does not answer, this assumes that it does. */
export const isFacilitated = async (network: string): Promise<boolean> => (await findKind(network)) !== undefined;

/** The extra fields that it requires of payers, its fee payer among them; null while it does not answer, or does not settle there. */
export const findFacilitatedExtra = async (network: string): Promise<Kind["extra"] | null> => (await findKind(network))?.extra ?? null;

/** `eip155:*` stands for every EVM chain. */
const isPatternOf = (pattern: string, network: string): boolean => pattern.endsWith(":*") && network.startsWith(pattern.slice(0, -1));
