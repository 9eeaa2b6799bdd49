// The alerts page of an owner, with a real database: what it shows, what can be done, and that other accounts see and change nothing.

import { afterAll, expect, test } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import { createKey } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import { newAccountId, newSessionId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { eventTypes } from "@/lib/events/catalogue";
import { numberEvents } from "@/lib/events/outbox";
import { setResolver } from "@/lib/events/outside/addresses";
import { happen } from "@/lib/events/testing/endpoints";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import { readAccountView } from "../account/account-view";
import type { Owner } from "../owner";
import { listEventChoices, readAlerts } from "./alerts";
import { readAlertsQuery } from "./alerts-form";
import {
  addOwnEndpoint,
  deleteOwnEndpoint,
  renewOwnSecret,
  resendOwnDelivery,
  resendOwnFailed,
  sendOwnSample,
  setOwnEndpointTypes,
  setOwnLowBalance,
  switchOwnEndpoint,
} from "./own-endpoints";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");
afterAll(setResolver(async () => ["93.184.215.14"]));

const wallet = { chain: "evm" as const, address: `0x${"ab".repeat(20)}` };
const webhook = { kind: "webhook" as const, target: "https://hooks.example.com/in", types: null };

async function openOwner(): Promise<Owner> {
  const accountId = newAccountId();
  await openCustomerAccount(accountId);
  return { accountId, sessionId: newSessionId(), wallet, isFrozen: false, isLeaving: false, confirmedAt: new Date(0), spendsUntil: null };
}

const read = (owner: Owner, params: Record<string, string> = {}) => readAlerts(owner, readAlertsQuery(params));

/** An owner with a webhook. */
async function openListener() {
  const owner = await openOwner();
  const made = await addOwnEndpoint(owner, webhook);
  const endpointId = (await read(owner)).endpoints[0]?.id ?? "";
  if (!made.ok) throw new Error(made.message);
  return { owner, endpointId, secret: made.secret };
}

test("a new account has no endpoints, deliveries or events; its threshold can be set and turned off", async () => {
  const owner = await openOwner();
  const empty = {
    lowBalance: null,
    offersMail: false,
    endpoints: [],
    deliveries: [],
    olderDeliveries: null,
    events: [],
    olderEvents: null,
  };
  expect(await read(owner)).toEqual(empty);
  expect(await setOwnLowBalance(owner, nanoUsd(5n))).toEqual({ ok: true });
  expect((await read(owner)).lowBalance).toBe(5n);
  expect(await setOwnLowBalance(owner, null)).toEqual({ ok: true });
  expect(await read(owner)).toEqual(empty);
});

test("an endpoint is added with a secret that no page shows again; one that cannot be reached is refused at its field", async () => {
  const { owner, secret } = await openListener();
  expect(secret).toMatch(/^whsec_/);
  const view = await read(owner);
  expect(view.endpoints).toMatchObject([
    { kind: "webhook", name: "hooks.example.com", ownName: "", host: "hooks.example.com", types: null, state: "active", at: null },
  ]);
  expect(JSON.stringify(view.endpoints)).not.toContain("whsec_");
  expect(await addOwnEndpoint(owner, { ...webhook, kind: "chat" })).toEqual({ ok: true, secret: null });
  expect(await addOwnEndpoint(owner, { ...webhook, target: "http://example.com" })).toMatchObject({
    ok: false,
    field: "target",
    message: expect.stringContaining("https://"),
  });
});

test("each state of an endpoint is shown with its reason", async () => {
  const { owner, endpointId } = await openListener();
  const set = async (change: string, values: readonly unknown[] = []) => {
    await pool().query(`UPDATE endpoint SET ${change} WHERE id = $1`, [endpointId, ...values]);
    const [{ state, at } = { state: "", at: null }] = (await read(owner)).endpoints;
    return [state, at];
  };
  const [before, later] = [new Date(nowMs() - 3_600_000), new Date(nowMs() + 3_600_000)];
  expect(await set("failing_since = $2, failures = 3", [before])).toEqual(["failing", before]);
  expect(await set("rests_until = $2", [later])).toEqual(["resting", later]);
  expect(await set("state = 'disabled', disabled_reason = 'failing'")).toEqual(["failed", before]);
  expect(await set("disabled_reason = 'gone'")).toEqual(["gone", null]);
  expect(await set("disabled_reason = 'owner'")).toEqual(["off", null]);
  expect(await switchOwnEndpoint(owner, endpointId, "on")).toEqual({ ok: true });
  expect((await read(owner)).endpoints).toMatchObject([{ state: "active", at: null }]);
});

test("an event about a key's spend names the key, and a key that is not the account's stays an id", async () => {
  const owner = { ...(await openOwner()), accountId: await createAccount() };
  const { keyId } = await createKey({ accountId: owner.accountId, name: "research agent" });
  for (const id of [keyId, "key_00000000000000000000"])
    await pool().query("SELECT events_record($1, 'key.cap_80', $2, now())", [
      owner.accountId,
      JSON.stringify({ keyId: id, cap: "10000000000", spent: "8010000000", period: "day" }),
    ]);
  await numberEvents();
  const sentences = (await read(owner)).events.filter(({ type }) => type === "key.cap_80").map(({ sentence }) => sentence);
  const rest = "has spent $8.01 of its spending limit of $10.00 per day.";
  expect(sentences[0]).toBe(`Key key_00000000000000000000 ${rest}`);
  expect(sentences[1]?.replace(/…\w{4}/, "…")).toBe(`Key “research agent” (…) ${rest}`);
});

test("deliveries are filtered by the URL; a page of 25 leads to older ones, and so do the events, as sentences", async () => {
  const { owner, endpointId } = await openListener();
  await happen(
    owner.accountId,
    Array.from({ length: 26 }, (_, index) => `0x${index}`),
  );
  expect(await sendOwnSample(owner, { endpointId, type: "balance.low" })).toEqual({ ok: true });
  const view = await read(owner);
  expect([view.deliveries.length, view.events.length]).toEqual([25, 25]);
  expect((await read(owner, { type: "balance.low" })).deliveries[0]).toMatchObject({
    type: "balance.low",
    isSample: true,
    title: "Low balance",
    endpoint: "hooks.example.com",
    state: "pending",
    last: null,
  });
  expect(view.events[0]).toMatchObject({ type: "wallet.linked", sentence: "Wallet 0x25 was linked and can now sign in." });
  const older = await read(owner, { before: view.olderDeliveries ?? "", events: view.olderEvents ?? "" });
  expect([older.deliveries.length, older.olderDeliveries, older.olderEvents]).toEqual([2, null, null]);
  expect(older.events.map(({ sentence }) => sentence)).toEqual(["Wallet 0x0 was linked and can now sign in."]);
  expect((await read(owner, { state: "failed" })).deliveries).toEqual([]);
  expect((await read(owner, { endpoint: endpointId, state: "pending", type: "wallet.linked" })).deliveries).toHaveLength(25);
});

test("what failed is sent again, one by one or all of a span; not while the endpoint is off", async () => {
  const { owner, endpointId } = await openListener();
  await happen(owner.accountId, ["a", "b"]);
  const tries = JSON.stringify([
    { at: new Date(nowMs()).toISOString(), ms: 12, status: 500, bytes: 2 },
    { at: new Date(nowMs()).toISOString(), ms: 15_000, error: "No answer within 15 seconds." },
  ]);
  const fail = () =>
    pool().query("UPDATE delivery SET state = 'failed', try_at = NULL, ended_at = now(), tries = $2 WHERE endpoint_id = $1", [
      endpointId,
      tries,
    ]);
  await fail();
  const [delivery] = (await read(owner, { state: "failed" })).deliveries;
  expect(delivery).toMatchObject({ last: "No answer within 15 seconds.", canResend: true, tryAt: null });
  expect(delivery?.tries).toHaveLength(2);
  expect(await resendOwnDelivery(owner, delivery?.id ?? "")).toEqual({ ok: true });
  expect(await resendOwnFailed(owner, { endpointId, hours: 24 })).toEqual({ ok: true, count: 1 });
  expect(await resendOwnFailed(owner, { endpointId, hours: 168 })).toEqual({ ok: true, count: 0 });
  expect(await switchOwnEndpoint(owner, endpointId, "off")).toEqual({ ok: true });
  const isOff = { ok: false, message: "This destination is turned off. Turn it on first." };
  expect(await resendOwnDelivery(owner, delivery?.id ?? "")).toEqual(isOff);
  expect(await resendOwnFailed(owner, { endpointId, hours: 24 })).toEqual(isOff);
  expect(await sendOwnSample(owner, { endpointId, type: "balance.low" })).toEqual(isOff);
  expect(await switchOwnEndpoint(owner, endpointId, "off")).toMatchObject({ ok: false });
});

test("events are chosen, a secret is renewed while the old one works, an endpoint that is deleted is no more shown", async () => {
  const { owner, endpointId, secret } = await openListener();
  await happen(owner.accountId, ["a"]);
  expect(await setOwnEndpointTypes(owner, { endpointId, types: ["key.spike"] })).toEqual({ ok: true });
  const renewed = await renewOwnSecret(owner, endpointId);
  expect(renewed).toMatchObject({ ok: true, secret: expect.stringMatching(/^whsec_/) });
  expect(renewed).not.toMatchObject({ secret });
  expect((await read(owner)).endpoints).toMatchObject([{ types: ["key.spike"], oldSecretUntil: expect.any(Date) }]);
  expect(await deleteOwnEndpoint(owner, endpointId)).toEqual({ ok: true });
  expect(await read(owner)).toMatchObject({
    endpoints: [],
    deliveries: [{ endpoint: "a deleted destination", state: "pending", canResend: false }],
    events: [{ type: "wallet.linked" }],
  });
  for (const answer of await Promise.all(attemptsOf(owner, endpointId, ""))) expect(answer.ok).toBe(false);
});

/** Everything that changes something, at the endpoint and its newest delivery. */
const attemptsOf = (owner: Owner, endpointId: string, deliveryId: string) => [
  setOwnEndpointTypes(owner, { endpointId, types: ["key.spike"] }),
  switchOwnEndpoint(owner, endpointId, "off"),
  deleteOwnEndpoint(owner, endpointId),
  renewOwnSecret(owner, endpointId),
  sendOwnSample(owner, { endpointId, type: "balance.low" }),
  resendOwnFailed(owner, { endpointId, hours: 24 }),
  resendOwnDelivery(owner, deliveryId),
];

test("another account sees none of it and changes nothing; a frozen account sees all and changes nothing", async () => {
  const { owner, endpointId } = await openListener();
  await happen(owner.accountId, ["a"]);
  const before = await read(owner);
  const deliveryId = before.deliveries[0]?.id ?? "";
  const stranger = await openOwner();
  for (const answer of await Promise.all(attemptsOf(stranger, endpointId, deliveryId))) expect(answer.ok).toBe(false);
  expect(await read(stranger, { endpoint: endpointId })).toMatchObject({ endpoints: [], deliveries: [], events: [] });
  const frozen = { ...owner, isFrozen: true };
  const attempts = [...attemptsOf(frozen, endpointId, deliveryId), setOwnLowBalance(frozen, nanoUsd(1n)), addOwnEndpoint(frozen, webhook)];
  for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject({ ok: false, message: expect.stringContaining("frozen") });
  expect(await read(frozen)).toEqual(before);
});

test("an open page hears of events, endpoints and deliveries by one mark, which stands still otherwise", async () => {
  const { owner, endpointId } = await openListener();
  const mark = async () => (await readAccountView(owner.accountId)).marks.events;
  const marks = [await mark()];
  const changes = [
    () => happen(owner.accountId, ["a"]),
    () => setOwnEndpointTypes(owner, { endpointId, types: ["key.spike"] }).then(numberEvents),
    () => pool().query("UPDATE delivery SET attempts = attempts + 1 WHERE endpoint_id = $1", [endpointId]),
  ];
  for (const change of changes) {
    await change();
    marks.push(await mark());
  }
  expect(new Set(marks).size).toBe(4);
  await happen((await openOwner()).accountId, ["other"]);
  expect(await mark()).toBe(marks.at(-1));
});

test("each type of event is offered once, under its group", () => {
  const choices = listEventChoices();
  expect(choices.map(({ name }) => name)).toEqual(Object.keys(eventTypes));
  for (const { name, group, when } of choices) expect([typeof group, when], name).toEqual(["string", expect.stringMatching(/\.$/)]);
});
