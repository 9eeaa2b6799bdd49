// What a receiver gets, in which order, how often, and when it is left alone. The clock is the test's.

import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { dateOf, setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { listDeliveries, resendDelivery, resendFailed, sendSample } from "../deliveries";
import { deleteEndpoint, disableEndpoint, listEndpoints } from "../endpoints";
import { listEvents, numberEvents } from "../outbox";
import { deliverDue, happen, openEndpoint, rotateSecretOf } from "../testing/endpoints";
import { openReceiver, type Received, type Receiver, withStatus } from "../testing/receiver";
import { claimEndpoints, releaseEndpoints } from "./claims";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

let receiver: Receiver;
let account: AccountId;
let at: number;
let restoreClock: () => void;
beforeEach(async () => {
  receiver = await openReceiver();
  account = newAccountId();
  at = Date.now();
  restoreClock = setClock(() => at);
});
afterEach(async () => {
  restoreClock();
  await receiver.close();
});
afterAll(() => restoreClock());

const endpoint = async (endpointId: string) => (await listEndpoints(account)).find(({ id }) => id === endpointId);
const deliveries = (state?: "pending" | "delivered" | "failed") => listDeliveries(account, { limit: 100, state });
const addressOf = ({ body }: Received) => JSON.parse(body).data.address as string;

/** Serves what is due every so often until `days` have passed. */
async function pass(days: number, stepMs: number): Promise<void> {
  for (const until = at + days * DAY; at < until; at += stepMs) await deliverDue();
}

test("a receiver gets the event as the API lists it, signed so that the package of Standard Webhooks takes it", async () => {
  const { secret } = await openEndpoint(account, receiver.url);
  await happen(account, ["a"]);
  await deliverDue();
  const [got] = receiver.received;
  const [event] = (await listEvents(account, { limit: 1 })) ?? [];
  const headers = got?.headers as Record<string, string>;
  expect(new Webhook(secret).verify(got?.body ?? "", headers)).toMatchObject({ id: event?.id, sequence: 1, type: "wallet.linked" });
  expect(headers).toMatchObject({ "webhook-id": event?.id, "content-type": "application/json", "user-agent": "PennyPrompt-Webhooks/1" });
  expect(await deliveries()).toMatchObject([
    { state: "delivered", tryAt: null, tries: [{ at: dateOf(at).toISOString(), status: 200, bytes: 2 }] },
  ]);
});

test("after a rotation both secrets verify for 24 hours, and then the new one alone", async () => {
  const { endpointId, secret } = await openEndpoint(account, receiver.url);
  const rotated = await rotateSecretOf(account, endpointId);
  await happen(account, ["a"]);
  await deliverDue();
  const verify = (key: string, { body, headers }: Received) => new Webhook(key).verify(body, headers as Record<string, string>);
  // Each rotation is an event, too.
  const linked = () => receiver.received.filter(({ body }) => JSON.parse(body).type === "wallet.linked");
  const [both] = linked();
  if (!both) throw new Error("nothing was received");
  expect(both.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  for (const key of [secret, rotated]) expect(verify(key, both)).toMatchObject({ type: "wallet.linked" });
  // The package refuses times far from its own clock, so the clock stays and the rotation moves.
  await pool().query("UPDATE endpoint SET old_secret_until = old_secret_until - interval '25 hours' WHERE id = $1", [endpointId]);
  await happen(account, ["b"]);
  await deliverDue();
  const alone = linked()[1];
  if (!alone) throw new Error("nothing was received");
  expect(alone.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
  expect(verify(rotated, alone)).toMatchObject({ type: "wallet.linked" });
  expect(() => verify(secret, alone)).toThrow();
});

test("events arrive in the account's order, many in one run", async () => {
  await openEndpoint(account, receiver.url);
  const addresses = Array.from({ length: 60 }, (_, index) => `${index}`);
  await happen(account, addresses);
  await deliverDue();
  expect(receiver.received.map(addressOf)).toEqual(addresses);
});

test("a poison event holds nothing else back; it has ten attempts over three days and then has failed", async () => {
  await openEndpoint(account, receiver.url);
  receiver.answer((response, got) => withStatus(got.body.includes('"poison"') ? 500 : 200)(response, got));
  await happen(account, ["poison", "b", "c"]);
  await deliverDue();
  expect(receiver.received.map(addressOf)).toEqual(["poison", "b", "c"]);
  const started = at;
  await pass(4, 30 * MINUTE);
  expect(receiver.received.filter((got) => addressOf(got) === "poison")).toHaveLength(10);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
  const [failed] = await deliveries("failed");
  expect(failed?.tries.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 500));
  const lastedDays = ((failed?.endedAt?.getTime() ?? 0) - started) / DAY;
  expect(lastedDays).toBeGreaterThan(2.6);
  expect(lastedDays).toBeLessThan(3.4);
  expect(await deliveries("delivered")).toHaveLength(2);
});

test("an endpoint that fails three times in a row rests, and gets everything in order once it is back", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  receiver.answer(withStatus(500));
  await happen(account, ["a", "b", "c", "d", "e"]);
  await deliverDue();
  expect(receiver.received).toHaveLength(3);
  expect(await endpoint(endpointId)).toMatchObject({
    state: "active",
    failures: 3,
    failingSince: dateOf(at),
    restsUntil: dateOf(at + 30_000),
  });
  at += 29_000;
  await deliverDue();
  expect(receiver.received).toHaveLength(3);
  at += 2_000;
  await deliverDue();
  expect(receiver.received).toHaveLength(4);
  receiver.answer(withStatus(200));
  at += HOUR;
  await deliverDue();
  expect(receiver.received.slice(4).map(addressOf)).toEqual(["a", "b", "c", "d", "e"]);
  expect(await endpoint(endpointId)).toMatchObject({ failures: 0, failingSince: null, restsUntil: null });
});

test("Retry-After is heard, for a day at most", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  receiver.answer(withStatus(429, { "retry-after": "7200" }));
  await happen(account, ["a", "b"]);
  await deliverDue();
  expect(receiver.received).toHaveLength(1);
  expect(await endpoint(endpointId)).toMatchObject({ restsUntil: dateOf(at + 2 * HOUR) });
  receiver.answer(withStatus(503, { "retry-after": "9999999" }));
  at += 2 * HOUR + 1_000;
  await deliverDue();
  expect(receiver.received).toHaveLength(2);
  expect(await endpoint(endpointId)).toMatchObject({ restsUntil: dateOf(at + DAY) });
});

