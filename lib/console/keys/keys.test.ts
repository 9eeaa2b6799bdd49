// Keys as their owner changes them in the console, and how the API then answers: through the real gateway, with a real database and
// simulated models.

import { expect, onTestFinished, test } from "vitest";
import type { KeyScope } from "@/lib/access/find-key";
import { openSession } from "@/lib/access/sessions";
import { DAY_MS, setClock } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { ask, misbehaving, open, promptOf, readCosts, readError } from "@/lib/gateway/contract/testing/client";
import { openService } from "@/lib/gateway/contract/testing/service";
import type { Owner } from "../owner";
import { createOwnKey, listOwnKeys, listOwnRevokedKeys, renameOwnKey, setOwnKeyLimits, setOwnKeyState } from "./keys";

const service = await openService();

const access = { scopes: ["prompt", "read", "account"] as KeyScope[], networks: [] as string[] };
const plain = { name: "ci", expiry: null, cap: null, clip: null, alarm: null, models: null, ...access };
const wallet = { chain: "evm" as const, address: `0x${"ab".repeat(20)}` };

/** An owner with 5 USD; the key that every test account gets is removed here. */
async function openOwner(fields: Partial<Owner> = {}): Promise<Owner> {
  const { accountId, keyId } = await openAccount();
  await pool().query("DELETE FROM api_key WHERE id = $1", [keyId]);
  const { sessionId } = await openSession({ accountId, wallet, userAgent: "test", clientAddress: "192.0.2.1" });
  return { accountId, sessionId, wallet, isFrozen: false, isLeaving: false, confirmedAt: new Date(0), spendsUntil: null, ...fields };
}

async function create(owner: Owner, wish: Partial<Parameters<typeof createOwnKey>[1]> = {}): Promise<{ keyId: KeyId; key: string }> {
  const made = await createOwnKey(owner, { ...plain, ...wish });
  const [newest] = await listOwnKeys(owner);
  if (!made.ok || !newest) throw new Error("no key was made");
  return { keyId: newest.keyId, key: made.key };
}

const call = (key: string, body = promptOf(), entry: "node" | "next" = "node") => ask({ url: service.url(entry), key, body });
const balance = (key: string, entry: "node" | "next" = "node") =>
  ask({ url: service.url(entry), key, method: "GET", path: "/api/v1/balance" });

/** Retries until the answer is 401. */
async function refusedInTheEnd(key: string, entry: "node" | "next"): Promise<unknown> {
  const end = performance.now() + 30_000;
  let answer = await balance(key, entry);
  while (answer.status !== 401 && performance.now() < end) answer = await balance(key, entry);
  return readError(answer, "INVALID_API_KEY").details.reason;
}

test("the key shown once works, and no list shows it again", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner, { name: "laptop" });
  const answer = await call(key);
  expect(answer.status).toBe(200);
  const [line, ...others] = await listOwnKeys(owner);
  expect(others).toEqual([]);
  expect(line).toMatchObject({ keyId, name: "laptop", prefix: key.slice(0, 7), last4: key.slice(-4), state: "active", cap: null });
  expect(line?.spent).toBe(readCosts(answer.text).totalCost);
  expect(line?.lastUsedAt).toBeInstanceOf(Date);
  expect(Object.values(line ?? {}).join(" ")).not.toContain(key.slice(7, -4));
});

