import { afterEach, beforeAll, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { nanoUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createAccount } from "./accounts";
import { listLiveKeys, listRevokedKeys } from "./key-list";
import { createKey, setKeyState } from "./keys";

await openTestDatabase();
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));

// A Thursday.
const start = Date.UTC(2026, 0, 15, 10);
let restore = () => {};
afterEach(() => restore());
const setTime = (ms: number) => {
  restore();
  restore = setClock(() => ms);
};

test("a list shows everything that an owner may see of a key, and not the key itself", async () => {
  setTime(start);
  const accountId = await createAccount();
  const cap = { nanoUsd: nanoUsd(5_000_000_000n), period: "week" as const };
  const { keyId, key } = await createKey({
    accountId,
    name: "ci",
    cap,
    expiresAt: new Date(start + 1_000),
    allowedModels: ["one"],
    clipMinTokens: 300,
  });
  await pool().query("UPDATE api_key SET last_used_at = $2 WHERE id = $1", [keyId, new Date(start)]);
  const lines = await listLiveKeys(accountId);
  expect(lines).toEqual([
    {
      keyId,
      name: "ci",
      prefix: key.slice(0, 7),
      last4: key.slice(-4),
      state: "active",
      createdAt: new Date(start),
      lastUsedAt: new Date(start),
      expiresAt: new Date(start + 1_000),
      revokedAt: null,
      cap: { ...cap, periodStart: new Date(Date.UTC(2026, 0, 12)), periodEnd: new Date(Date.UTC(2026, 0, 19)) },
      allowedModels: ["one"],
      clipMinTokens: 300,
      alarm: { factor: 5, above: 1_000_000_000n, pauses: false },
      scopes: ["prompt", "read"],
      networks: [],
      oldSecret: null,
    },
  ]);
  expect(lines[0]).not.toHaveProperty("hash");
  const { rows } = await pool().query<{ hash: Buffer }>("SELECT hash FROM api_key WHERE id = $1", [keyId]);
  for (const secret of [key, key.slice(7, -4), rows[0]?.hash.toString("hex") ?? "none"]) {
    expect(JSON.stringify(lines, (_, value) => (typeof value === "bigint" ? `${value}` : value))).not.toContain(secret);
  }
});

test("the state is what a call would get: an expired key is expired, paused or not, and a revoked key is revoked", async () => {
  setTime(start);
  const accountId = await createAccount();
  const expiresAt = new Date(start + 1_000);
  const [active, paused, revoked] = [
    await createKey({ accountId, name: "active", expiresAt }),
    await createKey({ accountId, name: "paused", expiresAt }),
    await createKey({ accountId, name: "revoked", expiresAt }),
  ];
  await setKeyState(accountId, paused.keyId, "paused");
  await setKeyState(accountId, revoked.keyId, "revoked");
  const states = async () => {
    const lines = [...(await listLiveKeys(accountId)), ...(await listRevokedKeys(accountId, 10, null))];
    return Object.fromEntries(lines.map(({ keyId, state }) => [keyId, state]));
  };
  setTime(start + 999);
  expect(await states()).toEqual({ [active.keyId]: "active", [paused.keyId]: "paused", [revoked.keyId]: "revoked" });
  setTime(start + 1_000);
  expect(await states()).toEqual({ [active.keyId]: "expired", [paused.keyId]: "expired", [revoked.keyId]: "revoked" });
});

test("the newest key comes first, and other accounts see none", async () => {
  const accountId = await createAccount();
  for (const [index, name] of ["one", "two", "three"].entries()) {
    setTime(start + index);
    await createKey({ accountId, name });
  }
  expect((await listLiveKeys(accountId)).map(({ name }) => name)).toEqual(["three", "two", "one"]);
  expect(await listLiveKeys(await createAccount())).toEqual([]);
});

test("revoked keys are paged, each key once", async () => {
  const accountId = await createAccount();
  for (let index = 0; index < 5; index++) {
    setTime(start + index);
    const { keyId } = await createKey({ accountId, name: `${index}` });
    await setKeyState(accountId, keyId, "revoked");
  }
  await createKey({ accountId, name: "live" });
  const first = await listRevokedKeys(accountId, 2, null);
  expect(first.map(({ name }) => name)).toEqual(["4", "3", "2"]);
  expect(first[0]?.revokedAt).toEqual(new Date(start + 4));
  const second = await listRevokedKeys(accountId, 2, first[1]?.keyId ?? null);
  expect(second.map(({ name }) => name)).toEqual(["2", "1", "0"]);
  expect((await listRevokedKeys(accountId, 2, second[1]?.keyId ?? null)).map(({ name }) => name)).toEqual(["0"]);
  expect(await listRevokedKeys(await createAccount(), 2, null)).toEqual([]);
});
