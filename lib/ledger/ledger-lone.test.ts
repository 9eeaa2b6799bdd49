import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CapPeriod, setKeyLimits, setKeyState } from "@/lib/access/keys";
import { nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { runStatement } from "@/lib/db/hot-statement";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { SettleItem } from "@/lib/gateway/commit-items";
import { commitStatement } from "@/lib/gateway/commit-statements";
import { readBalance } from "./accounts";
import { openKeySpend } from "./key-spend";
import { chargeDetails, hotSettings, placeHolds, settleHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { credit, fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldAsk, SettleAsk } from "./testing/model-types";

// A request that comes alone takes no lock before its first change, so what it sees may be gone once it has the account. Here another
// transaction has the account first, changes what the request is about, and commits while the request waits.

await openTestDatabase();
let lone: PoolClient;
let other: PoolClient;

beforeAll(async () => {
  await openFunding();
  [lone, other] = await Promise.all([pool().connect(), pool().connect()]);
  await lone.query(hotSettings);
});
afterAll(async () => {
  lone.release();
  other.release();
  await closeRequestPath();
});

/** Has `other` take the account and change something, lets `request` run into that, and commits. */
async function whileWaiting<T>(account: AccountId, change: (on: PoolClient) => Promise<unknown>, request: () => Promise<T>): Promise<T> {
  const { rows } = await lone.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await other.query("BEGIN");
  try {
    await other.query("SELECT ledger_lock_accounts(ARRAY[$1])", [account]);
    const running = request();
    running.catch(() => undefined);
    const waits = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool().query(waits, [rows[0]?.pid])).rowCount).toBe(1);
    await change(other);
    await other.query("COMMIT");
    return await running;
  } finally {
    await other.query("ROLLBACK");
  }
}

const holdAsk = (account: AccountId, key: KeyId, ceiling: number): HoldAsk => ({
  request: newRequestId(),
  account,
  key,
  ceiling: BigInt(ceiling),
  deadlineMs: nowMs() + 60_000,
  idempotency: null,
  hash: null,
});
const hold = async (ask: HoldAsk, atMs = nowMs()) => (await placeHolds(lone, [ask], atMs))[0];

async function openHold(account: AccountId, key: KeyId, ceiling: number, atMs = nowMs()): Promise<SettleAsk> {
  const ask = holdAsk(account, key, ceiling);
  const placed = await hold(ask, atMs);
  expect(placed?.outcome).toBe("held");
  const { request, idempotency } = ask;
  const { period = null, periodStart = null } = placed ?? {};
  return {
    request,
    account,
    key,
    period,
    periodStart,
    ceiling: BigInt(ceiling),
    inputCost: 3n,
    outputCost: 4n,
    charges: true,
    idempotency,
    body: null,
  };
}
const settle = async (ask: SettleAsk) => (await settleHolds(lone, [ask], nowMs()))[0];
/** The reaper, for this hold alone. */
const expire = (on: PoolClient, { request }: SettleAsk) =>
  on
    .query("UPDATE hold SET deadline = to_timestamp(0) WHERE request_id = $1", [request])
    .then(() => on.query("SELECT * FROM gateway_expire_holds(to_timestamp(1), 1)"))
    .then(({ rows }) => expect(rows).toEqual([{ request_id: request, account_id: expect.any(String), ceiling: expect.any(BigInt) }]));

/** As the owner sets it on the page of their keys. */
const setCap = (accountId: AccountId, keyId: KeyId, cap: number, period: CapPeriod) => async (on: PoolClient) => {
  const limits = { expiresAt: "keep", cap: { nanoUsd: nanoUsd(cap), period }, allowedModels: null } as const;
  const { opened } = (await setKeyLimits({ accountId, keyId }, limits, on)) ?? {};
  if (opened) await openKeySpend(accountId, { keyId, ...opened }, on);
};

const spends = async (key: KeyId) =>
  (await pool().query("SELECT period, spent, held FROM key_spend WHERE key_id = $1 ORDER BY period", [key])).rows;

