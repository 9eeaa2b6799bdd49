import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { readBalance } from "./accounts";
import type { Commit } from "./commit/commit";
import type { Hold } from "./holds";
import { placeHold } from "./place-hold";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import { newHold } from "./testing/holding";
import { countWaitingSettlements } from "./waiting-settlements";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

const place = (hold: Hold) => placeHold(commit(), hold);
const outcome = (submitted: Promise<{ outcome: string }>) =>
  submitted.then(({ outcome }) => outcome).catch((error: { code: string }) => error.code);

test("a hold is placed before it is acknowledged", async () => {
  const account = await fundedAccount(10);
  expect(await place(newHold(account, 4))).toEqual({ outcome: "held" });
  expect(await readBalance(account)).toEqual({ posted: 10n, held: 4n, available: 6n });
});

test("a refusal for lack of money returns what is available", async () => {
  const account = await fundedAccount(10);
  await place(newHold(account, 4));
  expect(await place(newHold(account, 7))).toEqual({ outcome: "insufficient", available: 6n, isTold: false });
  expect((await readBalance(account)).held).toBe(4n);
});

test("a refusal by the key's cap returns the cap, what is spent or held, and when the cap resets", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 10, period: "week" });
  const restore = setClock(() => Date.UTC(2026, 0, 8, 23, 59)); // a Thursday
  try {
    expect(await place(newHold(account, 6, { key }))).toEqual({ outcome: "held" });
    expect(await place(newHold(account, 5, { key }))).toEqual({
      outcome: "cap_reached",
      cap: 10n,
      spent: 6n,
      resetsAt: new Date(Date.UTC(2026, 0, 12)),
      isTold: false,
    });
  } finally {
    restore();
  }
  expect((await place(newHold(account, 5, { key }))).outcome).toBe("held");
});

test.each(["paused", "revoked"] as const)("a key that is %s in the database can place no hold, whatever a cache says", async (state) => {
  const account = await fundedAccount(10);
  const key = await openKey(account);
  await setKeyState(account, key, state);
  expect(await place(newHold(account, 1, { key }))).toEqual({ outcome: "key_unusable", keyState: state });
  expect((await readBalance(account)).held).toBe(0n);
});

test("an expired key, an unknown key, and a key of a frozen account can place no hold", async () => {
  const account = await fundedAccount(10);
  const [expired, active] = [await openKey(account), await openKey(account)];
  await pool().query("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [expired]);
  expect(await place(newHold(account, 1, { key: expired }))).toEqual({ outcome: "key_unusable", keyState: "expired" });
  expect(await place(newHold(account, 1, { key: "key_none" as KeyId }))).toEqual({ outcome: "key_unusable", keyState: "unknown" });
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account]);
  expect(await place(newHold(account, 1, { key: active }))).toEqual({ outcome: "key_unusable", keyState: "frozen" });
});

test("a frozen account can place no hold without a key either, alone or in a batch, and can again once reopened", async () => {
  const [frozen, open] = [await fundedAccount(10), await fundedAccount(10)];
  const setState = (state: string) => pool().query("UPDATE account SET state = $2 WHERE id = $1", [frozen, state]);
  await setState("frozen");
  expect(await place(newHold(frozen, 1))).toEqual({ outcome: "account_frozen" });
  const mixed = [
    newHold(open, 1),
    newHold(frozen, 1),
    newHold(open, 1, { key: await openKey(open) }),
    newHold(frozen, 0),
    newHold(open, 1),
  ];
  expect(await Promise.all(mixed.map((one) => outcome(place(one))))).toEqual(["held", "account_frozen", "held", "account_frozen", "held"]);
  const claim = newHold(frozen, 1, { idempotency: "frozen" });
  expect(await place(claim)).toEqual({ outcome: "account_frozen" });
  expect((await readBalance(frozen)).held).toBe(0n);
  await setState("open");
  expect((await place(claim)).outcome).toBe("held");
  expect(await Promise.all([1, 2, 3].map(() => outcome(place(newHold(frozen, 1)))))).toEqual(["held", "held", "held"]);
});

test("a key can place holds until the moment it expires, and none from then on, alone or in a batch", async () => {
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
      const decided = await Promise.all(Array.from({ length: count }, () => outcome(place(newHold(account, 1, { key }))))).finally(restore);
      expect(new Set(decided)).toEqual(new Set([expected]));
    }
  }
  await pool().query("SELECT gateway_expire_holds(NULL, 100, $1)", [new Date(expiresAt + 3_600_000)]);
});

