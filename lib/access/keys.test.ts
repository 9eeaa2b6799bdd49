import { beforeAll, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pepper, setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createAccount } from "./accounts";
import { findKeyByHash } from "./find-key";
import { hashKey } from "./key-format";
import { type CapPeriod, countLiveKeys, createKey, type KeyLimits, renameKey, setKeyState } from "./keys";

await openTestDatabase();
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));

/** Sets limits as the owner's page does, except for what the page does with the cap's counted spend. */
async function limitKey({ accountId, keyId }: { accountId: AccountId; keyId: KeyId }, { expiresAt, cap, allowedModels }: KeyLimits) {
  const keepsExpiry = expiresAt === "keep";
  const { rows } = await pool().query(
    'SELECT is_known AS "isKnown", old_period AS "oldPeriod" FROM access_limit_key($1, $2, $3, $4, $5, $6, $7)',
    [accountId, keyId, keepsExpiry ? null : expiresAt, keepsExpiry, cap?.nanoUsd ?? null, cap?.period ?? null, allowedModels],
  );
  return rows[0];
}

const find = (key: string) => findKeyByHash(hashKey(key, pepper()));

test("a new key is found by its hash, with everything the request path needs", async () => {
  const accountId = await createAccount({ ratePerMinute: 500, concurrency: 50 });
  const expiresAt = new Date(Date.UTC(2030, 0, 1));
  const cap = { nanoUsd: nanoUsd(5_000_000_000n), period: "month" as const };
  const { keyId, key } = await createKey({
    accountId,
    name: "production",
    expiresAt,
    cap,
    allowedModels: ["one", "two"],
    clipMinTokens: 512,
  });
  expect(await find(key)).toEqual({
    keyId,
    accountId,
    state: "active",
    accountState: "open",
    expiresAt,
    allowedModels: ["one", "two"],
    clipMinTokens: 512,
    scopes: ["prompt", "read"],
    networks: [],
    secretUntil: null,
    ratePerMinute: 500,
    concurrency: 50,
  });
  const { rows } = await pool().query("SELECT name, cap_nano_usd, cap_period FROM api_key WHERE id = $1", [keyId]);
  expect(rows).toEqual([{ name: "production", cap_nano_usd: 5_000_000_000n, cap_period: "month" }]);
});

test("a key without settings has no limits of its own", async () => {
  const accountId = await createAccount();
  const { keyId, key } = await createKey({ accountId, name: "plain" });
  expect(await find(key)).toEqual({
    keyId,
    accountId,
    state: "active",
    accountState: "open",
    expiresAt: null,
    allowedModels: null,
    clipMinTokens: null,
    scopes: ["prompt", "read"],
    networks: [],
    secretUntil: null,
    ratePerMinute: null,
    concurrency: null,
  });
});

test("a key's clear text is stored nowhere", async () => {
  const { key } = await createKey({ accountId: await createAccount(), name: "secret" });
  const { rows } = await pool().query<{ row: string }>("SELECT row_to_json(k)::text AS row FROM api_key k");
  for (const { row } of rows) {
    expect(row).not.toContain(key);
    expect(row).not.toContain(key.slice(7, -4));
    expect(row).not.toContain(Buffer.from(key).toString("hex"));
  }
});

test("a key that does not exist is not found", async () => {
  expect(await find("pp_nothing")).toBeNull();
});

test("a paused key can be made active again, a revoked one never", async () => {
  const accountId = await createAccount();
  const { keyId, key } = await createKey({ accountId, name: "test" });
  const state = async () => (await find(key))?.state;
  expect(await setKeyState(accountId, keyId, "paused")).toBe(true);
  expect(await state()).toBe("paused");
  expect(await setKeyState(accountId, keyId, "active")).toBe(true);
  expect(await state()).toBe("active");
  const restore = setClock(() => 1_000_000);
  expect(await setKeyState(accountId, keyId, "revoked")).toBe(true);
  restore();
  for (const to of ["active", "paused", "revoked"] as const) expect(await setKeyState(accountId, keyId, to)).toBe(false);
  expect(await state()).toBe("revoked");
  const { rows } = await pool().query("SELECT revoked_at FROM api_key WHERE id = $1", [keyId]);
  expect(rows).toEqual([{ revoked_at: new Date(1_000_000) }]);
});

test("an account cannot change another account's key", async () => {
  const [owner, stranger] = [await createAccount(), await createAccount()];
  const { keyId, key } = await createKey({ accountId: owner, name: "test" });
  expect(await setKeyState(stranger, keyId, "revoked")).toBe(false);
  expect((await find(key))?.state).toBe("active");
});