test("410 disables an endpoint at once, and the owner's other endpoints are told", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  const other = await openReceiver();
  await openEndpoint(account, other.url, { types: ["endpoint.disabled"] });
  receiver.answer(withStatus(410));
  await happen(account, ["a", "b"]);
  await deliverDue();
  expect(receiver.received).toHaveLength(1);
  expect(await endpoint(endpointId)).toMatchObject({ state: "disabled", disabledReason: "gone" });
  expect(await deliveries("failed")).toHaveLength(2);
  await numberEvents();
  await deliverDue();
  expect(JSON.parse(other.received[0]?.body ?? "")).toMatchObject({
    type: "endpoint.disabled",
    data: { endpointId, kind: "webhook", host: new URL(receiver.url).host, reason: "gone", failingSince: dateOf(at).toISOString() },
  });
  await other.close();
});

test("five days of nothing but failures disable an endpoint; one success in them does not", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  receiver.answer(withStatus(500));
  const fail = async (days: number) => {
    for (const until = at + days * DAY; at < until; at += 6 * HOUR) {
      await happen(account, [`${at}`]);
      await deliverDue();
    }
  };
  await fail(4.5);
  expect(await endpoint(endpointId)).toMatchObject({ state: "active" });
  receiver.answer(withStatus(200));
  await deliverDue();
  receiver.answer(withStatus(500));
  await fail(4.5);
  expect(await endpoint(endpointId)).toMatchObject({ state: "active" });
  await fail(1.5);
  expect(await endpoint(endpointId)).toMatchObject({ state: "disabled", disabledReason: "failing" });
  const sent = receiver.received.length;
  await happen(account, ["later"]);
  await deliverDue();
  expect(receiver.received).toHaveLength(sent);
  expect(await deliveries("pending")).toEqual([]);
  const events = (await listEvents(account, { limit: 1_000 })) ?? [];
  expect(events.filter(({ type }) => type === "endpoint.disabled")).toMatchObject([{ data: { reason: "failing" } }]);
});