test("in a batch every bad item fails alone: a repeat, ones out of range, one of an unknown account; the others are held", async () => {
  const account = await fundedAccount(1_000);
  const taken = newRequestId();
  await place(newHold(account, 1, { requestId: taken }));
  const nobody = "acc_nobody" as AccountId;
  const submitted = [
    newHold(account, 1),
    newHold(account, 2, { requestId: taken }),
    newHold(account, 3),
    newHold(account, 2n ** 63n),
    newHold(account, 4),
    newHold(account, -1n),
    newHold(nobody, 5),
    newHold(nobody, 0),
    { ...newHold(account, 1), claim: { key: "a zero \u0000 in it", bodyHash: Buffer.alloc(32) } },
    newHold(account, 6),
  ].map((one) => outcome(place(one)));
  expect(await Promise.all(submitted)).toEqual([
    "held",
    "23505",
    "held",
    "22003",
    "held",
    "P0001",
    "insufficient",
    "insufficient",
    "22021",
    "held",
  ]);
  expect(await readBalance(account)).toEqual({ posted: 1_000n, held: 15n, available: 985n });
});

test("items of a batch are decided in the order they came", async () => {
  const account = await fundedAccount(10);
  const decided = await Promise.all([3, 9, 3, 5, 4, 1].map((ceiling) => outcome(place(newHold(account, ceiling)))));
  expect(decided).toEqual(["held", "insufficient", "held", "insufficient", "held", "insufficient"]);
});

test("of requests with one Idempotency-Key in one batch, one is held; the others are in progress or, with another body, refused", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const claim = (owner: AccountId, body: string) => newHold(owner, 1, { idempotency: "the key", body });
  const submitted = [
    newHold(account, 1),
    claim(account, "a"),
    claim(account, "a"),
    claim(account, "b"),
    claim(other, "b"),
    newHold(account, 1),
  ];
  expect(await Promise.all(submitted.map((one) => outcome(place(one))))).toEqual([
    "held",
    "held",
    "in_progress",
    "mismatch",
    "held",
    "held",
  ]);
  expect((await readBalance(account)).held).toBe(3n);
});

test("a refused request takes no claim: the same key may be used again", async () => {
  const account = await fundedAccount(5);
  const claim = (ceiling: number) => newHold(account, ceiling, { idempotency: "again" });
  expect((await place(claim(6))).outcome).toBe("insufficient");
  expect((await place(claim(5))).outcome).toBe("held");
});

/** A database that places a hold now or later, and whose connection breaks before it answers. */
const breaking = (whenPlaced: "before" | "after", placed: Promise<unknown>[] = []): Commit => ({
  ...commit(),
  place: async (hold) => {
    const placing = () => commit().place(hold);
    if (whenPlaced === "before") await placing();
    else placed.push(new Promise((resolve) => setTimeout(resolve, 700)).then(placing));
    throw new Error("Connection terminated unexpectedly");
  },
});

test("a hold whose connection broke is released once the database answers again, with its idempotency key", async () => {
  const account = await fundedAccount(10);
  const hold = newHold(account, 4, { idempotency: "broken" });
  await expect(placeHold(breaking("before"), hold)).rejects.toThrow("Connection terminated");
  expect((await readBalance(account)).held).toBe(4n);
  await expect.poll(async () => (await readBalance(account)).held).toBe(0n);
  expect((await place(newHold(account, 4, { idempotency: "broken" }))).outcome).toBe("held");
});

test("a hold that a broken connection places after its release is released again", async () => {
  const account = await fundedAccount(10);
  const placed: Promise<unknown>[] = [];
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await expect(placeHold(breaking("after", placed), newHold(account, 4))).rejects.toThrow("Connection terminated");
    await Promise.all(placed);
    expect((await readBalance(account)).held).toBe(4n);
    vi.advanceTimersByTime(35_001);
    await expect.poll(async () => (await readBalance(account)).held).toBe(0n);
  } finally {
    vi.useRealTimers();
  }
});

test("a hold that the database refused is not released: another request may have a hold with that id", async () => {
  const account = await fundedAccount(10);
  const hold = newHold(account, 4);
  await place(hold);
  await expect(place(hold)).rejects.toMatchObject({ code: "23505" });
  expect(countWaitingSettlements()).toBe(0);
  expect((await readBalance(account)).held).toBe(4n);
});

test("after all these tests the books close", expectBooksToClose);
