// Secrets of webhooks. They follow from the pepper and are never stored: a copy of the database signs nothing.

import { createHmac } from "node:crypto";
import { pepper } from "@/lib/base/pepper";

/** The secret of an endpoint as Standard Webhooks writes it; each rotation raises the number, and each pepper makes another. */
export const webhookSecret = (endpointId: string, number: number, under: string = pepper()): string =>
  `whsec_${createHmac("sha256", under).update(`webhook ${endpointId} ${number}`).digest("base64")}`;

/** The part of the header `webhook-signature` made with one secret; `timestamp` in whole seconds. */
export function signature(secret: string, { id, timestamp, body }: { id: string; timestamp: number; body: string }): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
