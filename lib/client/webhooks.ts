// Webhooks: checks that a request comes from the service, after Standard Webhooks 1.0, and reads its event. It needs only Web Crypto.

import type { WebhookEvent } from "./types";

/** The request is not from the service, or is too old: answer it with 400. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

export interface WebhookRequest {
  /** The body as it came, before anything parsed it. */
  body: string;
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** The endpoint's secret, which begins with `whsec_`; several while you change it. */
  secret: string | readonly string[];
  /** How old a request may be; 300 by default. */
  toleranceSeconds?: number;
  /** For tests: the present time, Unix milliseconds. */
  nowMs?: number;
}

/**
 * Checks a webhook's signature and time, and returns its event.
 * @throws WebhookError when it must not be trusted
 * @throws TypeError when the secret is none
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
  nowMs = Date.now(),
}: WebhookRequest): Promise<WebhookEvent> {
  const read = (name: string): string => readHeader(headers, name);
  const [id, timestamp] = [read("webhook-id"), read("webhook-timestamp")];
  const sent = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(nowMs / 1_000 - sent) <= toleranceSeconds))
    throw new WebhookError("The webhook is too old, or this machine's clock is wrong.");
  const signatures = read("webhook-signature")
    .split(" ")
    .flatMap((text) => (text.startsWith("v1,") ? [decodeBase64(text.slice(3))] : []));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await importSecret(one);
    for (const signature of signatures)
      if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) return JSON.parse(body);
  }
  throw new WebhookError("The webhook's signature does not match: check the secret, and pass the body as it came.");
}

function readHeader(headers: WebhookRequest["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "") throw new WebhookError(`The request has no header ${name}.`);
  return value;
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith("whsec_") ? decodeBase64(secret.slice("whsec_".length)) : null;
  if (!bytes || bytes.length < 16) throw new TypeError("The secret must be the endpoint's, which begins with whsec_.");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
