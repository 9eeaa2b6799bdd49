// Deliveries: each event reaches the endpoints that want it, in the commit that numbers it, and its owner can read and send them again.

import { expect, test } from "vitest";
import { dateOf, now, nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { type EventTypeName, eventTypes } from "./catalogue";
import { type Delivery, type DeliveryQuery, listDeliveries, resendDelivery, resendFailed, sendSample } from "./deliveries";
import { disableEndpoint, enableEndpoint, setEndpointTypes } from "./endpoints";
import { deleteOldEvents, eventBody, listEvents } from "./outbox";
import { happen, openEndpoint } from "./testing/endpoints";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

const target = "http://127.0.0.1:9/";

const list = (account: AccountId, query: Partial<DeliveryQuery> = {}) => listDeliveries(account, { limit: 100, ...query });
const bodies = (deliveries: readonly Delivery[]) => deliveries.map(({ body }) => JSON.parse(body).data.address as string).sort();
const end = (id: string, state: "delivered" | "failed", at = now()) =>
  pool().query("UPDATE delivery SET state = $2, try_at = NULL, ended_at = $3, attempts = 10 WHERE id = $1", [id, state, at]);

test("an event is delivered to each active endpoint of its account that wants its type", async () => {
  const [account, other] = [newAccountId(), newAccountId()];
  const all = await openEndpoint(account, target);
  const some = await openEndpoint(account, target, { types: ["wallet.unlinked"] });
  const off = await openEndpoint(account, target);
  await disableEndpoint(account, off.endpointId);
  await openEndpoint(other, target);
  await happen(account, ["a"]);
  await happen(account, ["b"], "wallet.unlinked");
  const of = async ({ endpointId }: { endpointId: string }) =>
    bodies((await list(account, { endpointId })).filter(({ type }) => type !== "endpoint.changed"));
  expect(await of(all)).toEqual(["a", "b"]);
  expect(await of(some)).toEqual(["b"]);
  expect(await of(off)).toEqual([]);
  expect(await list(other)).toEqual([]);
  await setEndpointTypes(account, some.endpointId, null);
  await happen(account, ["c"]);
  expect(await of(some)).toEqual(["b", "c"]);
});

test("a webhook's body is the event as the API lists it; a chat's is a sentence that nobody can turn into a link", async () => {
  const account = newAccountId();
  const { endpointId } = await openEndpoint(account, target);
  const chat = await openEndpoint(account, target, { kind: "chat" });
  await happen(account, ["<!channel> & co"]);
  const [event] = (await listEvents(account, { limit: 1 })) ?? [];
  const [delivery] = await list(account, { endpointId });
  expect(delivery).toMatchObject({ eventId: event?.id, sequence: 1n, type: "wallet.linked", state: "pending", tries: [] });
  expect(JSON.parse(delivery?.body ?? "")).toEqual(JSON.parse(JSON.stringify(event && eventBody(event))));
  const [said] = await list(account, { endpointId: chat.endpointId });
  expect(JSON.parse(said?.body ?? "")).toEqual({ text: "PennyPrompt: Wallet &lt;!channel&gt; &amp; co was linked and can now sign in." });
});

test("the list is filtered, and read on from a delivery, the newest first", async () => {
  const account = newAccountId();
  const { endpointId } = await openEndpoint(account, target);
  for (const address of ["a", "b", "c"]) await happen(account, [address]);
  await happen(account, ["d"], "wallet.unlinked");
  const [first, second, ...rest] = await list(account);
  expect((await list(account, { before: second?.id ?? "" })).map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
  expect(await list(account, { limit: 1 })).toEqual([first]);
  expect(bodies(await list(account, { type: "wallet.unlinked" }))).toEqual(["d"]);
  await end(first?.id ?? "", "failed");
  expect((await list(account, { state: "failed", endpointId })).map(({ id }) => id)).toEqual([first?.id]);
  expect(await list(newAccountId(), { endpointId })).toEqual([]);
});

test("one delivery is sent again, and so are all that failed since a moment; not those of another account, nor while it is off", async () => {
  const [account, other] = [newAccountId(), newAccountId()];
  const { endpointId } = await openEndpoint(account, target);
  await happen(account, ["old", "young", "fine"]);
  const all = await list(account);
  const idOf = (address: string) => all.find(({ body }) => body.includes(`"${address}"`))?.id ?? "";
  await end(idOf("old"), "failed", dateOf(nowMs() - 3_600_000));
  await end(idOf("young"), "failed");
  await end(idOf("fine"), "delivered");
  expect(await resendDelivery(other, idOf("old"))).toBe("unknown");
  expect(await resendFailed(other, endpointId, dateOf(0))).toBeNull();
  expect(await resendFailed(account, endpointId, dateOf(nowMs() - 60_000))).toBe(1);
  expect(bodies(await list(account, { state: "pending" }))).toEqual(["young"]);
  expect(await resendDelivery(account, idOf("fine"))).toBe("resent");
  expect(bodies(await list(account, { state: "pending" }))).toEqual(["fine", "young"]);
  await disableEndpoint(account, endpointId);
  expect(bodies(await list(account, { state: "pending" }))).toEqual(["fine", "young"]);
  expect(await resendDelivery(account, idOf("fine"))).toBe("endpoint_off");
  expect(await resendFailed(account, endpointId, dateOf(0))).toBeNull();
  expect(await sendSample(account, endpointId, "balance.low")).toBe("off");
  await enableEndpoint(account, endpointId);
  expect(await resendFailed(account, endpointId, dateOf(0))).toBe(1);
});

test("there is a sample of each type, in an event's form, and it counts as no event", async () => {
  for (const type of Object.keys(eventTypes) as EventTypeName[]) {
    const account = newAccountId();
    const { endpointId } = await openEndpoint(account, target);
    const chat = await openEndpoint(account, target, { kind: "chat" });
    const sent = await sendSample(account, endpointId, type);
    await sendSample(account, chat.endpointId, type);
    const [sample] = await list(account, { type, endpointId });
    expect(sent).toEqual({ id: sample?.id });
    expect(sample).toMatchObject({ eventId: null, sequence: null, state: "pending" });
    expect(JSON.parse(sample?.body ?? "")).toMatchObject({
      id: expect.stringMatching(/^evt_sample_/),
      type,
      sample: true,
      data: expect.any(Object),
    });
    const [said] = await list(account, { type, endpointId: chat.endpointId });
    // Whoever reads it in a channel must not act on it.
    expect(JSON.parse(said?.body ?? "").text).toMatch(/^PennyPrompt: \(Sample\) \S/);
    expect(JSON.parse(said?.body ?? "").text).not.toMatch(/undefined|an amount|\d{7,}(?!\w)/);
    expect(await listEvents(account, { limit: 10 })).toEqual([]);
  }
});

test("an account sends ten samples an hour, however many endpoints it has and however many are asked for at once", async () => {
  const account = newAccountId();
  const endpoints = [await openEndpoint(account, target), await openEndpoint(account, target)];
  const send = (count: number) => sendSample(account, endpoints[count % 2]?.endpointId ?? "", "balance.low");
  const sent = await Promise.all(Array.from({ length: 15 }, (_, count) => send(count)));
  expect(sent.filter((one) => one === "too_many")).toHaveLength(5);
  const restoreClock = setClock(() => Date.now() + 3_600_001);
  try {
    expect(await send(0)).toEqual({ id: expect.stringMatching(/^dlv_/) });
  } finally {
    restoreClock();
  }
});

test("deliveries are deleted with their events, and samples after 30 days too", async () => {
  const account = newAccountId();
  const { endpointId } = await openEndpoint(account, target);
  await happen(account, ["a"]);
  await sendSample(account, endpointId, "balance.low");
  const restoreClock = setClock(() => Date.now() + 29 * 86_400_000);
  try {
    await deleteOldEvents();
    expect(await list(account)).toHaveLength(2);
    setClock(() => Date.now() + 31 * 86_400_000);
    await happen(account, ["young"]);
    await deleteOldEvents();
  } finally {
    restoreClock();
  }
  expect(bodies(await list(account))).toEqual(["young"]);
});

test("a body stays far below 20 kB, whatever the fields of an event hold", async () => {
  const account = newAccountId();
  await openEndpoint(account, target);
  await happen(account, ["x".repeat(500)]);
  const [delivery] = await list(account);
  expect(Buffer.byteLength(delivery?.body ?? "")).toBeLessThan(20_000);
});
