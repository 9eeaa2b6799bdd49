import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase, urlOfDatabase } from "@/lib/db/testing/test-database";
import { type Child, killChildren, startChild } from "@/lib/ledger/testing/child";
import type { KeyAnswer } from "@/lib/ledger/testing/key-child";
import { createAccount } from "./accounts";
import { authenticateKey } from "./authenticate";
import { digestKey, forgetKey, peekKey, startKeyCache } from "./key-cache";
import { generateKey, hashKey } from "./key-format";
import { createKey, setKeyState } from "./keys";

const pepper = "a pepper for tests, of more than 32 characters";
const database = await openTestDatabase();
let elsewhere: Child;
let cache: { stop: () => Promise<void> };
let account: AccountId;

beforeAll(async () => {
  setSandboxPepper(pepper);
  elsewhere = await startChild("key-child", database.url, pepper);
});
afterAll(killChildren);
beforeEach(async () => {
  cache = await startKeyCache();
  account = await createAccount();
});
afterEach(async () => {
  await letIn(true);
  await cache.stop();
});

/** Allows or refuses new connections to the database; existing ones stay. */
async function letIn(allowed: boolean): Promise<void> {
  const admin = new pg.Client({ connectionString: urlOfDatabase(database.url, "postgres") });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} ALLOW_CONNECTIONS ${allowed}`);
  await admin.end();
}

const openKey = () => createKey({ accountId: account, name: "test" });
const isKnown = (key: string) => peekKey(digestKey(key)) !== undefined;
const callElsewhere = async (key: string) => (await elsewhere.ask(key)) as KeyAnswer;

/** Makes the other process cache a key, so that only a notice can make it forget. */
async function publishElsewhere(key: string): Promise<void> {
  await expect.poll(async () => (await callElsewhere(key)).known).toBe(true);
}

const update = (table: "api_key" | "account", set: string) => async (keyId: KeyId) => {
  await pool().query(`UPDATE ${table} SET ${set} WHERE id = $1`, [table === "api_key" ? keyId : account]);
};

const changes: readonly (readonly [what: string, change: (keyId: KeyId) => Promise<unknown>, seen: (answer: KeyAnswer) => boolean])[] = [
  ["a revocation", (keyId) => setKeyState(account, keyId, "revoked"), ({ refused }) => refused === "revoked"],
  ["a pause", (keyId) => setKeyState(account, keyId, "paused"), ({ refused }) => refused === "disabled"],
  ["an expiry", update("api_key", "expires_at = now() - interval '1 second'"), ({ refused }) => refused === "expired"],
  ["a choice of models", update("api_key", "allowed_models = '{one}'"), ({ key }) => key?.allowedModels?.[0] === "one"],
  ["a frozen account", update("account", "state = 'frozen'"), ({ refused }) => refused === "disabled"],
  ["a higher rate", update("account", "rate_per_minute = 777"), ({ key }) => key?.ratePerMinute === 777],
  ["a higher concurrency", update("account", "concurrency = 77"), ({ key }) => key?.concurrency === 77],
];

// Only a notice removes a key from memory; lib/db/listen.ts bounds how long a notice may take.
test.each(changes)("%s reaches another process", async (_what, change, seen) => {
  const { keyId, key } = await openKey();
  await publishElsewhere(key);
  await change(keyId);
  await expect.poll(async () => seen(await callElsewhere(key))).toBe(true);
});

test("a changed cap empties the memory of another process", async () => {
  const { keyId, key } = await openKey();
  await publishElsewhere(key);
  // Poll `known`, which is read before the lookup of the same call: the lookup itself would cache the new cap.
  await update("api_key", "cap_nano_usd = 5, cap_period = 'day'")(keyId);
  await expect.poll(async () => (await callElsewhere(key)).known).toBe(false);
});

test("a change that is rolled back changes nothing anywhere", async () => {
  const { keyId, key } = await openKey();
  await authenticateKey(key);
  const client = await pool().connect();
  await client.query("BEGIN");
  await client.query("UPDATE api_key SET state = 'revoked' WHERE id = $1", [keyId]);
  await client.query("ROLLBACK");
  client.release();
  const other = await openKey();
  await authenticateKey(other.key);
  await setKeyState(account, other.keyId, "paused"); // its notice would arrive after a notice of the rolled-back change
  await expect.poll(() => isKnown(other.key)).toBe(false);
  expect((await authenticateKey(key)).ok).toBe(true);
});

test("recording a use removes no key from memory", async () => {
  const [used, marker] = [await openKey(), await createKey({ accountId: await createAccount(), name: "marker" })];
  for (const { key } of [used, marker]) await authenticateKey(key);
  await pool().query("UPDATE api_key SET last_used_at = now() WHERE id = $1", [used.keyId]);
  await pool().query("UPDATE api_key SET state = 'paused' WHERE id = $1", [marker.keyId]);
  await expect.poll(() => isKnown(marker.key)).toBe(false);
  expect(isKnown(used.key)).toBe(true);
});

test("a cached key needs no database read; a key that does not exist is never cached", async () => {
  const { key } = await openKey();
  await authenticateKey(key);
  const unknown = (await createKey({ accountId: account, name: "gone" })).key;
  await pool().query("DELETE FROM api_key WHERE name = 'gone'");
  const query = vi.spyOn(pool(), "query");
  expect((await authenticateKey(key)).ok).toBe(true);
  expect(query).not.toHaveBeenCalled();
  await authenticateKey(unknown);
  await authenticateKey(unknown);
  expect(query).toHaveBeenCalledTimes(2);
  query.mockRestore();
});

test("while no process can listen, nothing is served from memory: a revocation takes effect at once", async () => {
  const { keyId, key } = await openKey();
  await authenticateKey(key);
  expect(isKnown(key)).toBe(true);
  await pool().query("SELECT 1"); // opens a connection that stays while new ones are refused
  await letIn(false);
  await cutListeners();
  await expect.poll(() => isKnown(key)).toBe(false);
  expect((await authenticateKey(key)).ok).toBe(true);
  expect(isKnown(key)).toBe(false);
  await setKeyState(account, keyId, "revoked");
  expect(await authenticateKey(key)).toEqual({ ok: false, reason: "revoked" });
  await letIn(true);
  const isKeptAgain = async () => {
    await authenticateKey(key);
    return isKnown(key);
  };
  await expect.poll(isKeptAgain).toBe(true);
  expect(await authenticateKey(key)).toEqual({ ok: false, reason: "revoked" });
});

test("a notice lost with its connection does no harm: memory starts empty when listening begins again", async () => {
  const { key } = await openKey();
  await publishElsewhere(key);
  await cutListeners();
  await pool().query("UPDATE account SET rate_per_minute = 555 WHERE id = $1", [account]);
  await expect.poll(async () => (await callElsewhere(key)).key?.ratePerMinute).toBe(555);
});

function createSignal(): { given: Promise<void>; give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

const cutListeners = () =>
  pool().query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pennyprompt listen'",
  );

test("a key that was read before its revocation and arrives after the notice is not cached", async () => {
  const { keyId, key } = await openKey();
  const witness = await openKey(); // of the same account: the same notice removes it
  await authenticateKey(witness.key);
  const [wasRead, arrives] = [createSignal(), createSignal()];
  const read = pool().query.bind(pool()) as (query: unknown) => Promise<unknown>;
  const slow = vi.spyOn(pool(), "query").mockImplementationOnce(async (query: unknown) => {
    const result = await read(query);
    wasRead.give();
    await arrives.given;
    return result;
  });
  const authenticated = authenticateKey(key);
  await wasRead.given;
  await database.pool.query("UPDATE api_key SET state = 'revoked' WHERE id = $1", [keyId]);
  await expect.poll(() => isKnown(witness.key)).toBe(false);
  arrives.give();
  expect((await authenticated).ok).toBe(true); // read before the revocation; the hold decides again
  slow.mockRestore();
  expect(isKnown(key)).toBe(false);
  expect(await authenticateKey(key)).toEqual({ ok: false, reason: "revoked" });
});

test("forgetKey removes a key at once, for a hold that found it changed", async () => {
  const { key } = await openKey();
  await authenticateKey(key);
  forgetKey(digestKey(key));
  expect(isKnown(key)).toBe(false);
});

test("without listening no key is cached", async () => {
  await cache.stop();
  const { key } = await openKey();
  expect((await authenticateKey(key)).ok).toBe(true);
  expect(isKnown(key)).toBe(false);
});

test("a key's name in memory differs from its stored hash", () => {
  const key = generateKey();
  expect(digestKey(key)).toBe(digestKey(key));
  expect(digestKey(key)).not.toBe(hashKey(key, "pepper").toString("base64"));
});
