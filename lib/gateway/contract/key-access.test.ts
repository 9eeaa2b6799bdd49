// What a key may do, from where, and with which of its secrets: at both HTTP servers, and in every dialect.

import { expect, test } from "vitest";
import type { KeyScope } from "@/lib/access/find-key";
import { endOldSecret, rotateKey } from "@/lib/access/key-access";
import { createKey, setKeyState } from "@/lib/access/keys";
import { changeKey } from "@/lib/access/testing/change-key";
import { newAccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openAccount } from "./testing/accounts";
import { ask, promptOf, readError, readPromptBody } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

const read = (key: string, path: string, entry: "node" | "next" = "node") => ask({ url: service.url(entry), key, method: "GET", path });
const send = (key: string, headers: Record<string, string> = {}) => ask({ url: service.url("node"), key, body: promptOf(), headers });

const spends = {
  "/api/v1/prompt": promptOf(),
  "/api/v1/quote": promptOf(),
  "/api/v1/chat/completions": { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] },
  "/api/v1/responses": { model: "gpt-4o-mini", input: "Hi" },
  "/api/v1/messages": { model: "gpt-4o-mini", max_tokens: 8, messages: [{ role: "user", content: "Hi" }] },
  "/api/v1/messages/count_tokens": { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] },
  "/api/v1/embeddings": { model: "text-embedding-3-small", input: "Hi" },
};
const reads = ["/api/v1/balance", "/api/v1/usage", "/api/v1/deposits"];

const withScopes = (scopes: readonly KeyScope[]) => openAccount({ key: { scopes } });

test("a key that may only read spends nowhere, and says what it lacks", async () => {
  const { key, accountId } = await withScopes(["read"]);
  for (const [path, body] of Object.entries(spends)) {
    for (const entry of ["node", "next"] as const) {
      const { status, text } = await ask({ url: service.url(entry), key, path, body });
      expect({ path, status, text }).toMatchObject({ path, status: 403, text: expect.stringContaining('"neededScope":"prompt"') });
    }
  }
  for (const path of reads) expect((await read(key, path)).status).toBe(200);
  const { rows } = await pool().query("SELECT FROM charge WHERE account_id = $1", [accountId]);
  expect(rows).toEqual([]);
  expect((await read(key, "/api/v1/models")).status).toBe(200);
});

test("a key that may only spend reads nothing of its account", async () => {
  const { key } = await withScopes(["prompt"]);
  const { requestId } = readPromptBody((await send(key)).text);
  for (const path of [...reads, "/api/v1/events", `/api/v1/requests/${requestId}`]) {
    for (const entry of ["node", "next"] as const)
      expect(readError(await read(key, path, entry), "KEY_NOT_ALLOWED").details).toMatchObject({ reason: "scope", neededScope: "read" });
  }
});

test("a key reads its own usage and receipts, and those of the account's other keys only if it may", async () => {
  const { key, accountId } = await withScopes(["prompt", "read"]);
  const other = await createKey({ accountId, name: "other", scopes: ["prompt", "read", "account"] });
  const own = readPromptBody((await send(key)).text).requestId;
  const foreign = readPromptBody((await send(other.key)).text).requestId;
  const idsSeen = async (by: string, query = "") => {
    const { rows, totals } = JSON.parse((await read(by, `/api/v1/usage${query}`)).text);
    return { ids: rows.map(({ requestId }: { requestId: string }) => requestId).sort(), count: totals.requests };
  };
  expect(await idsSeen(key)).toEqual({ ids: [own], count: 1 });
  expect(await idsSeen(other.key)).toEqual({ ids: [own, foreign].sort(), count: 2 });
  expect(JSON.parse((await read(key, "/api/v1/usage?groupBy=key")).text)).toMatchObject({
    rows: [{ requests: 1 }],
    totals: { requests: 1 },
  });
  expect((await read(key, `/api/v1/requests/${own}`)).status).toBe(200);
  readError(await read(key, `/api/v1/requests/${foreign}`), "NOT_FOUND");
  expect((await read(other.key, `/api/v1/requests/${own}`)).status).toBe(200);
  expect(readError(await read(key, "/api/v1/events"), "KEY_NOT_ALLOWED").details).toMatchObject({ neededScope: "account" });
  expect((await read(other.key, "/api/v1/events")).status).toBe(200);
});

