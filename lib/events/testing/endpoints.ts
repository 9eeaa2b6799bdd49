// Endpoints for tests, and events for them.

import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import type { EventTypeName } from "../catalogue";
import { deliverEvents, endDelivery } from "../delivery/serve";
import { createEndpoint, rotateSecret } from "../endpoints";
import { numberEvents } from "../outbox";

/** An e-mail address that was confirmed, without a mail. @throws Error with what is wrong with it */
export async function openAddress(accountId: AccountId, address: string, types: readonly EventTypeName[] | null = null): Promise<string> {
  const made = await createEndpoint({ accountId, kind: "email", target: address, types });
  if (!made.ok) throw new Error(made.problem);
  await pool().query("DELETE FROM delivery WHERE endpoint_id = $1", [made.endpointId]);
  await forgetAdded(accountId);
  await pool().query("UPDATE endpoint SET state = 'active' WHERE id = $1", [made.endpointId]);
  return made.endpointId;
}

export interface EndpointWish {
  kind?: "webhook" | "chat";
  types?: readonly EventTypeName[];
}

/** An active endpoint. @throws Error with what is wrong with the URL */
export async function openEndpoint(
  accountId: AccountId,
  target: string,
  { kind = "webhook", types }: EndpointWish = {},
): Promise<{ endpointId: string; secret: string }> {
  const made = await createEndpoint({ accountId, kind, target, types: types ?? null });
  if (!made.ok) throw new Error(made.problem);
  await forgetAdded(accountId);
  return { endpointId: made.endpointId, secret: made.secret ?? "" };
}

/** A webhook's new secret. @throws Error when it gets none */
export async function rotateSecretOf(accountId: AccountId, endpointId: string): Promise<string> {
  const made = await rotateSecret(accountId, endpointId);
  if (made === null || made === "too_soon") throw new Error(`no new secret: ${made}`);
  return made.secret;
}

/** That an endpoint was added is an event for the account's others, which few tests are about. */
const forgetAdded = (accountId: AccountId) =>
  pool().query("DELETE FROM event WHERE account_id = $1 AND type = 'endpoint.changed' AND sequence IS NULL", [accountId]);

/** Records events of the account, which have no numbers yet. `address` tells them apart. */
export async function recordEvents(
  accountId: AccountId,
  addresses: readonly string[],
  type: EventTypeName = "wallet.linked",
): Promise<void> {
  for (const address of addresses)
    await pool().query("SELECT events_record($1, $2, $3, $4)", [accountId, type, JSON.stringify({ chain: "evm", address }), now()]);
}

/** Records events and numbers them, so that they have their deliveries. */
export async function happen(...events: Parameters<typeof recordEvents>): Promise<void> {
  await recordEvents(...events);
  await numberEvents();
}

/** One round of delivering, to its end. */
export async function deliverDue(): Promise<void> {
  await deliverEvents(new AbortController().signal);
  await endDelivery();
}
