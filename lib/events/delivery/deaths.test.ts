// Delivering as the service does it: at once, a bad endpoint delays nobody else, and a process that is killed at any step loses nothing.

import { afterAll, afterEach, expect, test } from "vitest";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { type Schedule, startJobs } from "@/lib/jobs/scheduler";
import { killChildren, startChild } from "@/lib/ledger/testing/child";
import { listDeliveries } from "../deliveries";
import { listEvents, numberEvents } from "../outbox";
import { happen, openEndpoint, recordEvents } from "../testing/endpoints";
import { openReceiver, type Received, type Receiver, withStatus } from "../testing/receiver";
import { freeEndpointsOf } from "./claims";
import { deliverEvents, endDelivery } from "./serve";

const database = await openTestDatabase();
const pepper = "a pepper for tests, of more than 32 characters";
setSandboxPepper(pepper);

const receivers: Receiver[] = [];
const open = async () => {
  const receiver = await openReceiver();
  receivers.push(receiver);
  return receiver;
};
let schedule: Schedule | undefined;
afterEach(async () => {
  await schedule?.stop();
  schedule = undefined;
  await killChildren();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(killChildren);

/** Delivers in this process until the test ends. */
function startDelivering(): void {
  schedule = startJobs([{ name: "deliver-events", pauseMs: 250, run: deliverEvents, end: endDelivery }]);
}

const startDeliveringChild = () => startChild("lib/events/testing/delivery-child", database.url, pepper);

const addressOf = ({ body }: Received) => JSON.parse(body).data.address as string;
const countOf = async (account: AccountId, state: "pending" | "delivered") =>
  (await listDeliveries(account, { limit: 1_000, state })).length;
const claimOf = async (endpointId: string): Promise<string | null> =>
  (await pool().query("SELECT served_by FROM endpoint WHERE id = $1", [endpointId])).rows[0].served_by;

const lastBeatOf = async (process: string): Promise<string> =>
  (await pool().query("SELECT beat::text FROM process WHERE id = $1", [process])).rows[0].beat;

test("what is numbered is sent without being asked for", async () => {
  const receiver = await open();
  const account = newAccountId();
  await openEndpoint(account, receiver.url);
  await happen(account, ["early"]);
  startDelivering();
  await expect.poll(() => receiver.received.map(addressOf)).toEqual(["early"]);
  await happen(account, ["late"]);
  await expect.poll(() => receiver.received.map(addressOf)).toEqual(["early", "late"]);
});

test("an endpoint that hangs and one that answers 500 delay no other", async () => {
  const [hanging, failing, ...good] = await Promise.all(Array.from({ length: 8 }, open));
  hanging?.answer(() => undefined);
  failing?.answer(withStatus(500));
  const account = newAccountId();
  for (const { url } of receivers) await openEndpoint(account, url);
  startDelivering();
  const addresses = Array.from({ length: 30 }, (_, index) => `${index}`);
  for (const address of addresses) await happen(account, [address]);
  for (const receiver of good) await expect.poll(() => receiver.received.map(addressOf)).toEqual(addresses);
  expect(hanging?.received.length).toBeLessThan(4);
  expect(failing?.received.length).toBeLessThan(8);
  await expect.poll(() => countOf(account, "delivered")).toBe(30 * good.length);
});

/** Holds a lock of the database's until it is called again. */
async function hold(sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = await pool().connect();
  await client.query("BEGIN");
  await client.query(sql, values);
  return async () => {
    await client.query("ROLLBACK");
    client.release();
  };
}

interface Fatal {
  account: AccountId;
  endpointId: string;
  receiver: Receiver;
}

/** Where a process is killed: what it waits for there, and how the test knows that it is there. */
const steps: Readonly<Record<string, { stop: (at: Fatal) => Promise<() => unknown>; isThere: (at: Fatal) => Promise<boolean> | boolean }>> =
  {
    "before events have their numbers": {
      stop: () => hold("SELECT pg_advisory_xact_lock(7305002)"),
      isThere: async () => (await pool().query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rows.length > 0,
    },
    "after it claimed the endpoint": {
      stop: async () => {
        await numberEvents();
        return hold("LOCK TABLE delivery IN ACCESS EXCLUSIVE MODE");
      },
      isThere: async ({ endpointId }) => (await claimOf(endpointId)) !== null,
    },
    "while the receiver has not answered": {
      stop: async ({ receiver }) => {
        receiver.answer(() => undefined);
        return () => receiver.answer(withStatus(200));
      },
      isThere: ({ receiver }) => receiver.received.length > 0,
    },
    "before it recorded the answer": {
      stop: async ({ account }) => {
        await numberEvents();
        return hold("SELECT FROM delivery WHERE account_id = $1 FOR UPDATE", [account]);
      },
      isThere: ({ receiver }) => receiver.received.length > 0,
    },
    "before it released the endpoint": {
      stop: async ({ endpointId, receiver }) => {
        let release: (() => Promise<void>) | undefined;
        receiver.answer(async (response, got) => {
          if (addressOf(got) === "c") release ??= await hold("SELECT FROM endpoint WHERE id = $1 FOR UPDATE", [endpointId]);
          withStatus(200)(response, got);
        });
        return () => release?.();
      },
      isThere: async ({ account, endpointId }) => (await countOf(account, "delivered")) === 3 && (await claimOf(endpointId)) !== null,
    },
  };

test.each(Object.entries(steps))("a process that is killed %s loses nothing, and what is repeated has the same id", async (_name, step) => {
  const receiver = await open();
  const account = newAccountId();
  const at: Fatal = { account, receiver, ...(await openEndpoint(account, receiver.url)) };
  await recordEvents(account, ["a", "b", "c"]);
  const goOn = await step.stop(at);
  const doomed = await startDeliveringChild();
  await expect.poll(() => step.isThere(at)).toBe(true);
  await doomed.kill();
  await goOn();
  const claimant = await claimOf(at.endpointId);
  if (claimant) await freeEndpointsOf({ id: claimant, beat: await lastBeatOf(claimant) });
  const cut = receiver.received.map(addressOf);
  await numberEvents();
  startDelivering();
  await expect.poll(() => countOf(account, "delivered")).toBe(3);
  const again = receiver.received.slice(cut.length).map(addressOf);
  expect([...new Set([...cut, ...again])]).toEqual(["a", "b", "c"]);
  expect(again).toEqual([...again].sort());
  const events = (await listEvents(account, { limit: 10 })) ?? [];
  const ids = new Map(events.map(({ id, data }) => [id, data.address]));
  for (const got of receiver.received) expect(ids.get(String(got.headers["webhook-id"]))).toBe(addressOf(got));
  expect(await countOf(account, "pending")).toBe(0);
  await expect.poll(() => claimOf(at.endpointId)).toBeNull();
});

test("what a dead process served is sent by another within seconds, without anybody's help", async () => {
  const receiver = await open();
  const account = newAccountId();
  const { endpointId } = await openEndpoint(account, receiver.url);
  const first = await startDeliveringChild();
  receiver.answer(() => undefined);
  await happen(account, ["a", "b", "c"]);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await first.kill();
  const killedAt = performance.now();
  receiver.answer(withStatus(200));
  const cut = receiver.received.splice(0);
  await startDeliveringChild();
  await expect.poll(() => receiver.received.map(addressOf), { timeout: 50_000 }).toEqual(["a", "b", "c"]);
  process.stdout.write(`sent again ${Math.round(performance.now() - killedAt)} ms after the kill\n`);
  expect(cut.map(addressOf)).toEqual(["a"]);
  expect(receiver.received[0]?.headers["webhook-id"]).toBe(cut[0]?.headers["webhook-id"]);
  await expect.poll(() => countOf(account, "delivered")).toBe(3);
  await expect.poll(() => claimOf(endpointId)).toBeNull();
});