test.each([
  ["all of it", 100, "insufficient"],
  ["so much that the ceiling just fits", 90, "held"],
  ["so much that it just does not", 91, "insufficient"],
])("a hold that waits while %s is taken is decided by what is left", async (_what, taken, outcome) => {
  const account = await fundedAccount(100);
  const key = await openKey(account);
  const ask = holdAsk(account, key, 10);
  const take = (on: PoolClient) => placeHolds(on, [{ ...holdAsk(account, key, taken), key: null }], nowMs());
  expect((await whileWaiting(account, take, () => hold(ask)))?.outcome).toBe(outcome);
  expect((await readBalance(account)).held).toBe(BigInt(outcome === "held" ? taken + 10 : taken));
});

test("a hold that waits while money comes in has it", async () => {
  const account = await fundedAccount(5);
  const key = await openKey(account);
  const more = (on: PoolClient) => credit(account, 5, `more for ${account}`, on);
  expect((await whileWaiting(account, more, () => hold(holdAsk(account, key, 10))))?.outcome).toBe("held");
  expect(await readBalance(account)).toEqual({ posted: 10n, held: 10n, available: 0n });
});

test("a hold that waits while its key's cap is lowered is decided by the new cap, and counts in the new period", async () => {
  const account = await fundedAccount(1_000);
  const key = await openKey(account, { nanoUsd: 100, period: "day" });
  await openHold(account, key, 20);
  expect(await whileWaiting(account, setCap(account, key, 29, "day"), () => hold(holdAsk(account, key, 10)))).toMatchObject({
    outcome: "cap_reached",
    cap: 29n,
    spent: 20n,
  });
  expect((await readBalance(account)).held).toBe(20n);
  expect(await whileWaiting(account, setCap(account, key, 30, "total"), () => hold(holdAsk(account, key, 10)))).toMatchObject({
    outcome: "held",
    period: "total",
  });
  expect(await spends(key)).toEqual([
    { period: "day", spent: 0n, held: 0n },
    { period: "total", spent: 0n, held: 30n },
  ]);
});

test.each([
  ["its key is revoked", (key: KeyId, account: AccountId) => setKeyState(account, key, "revoked"), "revoked"],
  [
    "its account is frozen",
    (_key: KeyId, account: AccountId) => pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [account]),
    "frozen",
  ],
])("a hold that waits while %s holds nothing", async (_what, change, keyState) => {
  const account = await fundedAccount(100);
  const key = await openKey(account);
  const decided = await whileWaiting(
    account,
    () => change(key, account),
    () => hold(holdAsk(account, key, 10)),
  );
  expect(decided).toMatchObject({ outcome: "key_unusable", keyState });
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
});

test.each([
  ["and nothing else is held", 0],
  ["and others are held", 50],
])("a charge that waits while its hold expires, %s, is a late one of what is available", async (_what, alsoHeld) => {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
  if (alsoHeld > 0) await openHold(account, key, alsoHeld);
  const ask = await openHold(account, key, 30);
  const settled = await whileWaiting(
    account,
    (on) => expire(on, ask),
    () => settle(ask),
  );
  expect(settled).toEqual({ outcome: "late", inputCost: 3n, outputCost: 4n });
  expect(await readBalance(account)).toEqual({ posted: 93n, held: BigInt(alsoHeld), available: BigInt(93 - alsoHeld) });
  expect(await spends(key)).toEqual([{ period: "day", spent: 7n, held: BigInt(alsoHeld) }]);
});

test.each([
  ["charged", true, { outcome: "already", inputCost: 3n, outputCost: 4n }, 93n],
  ["released", false, { outcome: "late", inputCost: 3n, outputCost: 4n }, 93n],
])("a charge that waits while the same hold is %s is made once", async (_what, charges, told, posted) => {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
  await openHold(account, key, 30);
  const ask = await openHold(account, key, 30);
  const settled = await whileWaiting(
    account,
    (on) => settleHolds(on, [{ ...ask, charges }], nowMs()),
    () => settle(ask),
  );
  expect(settled).toEqual(told);
  expect(await readBalance(account)).toEqual({ posted, held: 30n, available: posted - 30n });
});

test("a charge that waits while its key's period is changed counts in the new one", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
  const ask = await openHold(account, key, 30);
  expect(await whileWaiting(account, setCap(account, key, 1_000, "total"), () => settle(ask))).toEqual({
    outcome: "settled",
    inputCost: 3n,
    outputCost: 4n,
  });
  expect(await spends(key)).toEqual([
    { period: "day", spent: 0n, held: 0n },
    { period: "total", spent: 7n, held: 0n },
  ]);
});

