// Endpoints: only their account sees and changes them, and a secret is shown once and stored nowhere.

import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import {
  createEndpoint,
  deleteEndpoint,
  deleteEventsOf,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  MAX_ENDPOINTS,
  rotateSecret,
  setEndpointTypes,
} from "./endpoints";
import { numberEvents } from "./outbox";
import { setResolver } from "./outside/addresses";
import { signature, webhookSecret } from "./secrets";
import { openEndpoint, recordEvents, rotateSecretOf } from "./testing/endpoints";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");
afterAll(setResolver(async () => ["93.184.215.14"]));

test("what a closed account had is deleted in the order in which deliveries lock it, so that neither waits for the other", async () => {
  const accountId = newAccountId();
  const { endpointId } = await openEndpoint(accountId, "https://example.com/hooks");
  await recordEvents(accountId, ["a"]);
  await numberEvents();
  const deleting = () => inTransaction((transaction) => deleteEventsOf(accountId, transaction));
  await whileHeld(["SELECT FROM event WHERE account_id = $1 FOR UPDATE", accountId], deleting, (on) =>
    on.query("SELECT events_wake(ARRAY[$1], now())", [endpointId]),
  );
  for (const table of ["event", "delivery", "endpoint"])
    expect((await pool().query(`SELECT FROM ${table} WHERE account_id = $1`, [accountId])).rowCount, table).toBe(0);
});

test("an endpoint is listed with its types; its secret is in the answer of its creation only", async () => {
  const accountId = newAccountId();
  const made = await createEndpoint({ accountId, kind: "webhook", target: " https://example.com/hooks ", types: ["balance.low"] });
  if (!made.ok) throw new Error(made.problem);
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const [listed] = await listEndpoints(accountId);
  expect(listed).toMatchObject({
    id: made.endpointId,
    kind: "webhook",
    target: "https://example.com/hooks",
    types: ["balance.low"],
    state: "active",
    disabledReason: null,
    failures: 0,
  });
  const { rows } = await pool().query("SELECT row_to_json(p)::text AS text FROM endpoint p WHERE id = $1", [made.endpointId]);
  expect(rows[0].text).not.toContain(made.secret?.slice(6, 20));
  await setEndpointTypes(accountId, made.endpointId, null);
  expect((await listEndpoints(accountId))[0]?.types).toBeNull();
});

test("a chat has no secret, and none can be made for it", async () => {
  const accountId = newAccountId();
  const made = await createEndpoint({ accountId, kind: "chat", target: "https://hooks.slack.example/services/T0/B0/x", types: null });
  if (!made.ok) throw new Error(made.problem);
  expect(made.secret).toBeNull();
  expect(await rotateSecret(accountId, made.endpointId)).toBeNull();
});

test("another account can neither see nor change an endpoint", async () => {
  const [accountId, other] = [newAccountId(), newAccountId()];
  const { endpointId } = await openEndpoint(accountId, "https://example.com/");
  expect(await listEndpoints(other)).toEqual([]);
  expect(await setEndpointTypes(other, endpointId, ["key.created"])).toBe(false);
  expect(await disableEndpoint(other, endpointId)).toBe(false);
  expect(await rotateSecret(other, endpointId)).toBeNull();
  expect(await deleteEndpoint(other, endpointId)).toBe(false);
  await disableEndpoint(accountId, endpointId);
  expect(await enableEndpoint(other, endpointId)).toBe(false);
  expect((await listEndpoints(accountId))[0]).toMatchObject({ state: "disabled", disabledReason: "owner", types: null });
  expect(await enableEndpoint(accountId, endpointId)).toBe(true);
  expect((await listEndpoints(accountId))[0]).toMatchObject({ state: "active", disabledReason: null });
  expect(await deleteEndpoint(accountId, endpointId)).toBe(true);
  expect(await listEndpoints(accountId)).toEqual([]);
});

test("requests at once do not exceed the limit of endpoints", async () => {
  const accountId = newAccountId();
  const wish = { accountId, kind: "webhook", target: "https://example.com/", types: null } as const;
  const made = await Promise.all(Array.from({ length: MAX_ENDPOINTS + 3 }, () => createEndpoint(wish)));
  expect(made.filter(({ ok }) => ok)).toHaveLength(MAX_ENDPOINTS);
  expect(made.find(({ ok }) => !ok)).toMatchObject({ problem: expect.stringContaining("Delete one you no longer use") });
});

test("a rotation gives another secret; the old one is good for 24 hours more", async () => {
  const accountId = newAccountId();
  const { endpointId, secret } = await openEndpoint(accountId, "https://example.com/");
  const rotated = await rotateSecretOf(accountId, endpointId);
  expect(rotated).toMatch(/^whsec_/);
  expect(rotated).not.toBe(secret);
  const { oldSecretUntil } = (await listEndpoints(accountId))[0] ?? {};
  expect(Math.abs((oldSecretUntil?.getTime() ?? 0) - nowMs() - 24 * 3_600_000)).toBeLessThan(60_000);
});

test("the package of Standard Webhooks verifies our signature, and refuses another body", () => {
  const secret = webhookSecret("end_1", 1);
  const sent = { id: "evt_1", timestamp: Math.floor(nowMs() / 1000), body: '{"type":"balance.low"}' };
  const headers = { "webhook-id": sent.id, "webhook-timestamp": `${sent.timestamp}`, "webhook-signature": signature(secret, sent) };
  expect(new Webhook(secret).verify(sent.body, headers)).toEqual({ type: "balance.low" });
  expect(() => new Webhook(secret).verify('{"type":"balance.high"}', headers)).toThrow();
  expect(() => new Webhook(webhookSecret("end_1", 2)).verify(sent.body, headers)).toThrow();
});