test("a cursor of a listing of all keys is no use to a key that sees its own", async () => {
  const { key, accountId } = await withScopes(["prompt", "read"]);
  const other = await createKey({ accountId, name: "other", scopes: ["prompt", "read", "account"] });
  for (const each of [key, other.key]) await send(each);
  const { nextCursor } = JSON.parse((await read(other.key, "/api/v1/usage?limit=1")).text);
  readError(await read(key, `/api/v1/usage?limit=1&cursor=${nextCursor}`), "INVALID_REQUEST");
});

test("a key with allowed addresses is refused from others, and a forged header does not help", async () => {
  const { key, keyId } = await withScopes(["prompt", "read"]);
  const allow = (networks: string[]) => changeKey(keyId, { networks });
  await allow(["203.0.113.0/24", "2001:db8::/32"]);
  await expect.poll(async () => (await send(key)).status).toBe(403);
  const forged = await send(key, { "x-forwarded-for": "203.0.113.7" });
  expect(readError(forged, "KEY_NOT_ALLOWED").details).toMatchObject({ reason: "address", address: "127.0.0.1" });
  expect((await read(key, "/api/v1/balance")).status).toBe(403);
  await allow(["203.0.113.0/24", "127.0.0.0/8"]);
  await expect.poll(async () => (await send(key)).status).toBe(200);
});

test("after a rotation both secrets work under one key until the old one's time is over, and that can be ended at once", async () => {
  const { key: old, keyId, accountId } = await withScopes(["prompt", "read"]);
  expect(await rotateKey(newAccountId(), keyId, 60_000)).toBeNull();
  const fresh = (await rotateKey(accountId, keyId, 60_000)) ?? "";
  expect(fresh).not.toBe(old);
  for (const key of [old, fresh]) await expect.poll(async () => (await send(key)).status).toBe(200);
  const { rows } = JSON.parse((await read(fresh, "/api/v1/usage?groupBy=key")).text);
  expect(rows).toMatchObject([{ keyId, requests: expect.any(Number) }]);
  expect(await endOldSecret(newAccountId(), keyId)).toBe(false);
  expect(await endOldSecret(accountId, keyId)).toBe(true);
  expect(await endOldSecret(accountId, keyId)).toBe(false);
  await expect.poll(async () => (await send(old)).status).toBe(401);
  for (const entry of ["node", "next"] as const)
    expect(readError(await read(old, "/api/v1/balance", entry), "INVALID_API_KEY").details.reason).toBe("rotated");
  expect((await send(fresh)).status).toBe(200);
});

test("a second rotation ends the first secret at once, and a revocation ends all", async () => {
  const { key: first, keyId, accountId } = await withScopes(["prompt"]);
  const second = (await rotateKey(accountId, keyId, 60_000)) ?? "";
  const third = (await rotateKey(accountId, keyId, 60_000)) ?? "";
  await expect.poll(async () => (await send(first)).status).toBe(401);
  for (const key of [second, third]) await expect.poll(async () => (await send(key)).status).toBe(200);
  // One whose secret was lost on its way: the one that is in use stays, and the lost one stops.
  const fourth = (await rotateKey(accountId, keyId, "as_before")) ?? "";
  await expect.poll(async () => (await send(third)).status).toBe(401);
  for (const key of [second, fourth]) await expect.poll(async () => (await send(key)).status).toBe(200);
  await setKeyState(accountId, keyId, "revoked");
  for (const key of [second, fourth]) await expect.poll(async () => JSON.parse((await send(key)).text).details?.reason).toBe("revoked");
  for (const overlap of [0, "as_before"] as const) expect(await rotateKey(accountId, keyId, overlap)).toBeNull();
});

test("a rotation that keeps the secret before is refused when there is none, or its time is over", async () => {
  const { key, keyId, accountId } = await withScopes(["prompt"]);
  expect(await rotateKey(accountId, keyId, "as_before")).toBeNull();
  expect((await send(key)).status).toBe(200);
  await rotateKey(accountId, keyId, 60_000);
  await endOldSecret(accountId, keyId);
  expect(await rotateKey(accountId, keyId, "as_before")).toBeNull();
});
