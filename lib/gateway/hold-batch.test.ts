import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding, openKey } from "@/lib/ledger/testing/fund";
import { ledgerUnavailable, submitHold } from "./hold-batch";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

const item = (account: AccountId, ceiling: bigint | number, key: KeyId | null = null, request: RequestId = newRequestId()) => ({
  request,
  account,
  key,
  ceiling: nanoUsd(ceiling),
  idempotency: null as string | null,
  hash: null as Buffer | null,
});
const bodyHash = (body: string) => createHash("sha256").update(body).digest();
const outcome = (submitted: Promise<{ outcome: string }>) =>
  submitted.then(({ outcome: told }) => told).catch((error: { code: string }) => error.code);

test("a hold is set aside, durably, before it is told", async () => {
  const account = await fundedAccount(10);
  expect(await submitHold(item(account, 4))).toEqual({ outcome: "held", period: null, periodStart: null });
  expect(await readBalance(account)).toEqual({ posted: 10n, held: 4n, available: 6n });
});

test("a hold that does not fit tells what is available", async () => {
  const account = await fundedAccount(10);
  await submitHold(item(account, 4));
  expect(await submitHold(item(account, 7))).toEqual({ outcome: "insufficient", available: 6n });
  expect((await readBalance(account)).held).toBe(4n);
});

test("a hold beyond the key's cap tells the cap, what is spent or held, and when it starts anew", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 10, period: "week" });
  const restore = setClock(() => Date.UTC(2026, 0, 8, 23, 59)); // a Thursday
  try {
    expect(await submitHold(item(account, 6, key))).toEqual({
      outcome: "held",
      period: "week",
      periodStart: new Date(Date.UTC(2026, 0, 5)),
    });
    expect(await submitHold(item(account, 5, key))).toEqual({
      outcome: "cap_reached",
      cap: 10n,
      spent: 6n,
      resetsAt: new Date(Date.UTC(2026, 0, 12)),
    });
  } finally {
    restore();
  }
  expect((await submitHold(item(account, 5, key))).outcome).toBe("held");
});

test.each(["paused", "revoked"] as const)("a key that is %s in the database holds nothing, whatever a cache says", async (state) => {
  const account = await fundedAccount(10);
  const key = await openKey(account);
  await setKeyState(account, key, state);
  expect(await submitHold(item(account, 1, key))).toEqual({
    outcome: "key_unusable",
    reason: state === "revoked" ? "revoked" : "disabled",
  });
  expect((await readBalance(account)).held).toBe(0n);
});

test("a key that expired, one that never was, and one of a frozen account hold nothing", async () => {
  const account = await fundedAccount(10);
  const [expired, active] = [await openKey(account), await openKey(account)];
  await pool().query("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [expired]);
  expect(await submitHold(item(account, 1, expired))).toEqual({ outcome: "key_unusable", reason: "expired" });
  expect(await submitHold(item(account, 1, "key_none" as KeyId))).toEqual({ outcome: "key_unusable", reason: "unknown" });
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account]);
  expect(await submitHold(item(account, 1, active))).toEqual({ outcome: "key_unusable", reason: "disabled" });
});

test("a frozen account holds nothing without a key either, alone or in a batch, and holds again once it is opened", async () => {
  const [frozen, open] = [await fundedAccount(10), await fundedAccount(10)];
  const setState = (state: string) => pool().query("UPDATE account SET state = $2 WHERE id = $1", [frozen, state]);
  await setState("frozen");
  expect(await submitHold(item(frozen, 1))).toEqual({ outcome: "account_frozen" });
  const mixed = [item(open, 1), item(frozen, 1), item(open, 1, await openKey(open)), item(frozen, 0), item(open, 1)];
  expect(await Promise.all(mixed.map((one) => outcome(submitHold(one))))).toEqual([
    "held",
    "account_frozen",
    "held",
    "account_frozen",
    "held",
  ]);
  const claim = { ...item(frozen, 1), idempotency: "frozen", hash: bodyHash("a") };
  expect(await submitHold(claim)).toEqual({ outcome: "account_frozen" });
  expect((await readBalance(frozen)).held).toBe(0n);
  await setState("open");
  expect((await submitHold(claim)).outcome).toBe("held");
  expect(await Promise.all([1, 2, 3].map(() => outcome(submitHold(item(frozen, 1)))))).toEqual(["held", "held", "held"]);
});

