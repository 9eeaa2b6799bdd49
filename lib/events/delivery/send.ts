// One attempt to bring an event to a webhook or a chat. Mails go together: mails.ts sends them.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { peppers } from "@/lib/base/pepper";
import type { Prisma } from "@/lib/db/prisma";
import { bodyOf, type EndpointKind } from "../bodies";
import type { DeliveryTry } from "../deliveries";
import type { AccountEvent } from "../outbox";
import type { OutsideAnswer, OutsideClient } from "../outside/client";
import { signature, webhookSecret } from "../secrets";
import { readRetryAfter } from "./attempts";

export interface Outcome extends Pick<DeliveryTry, "status" | "error" | "bytes"> {
  isDelivered: boolean;
  /** The receiver wants nothing any more. */
  isGone?: true;
  /** Trying again cannot help. */
  isFinal?: true;
  /** For how long the receiver asked to be left alone. */
  retryAfterMs?: number;
}

export type Send = (endpoint: Prisma.EndpointModel, event: AccountEvent, client: OutsideClient) => Promise<Outcome>;

const MAX_BODY_BYTES = 20_000;

const senders: Readonly<Partial<Record<EndpointKind, Send>>> = {
  webhook: (endpoint, event, client) => post(client, endpoint, bodyOf("webhook", event), (body) => webhookHeaders(endpoint, event, body)),
  chat: (endpoint, event, client) => post(client, endpoint, bodyOf("chat", event), () => ({})),
};

/** @throws what the client throws while the service stops */
export const sendEvent: Send = (endpoint, event, client) => {
  const send = senders[endpoint.kind as EndpointKind];
  if (!send) throw new Error(`nothing is sent to endpoints of the kind ${endpoint.kind}`);
  return send(endpoint, event, client);
};

async function post(
  client: OutsideClient,
  { target }: Prisma.EndpointModel,
  body: string,
  headersOf: (body: string) => Record<string, string>,
): Promise<Outcome> {
  if (Buffer.byteLength(body) >= MAX_BODY_BYTES)
    return { isDelivered: false, error: "The event is larger than 20 kB. Read it with GET /api/v1/events." };
  const headers = { "content-type": "application/json", "user-agent": `${config().SERVICE_NAME}-Webhooks/1`, ...headersOf(body) };
  return readOutcome(await client.post({ url: target, headers, body }));
}

/** After Standard Webhooks 1.0. The id is the event's, so that a receiver knows what it has seen. */
function webhookHeaders(endpoint: Prisma.EndpointModel, { id }: AccountEvent, body: string): Record<string, string> {
  const timestamp = Math.floor(nowMs() / 1_000);
  const signatures = secretsOf(endpoint).map((secret) => signature(secret, { id, timestamp, body }));
  return { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": signatures.join(" ") };
}

/** The newest secret, and for a day after a rotation the secret before it; while the pepper is changed, each under both. */
function secretsOf({ id, secretNumber, oldSecretUntil }: Prisma.EndpointModel): string[] {
  const isOldGood = oldSecretUntil !== null && oldSecretUntil.getTime() > nowMs();
  return [secretNumber, ...(isOldGood ? [secretNumber - 1] : [])].flatMap((number) =>
    peppers().map((each) => webhookSecret(id, number, each)),
  );
}

const GONE = 410;

function readOutcome({ status, error, bytes, retryAfter }: OutsideAnswer): Outcome {
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  return {
    isDelivered,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(bytes !== undefined && { bytes }),
    ...(status === GONE && { isGone: true as const }),
    ...(!isDelivered && { retryAfterMs: readRetryAfter(retryAfter, nowMs()) }),
  };
}