test("a paused key gets 401 at every entry, works again once resumed, and a revoked key never does", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner);
  const statuses = async () => [(await balance(key)).status, (await balance(key, "next")).status, (await call(key)).status];
  expect(await statuses()).toEqual([200, 200, 200]);

  expect(await setOwnKeyState(owner, keyId, "paused")).toEqual({ ok: true });
  // The hold itself checks the key for spending requests: the pause takes effect at once.
  expect(readError(await call(key), "INVALID_API_KEY").details.reason).toBe("disabled");
  for (const entry of ["node", "next"] as const) expect(await refusedInTheEnd(key, entry)).toBe("disabled");
  expect(await listOwnKeys(owner)).toMatchObject([{ state: "paused" }]);

  expect(await setOwnKeyState(owner, keyId, "active")).toEqual({ ok: true });
  // The caches that refuse a key before the hold are notified as well.
  await expect.poll(async () => (await call(key)).status, { interval: 20 }).toBe(200);

  expect(await setOwnKeyState(owner, keyId, "revoked")).toEqual({ ok: true });
  expect(readError(await call(key), "INVALID_API_KEY").details.reason).toBe("revoked");
  for (const entry of ["node", "next"] as const) expect(await refusedInTheEnd(key, entry)).toBe("revoked");
  for (const state of ["active", "paused", "revoked"] as const) {
    expect(await setOwnKeyState(owner, keyId, state)).toMatchObject({ ok: false, message: expect.stringContaining("revoked") });
  }
  expect(await listOwnKeys(owner)).toEqual([]);
  expect(await listOwnRevokedKeys(owner, null)).toMatchObject({ keys: [{ keyId, state: "revoked" }], older: null });
});

test("a key that shortens answers does so from its next request, and its owner sees it", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner, { clip: 300, cap: { nanoUsd: parseUsd("0.003"), period: "day" } });
  expect(await listOwnKeys(owner)).toMatchObject([{ clipMinTokens: 300 }]);
  const long = promptOf({ maxTokens: 16_000 });
  const answer = await call(key, long);
  expect(Number(answer.headers.get("x-clipped-to"))).toBeGreaterThanOrEqual(300);
  expect(await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap: null, clip: null, alarm: null, models: null, ...access })).toEqual({
    ok: true,
  });
  expect(await listOwnKeys(owner)).toMatchObject([{ clipMinTokens: null, cap: null }]);
});

test("no action touches the key of another account", async () => {
  const [owner, stranger] = [await openOwner(), await openOwner()];
  const { keyId, key } = await create(owner, { cap: { nanoUsd: parseUsd("5"), period: "week" }, models: ["gpt-4o-mini"] });
  await call(key);
  const rows = () => pool().query("SELECT k, s FROM api_key k LEFT JOIN key_spend s ON s.key_id = k.id WHERE k.id = $1", [keyId]);
  const before = (await rows()).rows;
  const attempts = [
    () => renameOwnKey(stranger, { keyId, name: "stolen" }),
    ...(["active", "paused", "revoked"] as const).map((state) => () => setOwnKeyState(stranger, keyId, state)),
    () => setOwnKeyLimits(stranger, { keyId, expiry: null, cap: null, clip: 1, alarm: null, models: null, ...access }),
    () =>
      setOwnKeyLimits(stranger, {
        keyId,
        expiry: "keep",
        cap: { nanoUsd: nanoUsd(1), period: "total" },
        clip: null,
        alarm: null,
        models: null,
        ...access,
      }),
  ];
  for (const attempt of attempts) expect(await attempt()).toMatchObject({ ok: false, message: expect.stringContaining("not found") });
  expect((await rows()).rows).toEqual(before);
  expect(await listOwnKeys(stranger)).toEqual([]);
  expect((await listOwnRevokedKeys(stranger, null)).keys).toEqual([]);
});

test("the owner of a frozen account sees everything, but can only pause and revoke", async () => {
  const owner = await openOwner();
  const { keyId } = await create(owner, { name: "before" });
  const frozen = { ...owner, isFrozen: true };
  const attempts = [
    () => createOwnKey(frozen, plain),
    () => renameOwnKey(frozen, { keyId, name: "after" }),
    () => setOwnKeyState(frozen, keyId, "active"),
    () => setOwnKeyLimits(frozen, { keyId, expiry: null, cap: null, clip: null, alarm: null, models: ["gpt-4o-mini"], ...access }),
  ];
  for (const attempt of attempts) expect(await attempt()).toMatchObject({ ok: false, message: expect.stringContaining("frozen") });
  expect(await listOwnKeys(frozen)).toMatchObject([{ keyId, name: "before", state: "active", models: null }]);
  expect(await setOwnKeyState(frozen, keyId, "paused")).toEqual({ ok: true });
  // A paused key stays paused.
  expect(await setOwnKeyState(frozen, keyId, "active")).toMatchObject({ ok: false, message: expect.stringContaining("frozen") });
  expect(await listOwnKeys(frozen)).toMatchObject([{ keyId, state: "paused" }]);
  expect(await setOwnKeyState(frozen, keyId, "revoked")).toEqual({ ok: true });
});

