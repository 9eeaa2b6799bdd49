import { beforeAll, expect, test } from "vitest";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { countKeySpend, readPeriodSpend, sumKeyCharges } from "./key-spend";
import { checkBooks, placeHolds, settleHolds } from "./testing/books";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldResult, SettleRequest } from "./testing/model-types";
import { openKeySpend } from "./testing/waiting";

await openTestDatabase();
beforeAll(openFunding);

const DAY_MS = 86_400_000;
// A Thursday; its week began on Monday the 12th.
const thursday = Date.UTC(2026, 0, 15, 10);
const monday = Date.UTC(2026, 0, 12);

interface Spender {
  accountId: AccountId;
  keyId: KeyId | null;
}

/** Places a hold of `ceiling`; the returned function settles it with these costs. */
async function hold({ accountId, keyId }: Spender, ceiling: bigint, ms: number) {
  const request = { request: newRequestId(), account: accountId, key: keyId, idempotency: null };
  const results = await inTransaction((client) =>
    placeHolds(client, [{ ...request, ceiling, hash: null, deadlineMs: ms + 10 * DAY_MS }], ms),
  );
  const result: HoldResult | undefined = results[0];
  if (result?.outcome !== "held") throw new Error(`the hold was ${result?.outcome}`);
  const settle = (inputCost: bigint, outputCost: bigint, atMs = ms) => {
    const ask: SettleRequest = { ...request, ceiling, inputCost, outputCost, charges: true, body: null };
    return inTransaction((client) => settleHolds(client, [ask], atMs));
  };
  return { settle };
}

const charge = async (spender: Spender, cost: bigint, ms: number) => (await hold(spender, cost, ms)).settle(0n, cost);

const spentIn = async (keyId: KeyId, period: string, startMs: number) =>
  (await readPeriodSpend([{ keyId, period, periodStart: new Date(startMs) }])).get(keyId)?.spent;
const heldIn = async (keyId: KeyId, period: string, startMs: number) =>
  (await readPeriodSpend([{ keyId, period, periodStart: new Date(startMs) }])).get(keyId)?.held;

test("a capped key's spend is its charges in its period, and its held amount is its open holds", async () => {
  const accountId = await fundedAccount(1_000);
  const [keyId, idle] = [
    await openKey(accountId, { nanoUsd: 500, period: "week" }),
    await openKey(accountId, { nanoUsd: 500, period: "week" }),
  ];
  await charge({ accountId, keyId }, 100n, monday - 1);
  await charge({ accountId, keyId }, 10n, monday);
  await charge({ accountId, keyId }, 5n, thursday);
  await hold({ accountId, keyId }, 50n, thursday);
  expect(await spentIn(keyId, "week", monday)).toBe(15n);
  expect(await heldIn(keyId, "week", monday)).toBe(50n);
  expect(await spentIn(keyId, "week", monday - 7 * DAY_MS)).toBe(100n);
  expect(await spentIn(keyId, "week", monday + 7 * DAY_MS)).toBeUndefined();
  const both = [keyId, idle].map((id) => ({ keyId: id, period: "week", periodStart: new Date(monday) }));
  expect(await readPeriodSpend(both)).toEqual(new Map([[keyId, { spent: 15n, held: 50n }]]));
});

test("a key whose holds use up its cap shows nothing left before any charge", async () => {
  const accountId = await fundedAccount(1_000);
  const keyId = await openKey(accountId, { nanoUsd: 100, period: "week" });
  const open = await hold({ accountId, keyId }, 100n, thursday);
  expect([await spentIn(keyId, "week", monday), await heldIn(keyId, "week", monday)]).toEqual([0n, 100n]);
  await open.settle(0n, 30n);
  expect([await spentIn(keyId, "week", monday), await heldIn(keyId, "week", monday)]).toEqual([30n, 0n]);
});

test("a key's cost since a given time is the sum of its charges since then, of its own account only", async () => {
  const [accountId, other] = [await fundedAccount(1_000), await fundedAccount(1_000)];
  const [keyId, second, idle] = [await openKey(accountId), await openKey(accountId), await openKey(accountId)];
  await charge({ accountId, keyId }, 200n, thursday - 1);
  await (await hold({ accountId, keyId }, 100n, thursday)).settle(20n, 7n);
  await charge({ accountId, keyId }, 3n, thursday + 400 * DAY_MS);
  await charge({ accountId, keyId: second }, 9n, thursday);
  await charge({ accountId, keyId: null }, 50n, thursday);
  const since = new Date(thursday);
  expect(await sumKeyCharges(accountId, [keyId, second, idle], since)).toEqual(
    new Map([
      [keyId, 30n],
      [second, 9n],
    ]),
  );
  expect(await sumKeyCharges(accountId, [keyId], new Date(0))).toEqual(new Map([[keyId, 230n]]));
  expect(await sumKeyCharges(other, [keyId, second], since)).toEqual(new Map());
  expect(await sumKeyCharges(accountId, [], since)).toEqual(new Map());
});

test("a cap set later counts what the key has already spent and holds in its period", async () => {
  const accountId = await fundedAccount(1_000);
  const keyId = await openKey(accountId);
  await charge({ accountId, keyId }, 100n, monday - 1);
  await charge({ accountId, keyId }, 40n, thursday);
  const open = await hold({ accountId, keyId }, 30n, thursday);
  await pool().query("UPDATE api_key SET cap_nano_usd = 100, cap_period = 'week' WHERE id = $1", [keyId]);
  const periodStart = new Date(monday);
  const counted = await countKeySpend(accountId, { keyId, periodStart });
  await inTransaction((transaction) => openKeySpend(accountId, { keyId, period: "week", periodStart }, counted, transaction));
  expect(await spentIn(keyId, "week", monday)).toBe(40n);
  await expect(hold({ accountId, keyId }, 31n, thursday)).rejects.toThrow("cap_reached");
  await open.settle(0n, 20n);
  expect(await spentIn(keyId, "week", monday)).toBe(60n);
  await (await hold({ accountId, keyId }, 40n, thursday)).settle(0n, 40n);
  expect(await inTransaction((client) => checkBooks(client, thursday))).toEqual({ broken: [], overdue: 0 });
});

test("a period counted again after a time without a cap misses nothing", async () => {
  const accountId = await fundedAccount(1_000);
  const keyId = await openKey(accountId, { nanoUsd: 100, period: "total" });
  const setCap = async (cap: number | null) => {
    const counted = await countKeySpend(accountId, { keyId, periodStart: new Date(0) });
    await inTransaction(async (transaction) => {
      await transaction.query("UPDATE api_key SET cap_nano_usd = $2, cap_period = $3 WHERE id = $1", [
        keyId,
        cap === null ? null : nanoUsd(cap),
        cap === null ? null : "total",
      ]);
      if (cap !== null) await openKeySpend(accountId, { keyId, period: "total", periodStart: new Date(0) }, counted, transaction);
    });
  };
  await charge({ accountId, keyId }, 60n, thursday);
  await setCap(null);
  await charge({ accountId, keyId }, 300n, thursday);
  await setCap(400);
  expect(await spentIn(keyId, "total", 0)).toBe(360n);
  await expect(hold({ accountId, keyId }, 41n, thursday)).rejects.toThrow("cap_reached");
});
