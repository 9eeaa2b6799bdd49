// The queue: what is numbered is sent at once, a bad endpoint delays nobody else, and a process that is killed loses nothing.

import { afterAll, afterEach, expect, test } from "vitest";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { killChildren, startChild } from "@/lib/ledger/testing/child";
import { listDeliveries } from "../deliveries";
import { happen, openEndpoint } from "../testing/endpoints";
import { openReceiver, type Received, type Receiver, withStatus } from "../testing/receiver";
import { deliverEvents, wakeEndpoints } from "./serve";

const database = await openTestDatabase();
const pepper = "a pepper for tests, of more than 32 characters";
setSandboxPepper(pepper);

const receivers: Receiver[] = [];
const open = async () => {
  const receiver = await openReceiver();
  receivers.push(receiver);
  return receiver;
};
let end: (() => Promise<void>) | undefined;
afterEach(async () => {
  await end?.();
  end = undefined;
  await killChildren();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(killChildren);

/** Delivers in this process until the test ends. */
function startDelivering(): void {
  const stopping = new AbortController();
  const running = deliverEvents(stopping.signal);
  end = async () => {
    stopping.abort();
    await running;
  };
}

const addressOf = ({ body }: Received) => JSON.parse(body).data.address as string;
const countOf = async (account: AccountId, state: "pending" | "delivered") =>
  (await listDeliveries(account, { limit: 1_000, state })).length;

test("what waited for the first worker is sent, and what is numbered later is sent without being asked for", async () => {
  const receiver = await open();
  const account = newAccountId();
  await openEndpoint(account, receiver.url);
  await happen(account, ["early"]);
  startDelivering();
  // The job that wakes takes what is ten seconds late: what waits is made older instead of waiting for it.
  await pool().query("UPDATE delivery SET try_at = try_at - interval '20 s' WHERE account_id = $1", [account]);
  const woken = async () => {
    await wakeEndpoints();
    return receiver.received.map(addressOf);
  };
  await expect.poll(woken).toEqual(["early"]);
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
  expect(await countOf(account, "delivered")).toBe(30 * good.length);
});

test("a process that is killed in the middle of a delivery loses nothing: another sends it within seconds, under the same id", async () => {
  const receiver = await open();
  const account = newAccountId();
  const { endpointId } = await openEndpoint(account, receiver.url);
  const first = await startChild("lib/events/testing/delivery-child", database.url, pepper);
  receiver.answer(() => undefined);
  await happen(account, ["a", "b", "c"]);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await first.kill();
  const killedAt = performance.now();
  receiver.answer(withStatus(200));
  const cut = receiver.received.splice(0);
  await startChild("lib/events/testing/delivery-child", database.url, pepper);
  await expect.poll(() => receiver.received.map(addressOf), { timeout: 50_000 }).toEqual(["a", "b", "c"]);
  process.stdout.write(`sent again ${Math.round(performance.now() - killedAt)} ms after the kill\n`);
  expect(cut.map(addressOf)).toEqual(["a"]);
  expect(receiver.received[0]?.headers["webhook-id"]).toBe(cut[0]?.headers["webhook-id"]);
  await expect.poll(() => countOf(account, "delivered")).toBe(3);
  expect(await countOf(account, "pending")).toBe(0);
  await expect
    .poll(async () => (await pool().query("SELECT served_by FROM endpoint WHERE id = $1", [endpointId])).rows[0].served_by)
    .toBeNull();
});