test("of ten concurrent requests for the hundredth key, one succeeds", async () => {
  const owner = await openOwner();
  for (let made = 0; made < 99; made++) expect(await createOwnKey(owner, plain)).toMatchObject({ ok: true });
  const answers = await Promise.all(Array.from({ length: 10 }, () => createOwnKey(owner, plain)));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  for (const answer of answers.filter(({ ok }) => !ok)) {
    expect(answer).toEqual({ ok: false, message: "You have reached the limit of 100 keys. Revoke one you no longer use." });
  }
  const keys = await listOwnKeys(owner);
  expect(keys).toHaveLength(100);
  // Revoking a key frees its slot.
  await setOwnKeyState(owner, keys[0]?.keyId ?? ("" as KeyId), "revoked");
  expect(await createOwnKey(owner, plain)).toMatchObject({ ok: true });
});

test("an account makes two hundred keys within a day, live or not: each row is kept", async () => {
  const owner = await openOwner();
  const { keyId } = await create(owner);
  await pool().query(
    `INSERT INTO api_key SELECT (jsonb_populate_record(k, jsonb_build_object('id', k.id || n, 'hash', to_jsonb('\\x' || md5(n::text)), 'state', 'revoked'))).*
     FROM api_key k, generate_series(2, 200) n WHERE k.id = $1`,
    [keyId],
  );
  expect(await createOwnKey(owner, plain)).toEqual({ ok: false, message: expect.stringContaining("200 keys in the last 24 hours") });
  const restore = setClock(() => Date.now() + DAY_MS + 60_000);
  onTestFinished(restore);
  expect(await createOwnKey(owner, plain)).toMatchObject({ ok: true });
});

test("a cap counts to the last nano-dollar, shows what was spent of it, and stops the key when it is reached", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner);
  const { totalCost } = readCosts((await call(key)).text);
  const cap = { nanoUsd: nanoUsd(totalCost + 1n), period: "month" as const };
  expect(await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap, clip: null, alarm: null, models: null, ...access })).toEqual({
    ok: true,
  });
  const [line] = await listOwnKeys(owner);
  expect(line).toMatchObject({ cap: { ...cap, resetsAt: expect.any(Date) }, spent: totalCost });
  expect(readError(await call(key), "SPEND_CAP_REACHED").details).toMatchObject({ spent: expect.any(Number) });
  // Without the cap it works again; its spend remains.
  expect(await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap: null, clip: null, alarm: null, models: null, ...access })).toEqual({
    ok: true,
  });
  const more = readCosts((await call(key)).text).totalCost;
  expect(await listOwnKeys(owner)).toMatchObject([{ cap: null, spent: totalCost + more }]);
});

test("a running call's hold counts against the cap, and the list shows that nothing is left", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner, { cap: { nanoUsd: parseUsd("5"), period: "month" } });
  const leave = new AbortController();
  const slow = await open({
    url: service.url("node"),
    key,
    body: misbehaving("slow=500 tokens=500", { stream: true }),
    signal: leave.signal,
  });
  const [line] = await listOwnKeys(owner);
  expect(line?.held).toBeGreaterThan(0n);
  const cap = { nanoUsd: nanoUsd((line?.spent ?? 0n) + (line?.held ?? 0n)), period: "month" as const };
  expect(await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap, clip: null, alarm: null, models: null, ...access })).toEqual({
    ok: true,
  });
  readError(await call(key), "SPEND_CAP_REACHED");
  leave.abort();
  await slow.text().catch(() => undefined);
  await expect.poll(async () => (await listOwnKeys(owner))[0]?.held).toBe(0n);
  const { rows } = await pool().query<{ cost: bigint }>("SELECT input_cost + output_cost AS cost FROM charge WHERE key_id = $1", [keyId]);
  expect(await listOwnKeys(owner)).toMatchObject([{ spent: rows[0]?.cost }]);
});

