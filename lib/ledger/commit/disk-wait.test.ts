import type { PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { startEmbeddedPostgres } from "@/lib/db/embedded";
import { migrate } from "@/lib/db/migrate";
import { closePool, pool } from "@/lib/db/pool";
import { cleanUpEmbedded, newDataDir } from "@/lib/db/testing/embedded-fixture";
import { commit } from "@/lib/gateway/prompt/commit";
import type { Hold } from "../holds";
import { chargeDetails, holdOf } from "../testing/books";
import { closeRequestPath } from "../testing/closing";
import { fundedAccount, openFunding, openKey } from "../testing/fund";
import { holdRequest } from "../testing/waiting";
import { releaseOf } from "../waiting-settlements";
import type { Settlement } from "./codec";
import { runOnCommitConnection } from "./connections";

// Holds without an idempotency key do not wait for the disk; everything else is on the disk when it is acknowledged. Tested on a cluster
// that writes nothing on its own: its WAL writer sleeps for 10 s, and nothing but these tests writes.

const quiet = { autovacuum: "off", wal_level: "minimal", max_wal_senders: "0", wal_writer_delay: "10s", checkpoint_timeout: "1h" };

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let observer: PoolClient;
let account: Hold["accountId"];
let key: Hold["keyId"];

beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir: newDataDir({ prepared: true }), settings: { ...quiet, synchronous_commit: "on" } });
  await migrate({ url: server.url });
  setDatabaseUrl(server.url);
  await openFunding();
  account = await fundedAccount(1_000_000);
  key = await openKey(account);
  observer = await pool().connect();
});
afterAll(async () => {
  observer?.release();
  await closeRequestPath();
  await closePool();
  await server?.stop();
  await cleanUpEmbedded();
  forgetSingleton("database");
});
/** Flushes what a test left in memory before the next one. */
beforeEach(async () => {
  await pool().query(
    "INSERT INTO setting (name, value) VALUES ('flush', '') ON CONFLICT (name) DO UPDATE SET value = excluded.value || '.'",
  );
  expect(await isFlushed()).toBe(true);
});

/** After a page of the log has just ended, the next record is placed behind the next page's header, of 24 or 40 bytes. */
async function isFlushed(): Promise<boolean> {
  const { rows } = await observer.query<{ flushed: boolean }>(
    `SELECT flushed >= inserted OR ((flushed - '0/0') % 8192 = 0 AND inserted - flushed IN (24, 40)) AS flushed
     FROM (SELECT pg_current_wal_insert_lsn() AS inserted, pg_current_wal_flush_lsn() AS flushed) log`,
  );
  return rows[0]?.flushed === true;
}

const newHold = (): Hold => holdOf(holdRequest(account as never, key as never, 10));
const withClaim = (): Hold => {
  const hold = newHold();
  return { ...hold, claim: { key: `key of ${hold.requestId}`, bodyHash: Buffer.alloc(32) } };
};
const chargeOf = (hold: Hold): Settlement => ({
  ...releaseOf(hold),
  charge: chargeDetails(0, 0),
  reply: hold.claim && { status: 200, body: "" },
});

const place = async (holds: readonly Hold[]) => {
  const decided = await Promise.all(holds.map((hold) => commit().place(hold)));
  for (const { outcome } of decided) expect(outcome).toBe("held");
};

/** Holds that are placed and on the disk. */
async function openHolds(count: number, make: () => Hold = newHold): Promise<Hold[]> {
  const holds = Array.from({ length: count }, make);
  await place(holds);
  await pool().query("UPDATE setting SET value = value || '.' WHERE name = 'flush'");
  expect(await isFlushed()).toBe(true);
  return holds;
}

describe.each([
  ["one", 1],
  ["two", 2],
  ["twelve", 12],
])("%s at once", (_how, count) => {
  const several = <T>(make: () => T): T[] => Array.from({ length: count }, make);

  test("holds without an idempotency key are acknowledged before they are on the disk", async () => {
    await place(several(newHold));
    expect(await isFlushed()).toBe(false);
  });

  test("holds with an idempotency key are on the disk when they are acknowledged", async () => {
    await place(several(withClaim));
    expect(await isFlushed()).toBe(true);
  });

  test.each([
    ["charges", newHold, chargeOf],
    ["charges with an answer to keep", withClaim, chargeOf],
    ["releases", newHold, releaseOf],
    ["releases that give an idempotency key back", withClaim, releaseOf],
  ])("%s are on the disk when they are acknowledged", async (_what, make, end) => {
    const holds = await openHolds(count, make);
    await Promise.all(holds.map((hold) => commit().settle(end(hold))));
    expect(await isFlushed()).toBe(true);
  });

  test("a late charge is on the disk when it is acknowledged", async () => {
    await Promise.all(several(newHold).map((hold) => commit().settle(chargeOf(hold))));
    expect(await isFlushed()).toBe(true);
  });

  test("holds in a batch with a charge are on the disk with it", async () => {
    const [ended] = await openHolds(1);
    if (!ended) throw new Error("no hold");
    await Promise.all([place(several(newHold)), commit().settle(chargeOf(ended))]);
    expect(await isFlushed()).toBe(true);
  });

  test("holds in a batch with one that has an idempotency key are on the disk with it", async () => {
    await place([...several(newHold), withClaim()]);
    expect(await isFlushed()).toBe(true);
  });
});

test("a charge after a hold has its hold before it on the disk", async () => {
  const hold = newHold();
  await place([hold]);
  expect(await isFlushed()).toBe(false);
  await commit().settle(chargeOf(hold));
  expect(await isFlushed()).toBe(true);
});

test("a batch decided in parts waits for the disk for each part that has to", async () => {
  const [poor, other] = [await fundedAccount(5), await openHolds(3)];
  const refused = holdOf(holdRequest(poor, null, 10));
  const [decided] = await Promise.all([
    commit().place(refused),
    place([newHold(), newHold()]),
    ...other.map((hold) => commit().settle(chargeOf(hold))),
  ]);
  expect(decided).toMatchObject({ outcome: "insufficient", available: 5n });
  expect(await isFlushed()).toBe(true);
});

test("no connection keeps synchronous_commit off", async () => {
  for (let round = 0; round < 3; round++) await place(Array.from({ length: 1 + round * 30 }, newHold));
  const show = {
    name: "show synchronous_commit",
    text: "SHOW synchronous_commit",
    values: [],
    readRow: ([value]: readonly (string | null)[]) => value,
  };
  expect((await Promise.all([runOnCommitConnection(show), runOnCommitConnection(show)])).flat()).toEqual(["on", "on"]);
});

test("a failed hold leaves synchronous_commit unchanged", async () => {
  await expect(commit().place({ ...newHold(), model: "\0" })).rejects.toMatchObject({ code: "22021" });
  await place([withClaim()]);
  expect(await isFlushed()).toBe(true);
});
