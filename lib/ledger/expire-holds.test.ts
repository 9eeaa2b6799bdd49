import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { metrics } from "@/lib/base/observe/metrics";
import { processId } from "@/lib/db/heartbeat";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { readBalance } from "./accounts";
import { settleHold } from "./commit/commit";
import { expireHolds, expireOwnHolds } from "./expire-holds";
import { placeHold } from "./place-hold";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import { chargeOf, newHold } from "./testing/holding";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

let restoreClock = () => {};
afterEach(() => restoreClock());

/** The lifetime of a hold: the provider's time limit and a minute to settle. */
const lifeMs = () => config().PROVIDER_TOTAL_TIMEOUT_MS + 60_000;
/** Others than its own process wait for so long after it. */
const GRACE_MS = 30_000;
const later = (ms: number) => {
  const at = nowMs() + ms;
  restoreClock();
  restoreClock = setClock(() => at);
};

async function place(...args: Parameters<typeof newHold>) {
  const hold = newHold(...args);
  return { hold, decision: await placeHold(commit(), hold) };
}

const isPlaced = async (...args: Parameters<typeof newHold>) => (await place(...args)).decision.outcome;

/** An account's records of expired holds. */
const recordsOf = async (account: AccountId) =>
  (
    await pool().query(
      `SELECT request_id, key_id, model, ceiling, reason, placed_at < expired_at AS is_later FROM expired_hold
       WHERE account_id = $1 ORDER BY request_id`,
      [account],
    )
  ).rows;

test("a hold lives as long as a provider may take, and after that its money is free again", async () => {
  const account = await fundedAccount(10);
  const key = await openKey(account, { nanoUsd: 8, period: "total" });
  const at = Date.now();
  restoreClock = setClock(() => at);
  await place(account, 7, { key });
  later(lifeMs());
  expect(await expireOwnHolds(commit())).toBe(0);
  later(GRACE_MS);
  expect(await expireHolds(commit())).toBe(0);
  expect((await readBalance(account)).held).toBe(7n);
  later(1);
  expect(await expireHolds(commit())).toBe(1);
  expect(await readBalance(account)).toEqual({ posted: 10n, held: 0n, available: 10n });
  expect(await isPlaced(account, 8, { key })).toBe("held"); // the cap is free too
  expect((await metrics().holdsExpired.get()).values[0]?.value).toBe(1);
});

test("its own process frees a hold at its deadline, and no other one's", async () => {
  const account = await fundedAccount(10);
  const { hold } = await place(account, 3);
  await place(account, 4);
  await pool().query("UPDATE hold SET process_id = 'prc_other' WHERE request_id = $1", [hold.requestId]);
  later(lifeMs() + 1);
  expect(await expireOwnHolds(commit())).toBe(1);
  expect((await readBalance(account)).held).toBe(3n);
  expect(await recordsOf(account)).toMatchObject([{ ceiling: 4n, reason: "deadline" }]);
  later(GRACE_MS);
  expect(await expireHolds(commit())).toBe(1);
});

test("an expired hold leaves a record of its request, model and ceiling; a settled one leaves none", async () => {
  const account = await fundedAccount(10);
  const key = await openKey(account);
  const { hold } = await place(account, 7, { key });
  const settled = await place(account, 1);
  await settleHold(commit(), chargeOf(settled.hold, 1, 0));
  later(lifeMs() + GRACE_MS + 1);
  await expireHolds(commit());
  const record = { request_id: hold.requestId, key_id: key, model: "model", ceiling: 7n, reason: "deadline", is_later: true };
  expect(await recordsOf(account)).toEqual([record]);
});

test("the holds of a dead process are freed long before their deadline, and those of a living one stay", async () => {
  const account = await fundedAccount(10);
  const key = await openKey(account, { nanoUsd: 10, period: "total" });
  const { hold } = await place(account, 3, { key, idempotency: "of the dead" });
  await place(account, 4);
  await pool().query("UPDATE hold SET process_id = 'prc_dead' WHERE request_id = $1", [hold.requestId]);
  expect(await isPlaced(account, 3, { key, idempotency: "of the dead" })).toBe("in_progress");
  expect(await expireHolds(commit(), "prc_dead")).toBe(1);
  expect((await readBalance(account)).held).toBe(4n);
  expect(await recordsOf(account)).toMatchObject([{ request_id: hold.requestId, reason: "process_died" }]);
  expect(await isPlaced(account, 6, { key, idempotency: "of the dead" })).toBe("held");
  expect(await expireHolds(commit(), processId())).toBeGreaterThanOrEqual(2);
  expect((await readBalance(account)).held).toBe(0n);
});