test("a key without a cap shows what it spent in the last thirty days", async () => {
  const owner = await openOwner();
  const { key } = await create(owner);
  const { totalCost } = readCosts((await call(key)).text);
  const { rows } = await pool().query<{ at: Date }>("SELECT at FROM charge WHERE account_id = $1", [owner.accountId]);
  const chargedAt = rows[0]?.at.getTime() ?? 0;
  for (const [days, more, spent] of [
    [30, 0, totalCost],
    [30, 1, 0n],
  ] as const) {
    const restore = setClock(() => chargedAt + days * 86_400_000 + more);
    expect(await listOwnKeys(owner)).toMatchObject([{ cap: null, spent, held: 0n }]);
    restore();
  }
});

test("a key calls only its allowed models, as soon as they are set", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner, { models: ["gpt-4o-mini"] });
  expect((await call(key)).status).toBe(200);
  await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap: null, clip: null, alarm: null, models: ["gpt-4"], ...access });
  await expect.poll(async () => (await call(key)).status, { interval: 10 }).toBe(400);
  expect((await call(key, promptOf({ model: "gpt-4" }))).status).toBe(200);
});

test("a key works until it expires, and again once its owner extends it", async () => {
  const owner = await openOwner();
  const expiry = new Date(Date.now() + 60_000);
  const { keyId, key } = await create(owner, { expiry });
  expect((await balance(key)).status).toBe(200);
  const restore = setClock(() => expiry.getTime());
  expect(readError(await balance(key), "INVALID_API_KEY").details.reason).toBe("expired");
  expect(await listOwnKeys(owner)).toMatchObject([{ state: "expired", expiresAt: expiry }]);
  await setOwnKeyLimits(owner, {
    keyId,
    expiry: new Date(expiry.getTime() + 1),
    cap: null,
    clip: null,
    alarm: null,
    models: null,
    ...access,
  });
  await expect.poll(async () => (await balance(key)).status, { interval: 10 }).toBe(200);
  restore();
});

test("revoked keys are listed separately, paged, with their recent cost", async () => {
  const owner = await openOwner();
  for (let index = 0; index < 21; index++) {
    const { keyId, key } = await create(owner, { name: `old ${index}`, cap: { nanoUsd: parseUsd("1"), period: "day" } });
    if (index === 0) await call(key);
    await setOwnKeyState(owner, keyId, "revoked");
  }
  await create(owner, { name: "live" });
  const first = await listOwnRevokedKeys(owner, null);
  expect(first.keys).toHaveLength(20);
  expect(first.older).toBe(first.keys.at(-1)?.keyId);
  const second = await listOwnRevokedKeys(owner, first.older);
  expect(second).toMatchObject({ keys: [{ name: "old 0", cap: null }], older: null });
  expect(second.keys[0]?.spent).toBeGreaterThan(0n);
  expect((await listOwnKeys(owner)).map(({ name }) => name)).toEqual(["live"]);
});

test("changing a cap while calls run loses no spend", async () => {
  const owner = await openOwner();
  const { keyId, key } = await create(owner);
  const amount = parseUsd("5");
  const calls = Promise.all(Array.from({ length: 40 }, () => call(key)));
  for (const period of ["day", "hour", "total", null, "week", "total", "month", "total"] as const) {
    const cap = period && { nanoUsd: amount, period };
    expect(await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap, clip: null, alarm: null, models: null, ...access })).toEqual({
      ok: true,
    });
  }
  const costs = (await calls).map((answer) => (answer.status === 200 ? readCosts(answer.text).totalCost : 0n));
  const total = costs.reduce((sum, cost) => sum + cost, 0n);
  expect(total).toBeGreaterThan(0n);
  expect(await listOwnKeys(owner)).toMatchObject([{ cap: { period: "total" }, spent: total }]);
});
