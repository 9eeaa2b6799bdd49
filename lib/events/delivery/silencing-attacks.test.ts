// Endpoints against whoever has a session and nothing else: nobody silences one without a word to its reader.

import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { leftBy } from "@/lib/audit/testing/left-by";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import {
  createEndpoint,
  deleteEndedEndpoints,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateSecret,
  setEndpointTypes,
} from "../endpoints";
import { numberEvents } from "../outbox";
import { deliverDue, happen, openEndpoint, rotateSecretOf } from "../testing/endpoints";
import { openReceiver, type Receiver } from "../testing/receiver";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

let receiver: Receiver;
let account: AccountId;
beforeEach(async () => {
  receiver = await openReceiver();
  account = newAccountId();
});
afterEach(() => receiver.close());

const silencing: [change: string, act: (endpointId: string) => Promise<unknown>][] = [
  ["switched_off", (id) => disableEndpoint(account, id)],
  ["deleted", (id) => deleteEndpoint(account, id)],
  ["events", (id) => setEndpointTypes(account, id, ["model.retiring"])],
];
test.each(silencing)("nobody silences an endpoint unseen: what was under way and “%s” reach it, and then nothing", async (change, act) => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  await happen(account, ["before"]);
  const left = await leftBy(() => act(endpointId));
  expect(left.map(({ kind }) => kind)).toEqual([change === "deleted" ? "endpoint.deleted" : "endpoint.changed"]);
  await happen(account, ["after"]);
  await deleteEndedEndpoints();
  await deliverDue();
  const got = receiver.received.map(({ body }) => JSON.parse(body));
  expect(got.map(({ data }) => data.address ?? data.change)).toEqual(["before", change]);
  expect(got[1]).toMatchObject({ type: "endpoint.changed", data: { endpointId, kind: "webhook", host: new URL(receiver.url).host } });
  expect(await leftBy(deleteEndedEndpoints)).toEqual([]);
  const { rowCount } = await pool().query("SELECT FROM endpoint WHERE id = $1", [endpointId]);
  expect(rowCount).toBe(change === "deleted" ? 0 : 1);
});

test("a second new secret at once is refused: what is sent stays signed with the one that its reader knows", async () => {
  const { endpointId, secret } = await openEndpoint(account, receiver.url);
  await rotateSecretOf(account, endpointId);
  expect(await rotateSecret(account, endpointId)).toBe("too_soon");
  await numberEvents();
  await deliverDue();
  const [told] = receiver.received;
  expect(new Webhook(secret).verify(told?.body ?? "", told?.headers as Record<string, string>)).toMatchObject({
    data: { change: "secret" },
  });
});

test("the other endpoints of an account hear of one that is added, changed or deleted", async () => {
  await openEndpoint(account, receiver.url);
  const wish = { kind: "webhook", target: "http://127.0.0.1:1/", types: ["model.retiring"] } as const;
  const made = await createEndpoint({ accountId: account, ...wish });
  const endpointId = made.ok ? made.endpointId : "";
  await setEndpointTypes(account, endpointId, ["price.changed"]);
  await rotateSecret(account, endpointId);
  await disableEndpoint(account, endpointId);
  await enableEndpoint(account, endpointId);
  await deleteEndpoint(account, endpointId);
  await numberEvents();
  await deliverDue();
  const got = receiver.received.map(({ body }) => JSON.parse(body).data);
  expect(got.map(({ change }) => change)).toEqual(["added", "events", "secret", "switched_off", "switched_on", "deleted"]);
  expect(new Set(got.map((data) => data.endpointId))).toEqual(new Set([endpointId]));
});
