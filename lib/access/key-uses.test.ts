import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createAccount } from "./accounts";
import { recordKeyUse, writeKeyUses } from "./key-cache";
import { createKey } from "./keys";

await openTestDatabase();
let account: AccountId;
beforeAll(async () => {
  setSandboxPepper("a pepper for tests, of more than 32 characters");
  account = await createAccount();
});

let restoreClock = () => {};
afterEach(() => restoreClock());

/** A few at once: on a busy machine the last of hundreds waits for a connection for longer than the pool lets it. */
async function openKeys(count: number): Promise<KeyId[]> {
  const keys: KeyId[] = [];
  while (keys.length < count) {
    const made = Array.from({ length: Math.min(5, count - keys.length) }, () => createKey({ accountId: account, name: "test" }));
    for (const { keyId } of await Promise.all(made)) keys.push(keyId);
  }
  return keys;
}

function use(key: KeyId, ms: number): void {
  restoreClock();
  restoreClock = setClock(() => ms);
  recordKeyUse(key);
}

async function lastUsed(key: KeyId): Promise<number | undefined> {
  const { rows } = await pool().query<{ last_used_at: Date | null }>("SELECT last_used_at FROM api_key WHERE id = $1", [key]);
  return rows[0]?.last_used_at?.getTime();
}

test("writeKeyUses writes the last of all uses of a key", async () => {
  const [key, unused] = await openKeys(2);
  if (!key || !unused) throw new Error("no keys");
  use(key, 1_000);
  use(key, 2_000);
  expect(await lastUsed(key)).toBeUndefined();
  await writeKeyUses();
  expect(await lastUsed(key)).toBe(2_000);
  expect(await lastUsed(unused)).toBeUndefined();
});

test("an earlier use does not replace a later one that another process wrote", async () => {
  const [key] = await openKeys(1);
  if (!key) throw new Error("no key");
  use(key, 9_000);
  await writeKeyUses();
  use(key, 5_000);
  await writeKeyUses();
  expect(await lastUsed(key)).toBe(9_000);
});

test("processes that write the same keys at once, each in its own order, do not deadlock", async () => {
  const keys = await openKeys(400);
  for (let round = 0; round < 15; round++) {
    const writing: Promise<void>[] = [];
    for (const order of [keys, keys.toReversed()]) {
      for (const key of order) use(key, round * 10 + writing.length);
      writing.push(writeKeyUses());
    }
    await Promise.all(writing);
  }
  for (const key of keys.slice(0, 5)) expect(await lastUsed(key)).toBe(141);
});

test("uses that could not be written are written next time, unless there are later ones", async () => {
  const [key, again] = await openKeys(2);
  if (!key || !again) throw new Error("no keys");
  use(key, 3_000);
  use(again, 3_000);
  const failing = vi.spyOn(pool(), "query").mockImplementationOnce(() => Promise.reject(new Error("the database is away")));
  const written = writeKeyUses();
  use(again, 4_000);
  await expect(written).rejects.toThrow("the database is away");
  failing.mockRestore();
  await writeKeyUses();
  expect([await lastUsed(key), await lastUsed(again)]).toEqual([3_000, 4_000]);
});

test("without uses nothing is written", async () => {
  const query = vi.spyOn(pool(), "query");
  await writeKeyUses();
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});