test("an answer settled after its hold expired is charged up to what is available; the operator bears the rest", async () => {
  const account = await fundedAccount(10);
  const key = await openKey(account, { nanoUsd: 100, period: "total" });
  const { hold, decision } = await place(account, 9, { key });
  expect(decision.outcome).toBe("held");
  later(lifeMs() + GRACE_MS + 1);
  await expireHolds(commit());
  await place(account, 6);
  const late = chargeOf(hold, 3, 5);
  expect(await settleHold(commit(), late)).toEqual({ outcome: "late", inputCost: 3n, outputCost: 1n });
  expect(await settleHold(commit(), late)).toEqual({ outcome: "already", inputCost: 3n, outputCost: 1n });
  expect(await readBalance(account)).toEqual({ posted: 6n, held: 6n, available: 0n });
  const { rows } = await pool().query("SELECT operator_loss, late, ceiling FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ operator_loss: 4n, late: true, ceiling: 9n }]);
  expect((await pool().query("SELECT spent, held FROM key_spend WHERE key_id = $1", [key])).rows).toEqual([{ spent: 4n, held: 0n }]);
});

test("an answer settled after its hold expired costs at most the hold and what the key's cap leaves", async () => {
  const account = await fundedAccount(10_000);
  const key = await openKey(account, { nanoUsd: 150, period: "total" });
  const [dear, capped] = [(await place(account, 100)).hold, (await place(account, 100, { key })).hold];
  later(lifeMs() + GRACE_MS + 1);
  await expireHolds(commit());
  await place(account, 90, { key });
  expect(await settleHold(commit(), chargeOf(dear, 0, 500))).toEqual({ outcome: "late", inputCost: 0n, outputCost: 100n });
  expect(await settleHold(commit(), chargeOf(capped, 0, 500))).toEqual({ outcome: "late", inputCost: 0n, outputCost: 60n });
  const losses = await pool().query("SELECT operator_loss FROM charge WHERE account_id = $1 ORDER BY operator_loss", [account]);
  expect(losses.rows).toEqual([{ operator_loss: 400n }, { operator_loss: 440n }]);
});

test("a claim whose process died ends with its hold: the same Idempotency-Key is served again", async () => {
  const account = await fundedAccount(10);
  expect(await isPlaced(account, 4, { idempotency: "retry" })).toBe("held");
  expect(await isPlaced(account, 4, { idempotency: "retry" })).toBe("in_progress");
  later(lifeMs() + GRACE_MS + 1);
  expect(await isPlaced(account, 4, { idempotency: "retry" })).toBe("in_progress");
  await expireHolds(commit());
  expect(await isPlaced(account, 4, { idempotency: "retry" })).toBe("held");
});

test("an answer whose claim expired with its hold costs nothing, is not kept, and is the operator's loss", async () => {
  const account = await fundedAccount(100);
  const { hold } = await place(account, 10, { idempotency: "fenced" });
  await pool().query("UPDATE hold SET process_id = 'prc_frozen' WHERE request_id = $1", [hold.requestId]);
  await expireHolds(commit(), "prc_frozen");
  const again = (await place(account, 10, { idempotency: "fenced" })).hold;
  expect(await settleHold(commit(), chargeOf(hold, 2, 3, { body: "of the frozen" }))).toMatchObject({
    outcome: "late",
    inputCost: 0n,
    outputCost: 0n,
  });
  await settleHold(commit(), chargeOf(again, 2, 3, { body: "of the living" }));
  expect(await readBalance(account)).toEqual({ posted: 95n, held: 0n, available: 95n });
  expect((await pool().query("SELECT body FROM idempotent_reply WHERE account_id = $1", [account])).rows).toEqual([
    { body: "of the living" },
  ]);
  const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [hold.requestId]);
  expect(rows).toEqual([{ operator_loss: 5n }]);
});

test("one run frees thousands of holds, and two concurrent reapers free each of them once", async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => fundedAccount(1_000)));
  const holds = accounts.flatMap((account) => Array.from({ length: 120 }, () => place(account, 2)));
  await Promise.all(holds);
  later(lifeMs() + GRACE_MS + 1);
  const freed = await Promise.all([expireHolds(commit()), expireHolds(commit())]);
  const { rows } = await pool().query<{ left: bigint }>("SELECT count(*) AS left FROM hold WHERE deadline < $1", [new Date(nowMs())]);
  expect(rows).toEqual([{ left: 0n }]);
  expect((freed[0] ?? 0) + (freed[1] ?? 0)).toBeGreaterThanOrEqual(2_400);
  for (const balance of await Promise.all(accounts.map((one) => readBalance(one))))
    expect(balance).toEqual({ posted: 1_000n, held: 0n, available: 1_000n });
});

test("a hold settled while the reaper runs ends once, whichever is first", async () => {
  const account = await fundedAccount(10_000);
  const placed = await Promise.all(Array.from({ length: 200 }, () => place(account, 10)));
  later(lifeMs() + GRACE_MS + 1);
  const [freed, ...settled] = await Promise.all([
    expireHolds(commit()),
    ...placed.map(({ hold }) => settleHold(commit(), chargeOf(hold, 4, 0))),
  ]);
  const late = settled.filter(({ outcome }) => outcome === "late").length;
  expect(settled.filter(({ outcome }) => outcome === "settled").length + late).toBe(200);
  expect(freed).toBeGreaterThanOrEqual(late);
  expect(await readBalance(account)).toEqual({ posted: 9_200n, held: 0n, available: 9_200n });
});

test("after all these tests the books close", expectBooksToClose);