test("a charge that comes too late and waits while the money is withdrawn takes what is left", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account);
  const ask = await openHold(account, key, 30);
  await inTransaction((client) => expire(client, ask));
  const withdraw = (on: PoolClient) =>
    on.query("SELECT ledger_move_available($1, 'withdrawal', $2, 'test_funding', now())", [`withdrawal of ${account}`, account]);
  expect(await whileWaiting(account, withdraw, () => settle(ask))).toEqual({ outcome: "late", inputCost: 0n, outputCost: 0n });
});

test("a charge while its request is held anew, which nobody can bring about, ends that hold and no other", async () => {
  const account = await fundedAccount(200);
  const key = await openKey(account);
  await openHold(account, key, 40);
  const ask = await openHold(account, key, 30);
  const holdAnew = async (on: PoolClient) => {
    await expire(on, ask);
    await placeHolds(on, [{ ...holdAsk(account, key, 50), request: ask.request }], nowMs());
  };
  expect((await whileWaiting(account, holdAnew, () => settle(ask)))?.outcome).toBe("settled");
  expect(await readBalance(account)).toEqual({ posted: 193n, held: 40n, available: 153n });
});

test("periods that begin in the same moment are two", async () => {
  const mondayTheFirst = Date.UTC(2026, 5, 1, 12);
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 50, period: "day" });
  const ask = await openHold(account, key, 10, mondayTheFirst);
  await openHold(account, key, 5, mondayTheFirst);
  const restoreClock = setClock(() => mondayTheFirst);
  await inTransaction(setCap(account, key, 50, "week")).finally(restoreClock);
  await openHold(account, key, 5, mondayTheFirst);
  expect((await settle(ask))?.outcome).toBe("settled");
  expect(await spends(key)).toEqual([
    { period: "day", spent: 0n, held: 0n },
    { period: "week", spent: 7n, held: 10n },
  ]);
});

test("a hold of less than nothing is refused", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account);
  await openHold(account, key, 10);
  await expect(hold(holdAsk(account, key, -1))).rejects.toMatchObject({ code: "P0001" });
  expect((await readBalance(account)).held).toBe(10n);
});

test("a charge has the same columns alone as among others", async () => {
  const account = await fundedAccount(1_000);
  const key = await openKey(account, { nanoUsd: 1_000, period: "day" });
  const told = { outcome: "partial", streamed: true, estimated: false, paidBy: "x402", firstTokenMs: 77, providerMs: 88 } as const;
  const charge = { ...chargeDetails(11, 12), provider: "another", cachedInputTokens: 3, reasoningTokens: 4, ...told };
  const items: SettleItem[] = [];
  for (let n = 0; n < 4; n++) {
    const { request } = await openHold(account, key, 30);
    const costs = { ceiling: nanoUsd(30), inputCost: nanoUsd(11), outputCost: nanoUsd(12) };
    items.push({ request: request as RequestId, account, key, period: "day", periodStart: new Date(), ...costs, charge });
  }
  const times = { at: new Date(), until: new Date() };
  for (const batch of [items.slice(0, 1), items.slice(1)]) await runStatement(lone, commitStatement(batch, [], times));
  const { rows } = await pool().query("SELECT DISTINCT to_jsonb(c) - 'seq' - 'request_id' AS charge FROM charge c WHERE account_id = $1", [
    account,
  ]);
  expect(rows).toEqual([
    {
      charge: expect.objectContaining({
        cached_input_tokens: 3,
        reasoning_tokens: 4,
        streamed: true,
        estimated: false,
        provider: "another",
      }),
    },
  ]);
});

test("a charge of a hold that is another account's is late, and ends nobody's hold", async () => {
  const [account, stranger] = [await fundedAccount(100), await fundedAccount(100)];
  const ask = await openHold(account, await openKey(account), 30);
  const key = await openKey(stranger);
  await openHold(stranger, key, 40);
  expect(await settle({ ...ask, account: stranger, key })).toMatchObject({ outcome: "late" });
  expect((await readBalance(account)).held).toBe(30n);
  expect(await readBalance(stranger)).toEqual({ posted: 93n, held: 40n, available: 53n });
});

test("after all of this the books close", expectBooksToClose);