test("a key created in a rolled-back transaction does not exist", async () => {
  let made = "";
  const failing = inTransaction(async (transaction) => {
    const accountId = await createAccount(undefined, transaction);
    made = (await createKey({ accountId, name: "test" }, transaction)).key;
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await find(made)).toBeNull();
});

test("a cap has an amount and a period, or neither", async () => {
  const { keyId } = await createKey({ accountId: await createAccount(), name: "test" });
  for (const set of [
    "cap_nano_usd = 5",
    "cap_period = 'day'",
    "cap_nano_usd = -1, cap_period = 'day'",
    "cap_nano_usd = 1, cap_period = 'year'",
  ]) {
    await expect(pool().query(`UPDATE api_key SET ${set} WHERE id = $1`, [keyId])).rejects.toMatchObject({ code: "23514" });
  }
});

const revoked = async () => {
  const accountId = await createAccount();
  const { keyId } = await createKey({ accountId, name: "gone" });
  await setKeyState(accountId, keyId, "revoked");
  return { accountId, keyId };
};
const limitsOf = async (keyId: string) =>
  (
    await pool().query(
      "SELECT name, expires_at AS expires, cap_nano_usd AS cap, cap_period AS period, allowed_models AS models FROM api_key WHERE id = $1",
      [keyId],
    )
  ).rows[0];
const noLimits = { expiresAt: null, cap: null, allowedModels: null };

test("only its own account can rename a key, and only until it is revoked", async () => {
  const accountId = await createAccount();
  const { keyId } = await createKey({ accountId, name: "before" });
  expect(await renameKey(await createAccount(), keyId, "stolen")).toBe(false);
  expect(await limitsOf(keyId)).toMatchObject({ name: "before" });
  expect(await renameKey(accountId, keyId, "after")).toBe(true);
  expect(await limitsOf(keyId)).toMatchObject({ name: "after" });
  const gone = await revoked();
  expect(await renameKey(gone.accountId, gone.keyId, "after")).toBe(false);
});

test("limits are replaced as a whole, except for an expiry that is kept", async () => {
  const accountId = await createAccount();
  const expiresAt = new Date(Date.UTC(2030, 0, 1));
  const { keyId } = await createKey({ accountId, name: "test", expiresAt, allowedModels: ["one"] });
  const cap = { nanoUsd: nanoUsd(7), period: "week" as const };
  const change = (limits: KeyLimits) => limitKey({ accountId, keyId }, limits);
  await change({ expiresAt: "keep", cap, allowedModels: ["two", "three"] });
  expect(await limitsOf(keyId)).toEqual({ name: "test", expires: expiresAt, cap: 7n, period: "week", models: ["two", "three"] });
  await change(noLimits);
  expect(await limitsOf(keyId)).toEqual({ name: "test", expires: null, cap: null, period: null, models: null });
});

test("setting limits returns the period that was counted before", async () => {
  const accountId = await createAccount();
  const { keyId } = await createKey({ accountId, name: "test" });
  const set = (period: CapPeriod | null, amount = 1) =>
    limitKey({ accountId, keyId }, { ...noLimits, cap: period && { nanoUsd: nanoUsd(amount), period } });
  expect(await set("week")).toEqual({ isKnown: true, oldPeriod: null });
  expect(await set("week", 2)).toEqual({ isKnown: true, oldPeriod: "week" });
  expect(await set("total")).toEqual({ isKnown: true, oldPeriod: "week" });
  expect(await set(null)).toEqual({ isKnown: true, oldPeriod: "total" });
  expect(await set("total")).toEqual({ isKnown: true, oldPeriod: null });
});

test("the limits of another account's key or of a revoked key cannot be changed", async () => {
  const { keyId } = await createKey({ accountId: await createAccount(), name: "test", allowedModels: ["one"] });
  const gone = await revoked();
  for (const key of [{ accountId: await createAccount(), keyId }, gone]) {
    expect(await limitKey(key, noLimits)).toEqual({ isKnown: false, oldPeriod: null });
  }
  expect(await limitsOf(keyId)).toMatchObject({ models: ["one"] });
});

test("revoked keys are not counted, and concurrent counts run one after the other", async () => {
  const { accountId } = await revoked();
  for (const name of ["one", "two"]) await createKey({ accountId, name });
  const countAndCreate = () =>
    inTransaction(async (transaction) => {
      const count = await countLiveKeys(accountId, transaction);
      await createKey({ accountId, name: "another" }, transaction);
      return count;
    });
  const counts = await Promise.all([countAndCreate(), countAndCreate(), countAndCreate()]);
  expect(counts.sort()).toEqual([2, 3, 4]);
});
