// Endpoints that answer late, of accounts that cost nothing: they delay nobody's events. A theft's withdrawal.requested must arrive at once.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { listEndpoints, MAX_ENDPOINTS } from "../endpoints";
import { deliverDue, happen, openEndpoint } from "../testing/endpoints";
import { openReceiver, type Receiver } from "../testing/receiver";
import { QUICK_MS } from "./claims";
import { deliverEvents, endDelivery } from "./serve";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");

const STRANGERS = 12;
const stopping = new AbortController();

let victim: Receiver;
let stranger: Receiver;
let customer: AccountId;
beforeEach(async () => {
  [victim, stranger] = [await openReceiver(), await openReceiver()];
  customer = newAccountId();
  await openEndpoint(customer, victim.url);
});
afterEach(async () => {
  // What hangs ends with its connection.
  await Promise.all([victim.close(), stranger.close()]);
  await endDelivery();
  await pool().query("DELETE FROM endpoint");
});
afterAll(() => stopping.abort());

/** Strangers with as many endpoints as they may have, and more events for each than it can be sent. */
async function openStrangers(accounts = STRANGERS): Promise<void> {
  for (let count = 0; count < accounts; count++) {
    const account = newAccountId();
    const { endpointId } = await openEndpoint(account, stranger.url);
    await pool().query(
      `INSERT INTO endpoint (id, account_id, kind, target, types, state, created_at)
         SELECT p.id || '_' || n, p.account_id, p.kind, p.target, p.types, p.state, p.created_at
         FROM endpoint p, generate_series(2, $2::integer) n WHERE p.id = $1`,
      [endpointId, MAX_ENDPOINTS],
    );
    await pool().query("DELETE FROM event WHERE account_id = $1", [account]);
    await happen(account, ["a", "b", "c"]);
  }
}

/** Rounds of delivering until the customer has so many events; how long that took, in milliseconds. */
async function deliverUntil(received: number): Promise<number> {
  const startedAt = performance.now();
  while (victim.received.length < received && performance.now() - startedAt < 10_000) {
    await deliverEvents(stopping.signal);
    await sleep(50);
  }
  return performance.now() - startedAt;
}

const hangs = () => undefined;

test.each(["known to answer quickly", "new"])("240 endpoints that never answer delay no event of an endpoint that is %s", async (which) => {
  if (which !== "new") {
    await happen(customer, ["before"]);
    await deliverDue();
  }
  const before = victim.received.length;
  stranger.answer(hangs);
  await openStrangers();
  await deliverEvents(stopping.signal);
  await happen(customer, ["withdrawal"]);
  expect(await deliverUntil(before + 1)).toBeLessThan(3_000);
});

test("240 endpoints that answered quickly until now, and answer no more, delay an event by seconds at most", async () => {
  await happen(customer, ["before"]);
  await openStrangers();
  for (let round = 0; round < 12; round++) await deliverDue();
  expect(stranger.received).toHaveLength(STRANGERS * MAX_ENDPOINTS * 3);
  stranger.answer(hangs);
  await pool().query("UPDATE delivery SET state = 'pending', try_at = created_at, ended_at = NULL WHERE account_id <> $1", [customer]);
  await pool().query("UPDATE endpoint SET due_at = now() WHERE account_id <> $1", [customer]);
  await deliverEvents(stopping.signal);
  await happen(customer, ["withdrawal"]);
  expect(await deliverUntil(2)).toBeLessThan(5_000);
});

test("new endpoints that turn out never to answer delay no event of one that answers slowly", async () => {
  await pool().query("UPDATE endpoint SET answer_ms = 2_800 WHERE account_id = $1", [customer]);
  stranger.answer(hangs);
  await openStrangers(24);
  await deliverEvents(stopping.signal);
  await expect.poll(() => stranger.received.length).toBe(40); // as many as are tried at once
  await sleep(QUICK_MS + 500); // now each has left the place of a new one
  await happen(customer, ["withdrawal"]);
  expect(await deliverUntil(1)).toBeLessThan(5_000);
});

test("an endpoint that answers slowly rests after three answers, and is never switched off for it", async () => {
  let at = Date.now();
  const restoreClock = setClock(() => at);
  try {
    const clock = performance.now.bind(performance);
    victim.answer((response) => {
      performance.now = () => clock() + skipped;
      skipped += 6_000;
      response.end("ok");
    });
    let skipped = 0;
    await happen(customer, ["a", "b", "c", "d"]);
    await deliverDue();
    for (let round = 0; round < 4; round++) {
      await deliverDue();
      at += 1_000;
    }
    expect(victim.received).toHaveLength(3);
    const [endpoint] = await listEndpoints(customer);
    expect(endpoint).toMatchObject({ state: "active", failures: 3, restsUntil: expect.any(Date) });
    for (let day = 0; day < 8; day++) {
      at += 86_400_000;
      await happen(customer, [`${day}`]);
      await deliverDue();
    }
    expect((await listEndpoints(customer))[0]?.state).toBe("active");
    expect(victim.received.length).toBeGreaterThanOrEqual(11);
    performance.now = clock;
  } finally {
    restoreClock();
  }
});