test("a key holds until the moment it expires, and from that moment on nothing, alone or in a batch", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account);
  const expiresAt = Date.UTC(2030, 0, 1);
  await pool().query("UPDATE api_key SET expires_at = $2 WHERE id = $1", [key, new Date(expiresAt)]);
  for (const count of [1, 5]) {
    for (const [atMs, expected] of [
      [expiresAt - 1, "held"],
      [expiresAt, "key_unusable"],
    ] as const) {
      const restore = setClock(() => atMs);
      const decided = await Promise.all(Array.from({ length: count }, () => outcome(submitHold(item(account, 1, key))))).finally(restore);
      expect(new Set(decided)).toEqual(new Set([expected]));
    }
  }
  await pool().query("SELECT gateway_expire_holds($1, 100)", [new Date(expiresAt + 3_600_000)]);
});

test("in a batch every bad item fails alone: one that has a hold, ones out of range, one of nobody; the others are held", async () => {
  const account = await fundedAccount(1_000);
  const taken = newRequestId();
  await submitHold(item(account, 1, null, taken));
  const nobody = "acc_nobody" as AccountId;
  const submitted = [
    item(account, 1),
    item(account, 2, null, taken),
    item(account, 3),
    item(account, 2n ** 63n),
    item(account, 4),
    item(account, -1n),
    item(nobody, 5),
    item(nobody, 0),
    { ...item(account, 1), idempotency: "no hash" },
    item(account, 6),
  ].map((one) => outcome(submitHold(one)));
  expect(await Promise.all(submitted)).toEqual([
    "held",
    "23505",
    "held",
    "22003",
    "held",
    "P0001",
    "insufficient",
    "insufficient",
    "23502",
    "held",
  ]);
  expect(await readBalance(account)).toEqual({ posted: 1_000n, held: 15n, available: 985n });
});

test("items of a batch are decided in the order they came", async () => {
  const account = await fundedAccount(10);
  const decided = await Promise.all([3, 9, 3, 5, 4, 1].map((ceiling) => outcome(submitHold(item(account, ceiling)))));
  expect(decided).toEqual(["held", "insufficient", "held", "insufficient", "held", "insufficient"]);
});

test("of requests with one Idempotency-Key in one batch, one is held; the others are in progress or, with another body, refused", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const claim = (owner: AccountId, body: string) => ({ ...item(owner, 1), idempotency: "the key", hash: bodyHash(body) });
  const submitted = [item(account, 1), claim(account, "a"), claim(account, "a"), claim(account, "b"), claim(other, "b"), item(account, 1)];
  expect(await Promise.all(submitted.map((one) => outcome(submitHold(one))))).toEqual([
    "held",
    "held",
    "in_progress",
    "mismatch",
    "held",
    "held",
  ]);
  expect((await readBalance(account)).held).toBe(3n);
});

test("a request that is not held takes no claim: the same key may be used again", async () => {
  const account = await fundedAccount(5);
  const claim = (ceiling: number) => ({ ...item(account, ceiling), idempotency: "again", hash: bodyHash("a") });
  expect((await submitHold(claim(6))).outcome).toBe("insufficient");
  expect((await submitHold(claim(5))).outcome).toBe("held");
});

test("a ledger that cannot be reached is an internal error that may be retried, and says that nothing was sent", () => {
  const error = ledgerUnavailable(new Error("connection lost"));
  expect(error).toMatchObject({ code: "INTERNAL_ERROR", details: { reason: "internal", retryable: true } });
  expect(error.message).toMatch(/was not sent to the model/);
});

test("after all of this the books close", expectBooksToClose);
