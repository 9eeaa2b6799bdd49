import { beforeAll, expect, test, vi } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createAccount } from "./accounts";
import { authenticateBearer, authenticateKey, readBearerKey } from "./authenticate";
import { startKeyCache } from "./key-cache";
import { generateKey } from "./key-format";
import { createKey, setKeyState } from "./keys";

await openTestDatabase();
let account: AccountId;
beforeAll(async () => {
  setSandboxPepper("a pepper for tests, of more than 32 characters");
  account = await createAccount();
});

const key = generateKey();

test.each([
  ["no header", undefined, { reason: "missing" }],
  ["an empty header", "", { reason: "missing" }],
  ["a key", `Bearer ${key}`, { key }],
  ["a key with the scheme in small letters", `bearer ${key}`, { key }],
  ["a key with the scheme in capitals", `BEARER ${key}`, { key }],
  ["a key alone", key, { reason: "malformed" }],
  ["another scheme", `Basic ${key}`, { reason: "malformed" }],
  ["two spaces", `Bearer  ${key}`, { reason: "malformed" }],
  ["a tab", `Bearer\t${key}`, { reason: "malformed" }],
  ["nothing after the scheme", "Bearer ", { reason: "malformed" }],
  ["a key that was cut short", `Bearer ${key.slice(0, -1)}`, { reason: "malformed" }],
  ["a key with a blank behind it", `Bearer ${key} `, { reason: "malformed" }],
  ["two keys", `Bearer ${key}, Bearer ${key}`, { reason: "malformed" }],
  ["another service's key", "Bearer sk-abcdefghijklmnopqrstuvwxyz0123456789abcd", { reason: "malformed" }],
])("an Authorization header with %s is read", (_what, header, read) => {
  expect(readBearerKey(header)).toEqual(read);
});

test("a usable key is returned with its account", async () => {
  const made = await createKey({ accountId: account, name: "test" });
  expect(await authenticateKey(made.key)).toMatchObject({ ok: true, key: { keyId: made.keyId, accountId: account } });
});

test("a cached key is judged synchronously, and a header without a well-formed key is not looked up", async () => {
  const cache = await startKeyCache();
  try {
    const made = await createKey({ accountId: account, name: "test" });
    const lookUp = vi.fn();
    const first = authenticateBearer(`Bearer ${made.key}`, lookUp);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ ok: true, key: { keyId: made.keyId } });
    expect(authenticateBearer(`bearer ${made.key}`, lookUp)).toMatchObject({ ok: true, key: { keyId: made.keyId } });
    expect(lookUp).toHaveBeenCalledTimes(1);
    for (const header of [`Bearer ${made.key} `, `Bearer ${made.key.slice(0, -1)}`, made.key, "Bearer "]) {
      expect(authenticateBearer(header, lookUp)).toEqual({ ok: false, reason: "malformed" });
    }
    for (const header of [undefined, ""]) expect(authenticateBearer(header, lookUp)).toEqual({ ok: false, reason: "missing" });
    expect(lookUp).toHaveBeenCalledTimes(1);
  } finally {
    await cache.stop();
  }
});

test.each([
  ["revoked", "revoked"],
  ["paused", "disabled"],
] as const)("a key that is %s is refused as %s", async (state, reason) => {
  const made = await createKey({ accountId: account, name: "test" });
  await setKeyState(account, made.keyId, state);
  expect(await authenticateKey(made.key)).toEqual({ ok: false, reason });
});

test("a key is refused from the moment it expires", async () => {
  const expiresAt = new Date(Date.UTC(2030, 0, 1));
  const made = await createKey({ accountId: account, name: "test", expiresAt });
  const restore = [setClock(() => expiresAt.getTime() - 1)];
  expect((await authenticateKey(made.key)).ok).toBe(true);
  restore.push(setClock(() => expiresAt.getTime()));
  expect(await authenticateKey(made.key)).toEqual({ ok: false, reason: "expired" });
  for (const undo of restore.reverse()) undo();
});

test("every key of a frozen account is refused; a revoked key is reported as revoked", async () => {
  const owner = await createAccount();
  const [active, revoked] = [await createKey({ accountId: owner, name: "a" }), await createKey({ accountId: owner, name: "b" })];
  await setKeyState(owner, revoked.keyId, "revoked");
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner]);
  expect(await authenticateKey(active.key)).toEqual({ ok: false, reason: "disabled" });
  expect(await authenticateKey(revoked.key)).toEqual({ ok: false, reason: "revoked" });
});

test("a key that was never created is unknown; beforeLookUp can refuse before the database is reached", async () => {
  expect(await authenticateKey(generateKey())).toEqual({ ok: false, reason: "unknown" });
  const query = vi.spyOn(pool(), "query");
  const refuse = () => {
    throw new Error("too many failures from this address");
  };
  expect(() => authenticateKey(generateKey(), refuse)).toThrow("too many failures");
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});
