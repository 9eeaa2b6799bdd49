// The outbox: numbers without gaps for each account, whatever commits first, and a list that can be read on from any event.

import { expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { deleteOldEvents, listEvents, listNewestEvents, numberEvents } from "./outbox";

await openTestDatabase();

const record = (
  account: AccountId,
  address: string,
  at = new Date(nowMs()),
  on: { query: (text: string, values: unknown[]) => unknown } = pool(),
) => on.query("SELECT events_record($1, 'wallet.linked', $2, $3)", [account, JSON.stringify({ chain: "evm", address, nothing: null }), at]);

const listed = async (account: AccountId, query: { afterId?: string; limit?: number } = {}) =>
  ((await listEvents(account, { limit: 1_000, ...query })) ?? []).map(({ sequence, data }) => [Number(sequence), data.address]);

test("an event that is committed after a later one gets the next number, and none is skipped", async () => {
  const [account, other] = [newAccountId(), newAccountId()];
  const slow = await pool().connect();
  try {
    await slow.query("BEGIN");
    await record(account, "slow", undefined, slow);
    await record(account, "quick");
    await record(other, "other");
    await numberEvents();
    expect(await listed(account)).toEqual([[1, "quick"]]);
    await slow.query("COMMIT");
  } finally {
    slow.release();
  }
  await record(account, "last");
  expect(await listed(account)).toEqual([[1, "quick"]]);
  await numberEvents();
  expect(await listed(account)).toEqual([
    [1, "quick"],
    [2, "slow"],
    [3, "last"],
  ]);
  expect(await listed(other)).toEqual([[1, "other"]]);
});

test("writers and numberers at once: each account counts from 1 without gaps", async () => {
  const accounts = Array.from({ length: 5 }, newAccountId);
  const writers = accounts.map(async (account) => {
    for (let index = 0; index < 40; index++) await record(account, `${index}`);
  });
  const numberers = Array.from({ length: 4 }, async () => {
    for (let round = 0; round < 20; round++) await numberEvents();
  });
  await Promise.all([...writers, ...numberers]);
  await numberEvents();
  for (const account of accounts) expect(await listed(account)).toEqual(Array.from({ length: 40 }, (_, index) => [index + 1, `${index}`]));
});

test("the list reads on after an event; another account's event, and one that is gone, are refused", async () => {
  const [account, other] = [newAccountId(), newAccountId()];
  for (const address of ["a", "b", "c"]) await record(account, address);
  await record(other, "other");
  await numberEvents();
  const first = (await listEvents(account, { limit: 1 }))?.[0];
  expect(first).toMatchObject({ sequence: 1n, type: "wallet.linked", data: { chain: "evm", address: "a" } });
  expect(first?.id).toMatch(/^evt_[0-9a-f]{31}$/);
  expect(await listed(account, { afterId: first?.id ?? "" })).toEqual([
    [2, "b"],
    [3, "c"],
  ]);
  expect(await listEvents(other, { limit: 1, afterId: first?.id ?? "" })).toBeNull();
  expect(await listEvents(account, { limit: 1, afterId: "evt_unknown" })).toBeNull();
});

test("the newest events come first, and lead back to the oldest; those without a number are left out", async () => {
  const [account, other] = [newAccountId(), newAccountId()];
  for (const address of ["a", "b", "c"]) await record(account, address);
  await record(other, "other");
  await numberEvents();
  await record(account, "without");
  const newest = async (query: { before?: bigint; limit: number }) =>
    (await listNewestEvents(account, query)).map(({ data }) => data.address);
  expect(await newest({ limit: 2 })).toEqual(["c", "b"]);
  expect(await newest({ limit: 2, before: 2n })).toEqual(["a"]);
  expect(await newest({ limit: 2, before: 1n })).toEqual([]);
});

test("events are kept for 30 days, and numbers go on", async () => {
  const account = newAccountId();
  await record(account, "old");
  await numberEvents();
  const restoreClock = setClock(() => Date.now() + 29 * 86_400_000);
  try {
    await record(account, "young", new Date(nowMs()));
    await numberEvents();
    await deleteOldEvents();
    expect(await listed(account)).toHaveLength(2);
    setClock(() => Date.now() + 31 * 86_400_000);
    await deleteOldEvents();
  } finally {
    restoreClock();
  }
  expect(await listed(account)).toEqual([[2, "young"]]);
});
