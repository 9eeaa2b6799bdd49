import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { newRequestId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/commit";
import { readBalance } from "./accounts";
import { checkLedger } from "./check";
import { expireHolds } from "./expire-holds";
import { hotSettings, placeHolds, processOfTests } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldAsk } from "./testing/model-types";
import { holdAsk, spendsOf } from "./testing/waiting";

// What nobody settles any more is freed once and leaves a record, by which a provider's invoice is compared.

await openTestDatabase();
let client: PoolClient;

beforeAll(async () => {
  await openFunding();
  client = await pool().connect();
  await client.query(hotSettings);
});
afterEach(async () => {
  await pool().query("UPDATE hold SET deadline = now() + interval '1 minute'");
  expect(await checkLedger()).toEqual([]);
});
afterAll(async () => {
  client.release();
  await closeRequestPath();
});

/** An account of 100 with a capped key, and two holds of 10, each with its claim; `overdue` says which of them is past its deadline. */
async function openTwo(overdue: readonly [boolean, boolean]) {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 100, period: "total" });
  const holds = ["first", "second"].map((idempotency): HoldAsk => ({ ...holdAsk(account, key, 10), idempotency, hash: "00" }));
  for (const [index, hold] of holds.entries()) {
    await placeHolds(client, [{ ...hold, deadlineMs: nowMs() + (overdue[index] ? -1 : 60_000) }], nowMs() - 1_000);
  }
  return { account, key, holds };
}

const setProcess = (request: string, process: string) =>
  pool().query("UPDATE hold SET process_id = $2 WHERE request_id = $1", [request, process]);

const recordsOf = async (account: string) =>
  (
    await pool().query(
      `SELECT request_id, key_id, model, ceiling, reason, placed_at < expired_at AS "isInOrder" FROM expired_hold
       WHERE account_id = $1 ORDER BY request_id`,
      [account],
    )
  ).rows;

const claimsOf = async (account: string) =>
  (await pool().query("SELECT idempotency_key FROM idempotent_reply WHERE account_id = $1 ORDER BY 1", [account])).rows.map(
    (row) => row.idempotency_key,
  );

test("a hold past its deadline is freed with its claim, and leaves a record of what may have been asked of a provider", async () => {
  const { account, key, holds } = await openTwo([true, false]);
  expect(await expireHolds(commit())).toBe(1);
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 10n, available: 90n });
  expect(await spendsOf(key)).toEqual([{ period: "total", spent: 0n, held: 10n }]);
  expect(await claimsOf(account)).toEqual(["second"]);
  expect(await recordsOf(account)).toEqual([
    { request_id: holds[0]?.request, key_id: key, model: "model", ceiling: 10n, reason: "deadline", isInOrder: true },
  ]);
  expect(await expireHolds(commit())).toBe(0);
});

test("a dead process's holds are freed with their claims, and nobody else's, whatever their deadlines are", async () => {
  const dead = `prc_${newRequestId()}`;
  const [{ account, key, holds }, other] = [await openTwo([false, false]), await openTwo([true, false])];
  const [request = ""] = holds.map((hold) => hold.request);
  await setProcess(request, dead);
  expect(await expireHolds(commit(), dead)).toBe(1);
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 10n, available: 90n });
  expect(await claimsOf(account)).toEqual(["second"]);
  expect(await recordsOf(account)).toEqual([
    { request_id: request, key_id: key, model: "model", ceiling: 10n, reason: "process_died", isInOrder: true },
  ]);
  expect([await recordsOf(other.account), await claimsOf(other.account)]).toEqual([[], ["first", "second"]]);
  expect((await readBalance(other.account)).held).toBe(20n);
  await expireHolds(commit());
});

test("a hold says which process has it", async () => {
  const { account } = await openTwo([false, false]);
  const { rows } = await pool().query("SELECT DISTINCT process_id FROM hold WHERE account_id = $1", [account]);
  expect(rows).toEqual([{ process_id: processOfTests }]);
});

test("a claim whose answer is there stays when its hold expires", async () => {
  const { account } = await openTwo([true, true]);
  await pool().query("UPDATE idempotent_reply SET status = 200, body = 'answer' WHERE account_id = $1 AND idempotency_key = 'second'", [
    account,
  ]);
  expect(await expireHolds(commit())).toBe(2);
  expect(await claimsOf(account)).toEqual(["second"]);
});

test("more holds than one statement frees are all freed, by two at once each of them once", async () => {
  const account = await fundedAccount(10_000);
  const dead = `prc_${newRequestId()}`;
  for (let batch = 0; batch < 5; batch++) {
    await placeHolds(
      client,
      Array.from({ length: 500 }, () => holdAsk(account, null, 1)),
      nowMs(),
    );
  }
  await pool().query("UPDATE hold SET process_id = $2 WHERE account_id = $1", [account, dead]);
  const freed = await Promise.all([expireHolds(commit(), dead), expireHolds(commit(), dead)]);
  expect(freed[0] + freed[1]).toBe(2_500);
  expect(await readBalance(account)).toEqual({ posted: 10_000n, held: 0n, available: 10_000n });
  expect(await recordsOf(account)).toHaveLength(2_500);
});

test("after all of this the books close", expectBooksToClose);