test("what is sent again keeps its id, has ten new attempts, and comes in order; a sample comes first", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  receiver.answer(withStatus(500));
  await happen(account, ["a", "b"]);
  await pass(4, HOUR);
  const failed = await deliveries("failed");
  expect(failed).toHaveLength(2);
  receiver.answer(withStatus(200));
  receiver.received.length = 0;
  expect(await resendFailed(account, endpointId, dateOf(0))).toBe(2);
  await sendSample(account, endpointId, "deposit.credited");
  at += HOUR;
  await deliverDue();
  const [sample, ...again] = receiver.received;
  expect(JSON.parse(sample?.body ?? "")).toMatchObject({
    id: expect.stringMatching(/^evt_sample_/),
    type: "deposit.credited",
    data: { amount: 5 },
  });
  expect(again.map(addressOf)).toEqual(["a", "b"]);
  expect(new Set(again.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(failed.map(({ eventId }) => eventId)));
  expect(await resendDelivery(account, failed[0]?.id ?? "")).toBe("resent");
  await deliverDue();
  expect(receiver.received).toHaveLength(4);
  expect((await deliveries("delivered")).find(({ id }) => id === failed[0]?.id)?.tries).toHaveLength(12);
});

test("a chat gets a sentence, unsigned", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url, { kind: "chat" });
  await sendSample(account, endpointId, "balance.low");
  await deliverDue();
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toEqual({
    text: "PennyPrompt: (Sample) Your balance is $4.98, below your threshold of $5.00.",
  });
  expect(receiver.received[0]?.headers).not.toHaveProperty("webhook-signature");
});

test("an endpoint that is switched off or deleted while it is served gets what is under way, and fails for good as any other", async () => {
  const [off, gone] = [await openEndpoint(account, receiver.url), await openEndpoint(account, receiver.url)];
  await happen(account, ["a", "b"]);
  receiver.answer(async (response, got) => {
    if (addressOf(got) === "a") await Promise.all([disableEndpoint(account, off.endpointId), deleteEndpoint(account, gone.endpointId)]);
    withStatus(200)(response, got);
  });
  await deliverDue();
  expect(receiver.received.map(addressOf).sort()).toEqual(["a", "a", "b", "b"]);
  await numberEvents();
  receiver.answer(withStatus(410));
  await deliverDue();
  expect(await deliveries("pending")).toEqual([]);
  expect((await deliveries("failed")).map(({ type }) => type)).toEqual(["endpoint.changed", "endpoint.changed"]);
  expect((await listEndpoints(account)).map(({ state, disabledReason }) => [state, disabledReason])).toEqual([["disabled", "gone"]]);
});

test("an endpoint that is due is given to one claimant, and is due again for what was numbered meanwhile", async () => {
  const { endpointId } = await openEndpoint(account, receiver.url);
  await happen(account, ["a"]);
  const claim = () => claimEndpoints({ quick: 100, new: 40, slow: 40, mail: 10 });
  const claimed = await Promise.all([claim(), claim(), claim()]);
  expect(claimed.flat().map(({ id }) => id)).toEqual([endpointId]);
  await happen(account, ["b"]);
  expect(await claim()).toEqual([]);
  await releaseEndpoints(new Map([[endpointId, null]]));
  await deliverDue();
  expect(receiver.received.map(addressOf)).toEqual(["a", "b"]);
  expect(await claim()).toEqual([]);
});

test("a claim whose answer was lost is freed with the next round", async () => {
  await openEndpoint(account, receiver.url);
  await happen(account, ["a"]);
  const lost = vi.spyOn(prisma().endpoint, "findMany").mockRejectedValueOnce(new Error("the connection was lost"));
  await expect(deliverDue()).rejects.toThrow("the connection was lost");
  lost.mockRestore();
  await deliverDue();
  expect(receiver.received.map(addressOf)).toEqual(["a"]);
});

test("an event that is larger than 20 kB is not sent, and the log says what to do", async () => {
  await openEndpoint(account, receiver.url);
  await happen(account, ["x".repeat(20_000)]);
  await deliverDue();
  expect(receiver.received).toEqual([]);
  expect((await deliveries())[0]?.tries).toMatchObject([{ error: expect.stringContaining("larger than 20 kB") }]);
});
