// One process whose clock is wrong by minutes or a day, on a database that goes by its own clock, as in production: nothing is freed, granted
// twice or forgotten for it.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";
import { believeDatabase } from "@/lib/db/testing/clock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { deleteExpiredReplies, freePaymentKeys } from "@/lib/gateway/prompt/idempotency";
import { readBalance } from "./accounts";
import { settleHold } from "./commit/commit";
import { expireHolds, expireOwnHolds } from "./expire-holds";
import { placeHold } from "./place-hold";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import { chargeOf, newHold } from "./testing/holding";

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await believeDatabase(pool());
});
afterAll(closeRequestPath);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let skewMs = 0;
let restore = () => {};
beforeEach(() => {
  skewMs = 0;
  restore = setClock(() => Date.now() + skewMs);
});
afterEach(() => restore());

const skews = [
  ["ten minutes ahead", 10 * MINUTE_MS],
  ["ten minutes behind", -10 * MINUTE_MS],
  ["a day ahead", DAY_MS],
  ["a day behind", -DAY_MS],
] as const;

const sweep = async () => [
  await expireHolds(commit()),
  await expireOwnHolds(commit()),
  await deleteExpiredReplies(new Date(nowMs())),
  Number(await freePaymentKeys(new Date(nowMs()))),
];

test.each(skews)("a process that is %s frees no hold of a living request, and its claim stays", async (_what, ms) => {
  const account = await fundedAccount(100);
  const hold = newHold(account, 60, { idempotency: "once" });
  expect(await placeHold(commit(), hold)).toEqual({ outcome: "held" });
  skewMs = ms;
  expect(await sweep()).toEqual([0, 0, 0, 0]);
  expect(await placeHold(commit(), newHold(account, 1, { idempotency: "once" }))).toEqual({ outcome: "in_progress" });
  skewMs = 0;
  expect(await settleHold(commit(), chargeOf(hold, 20, 30))).toMatchObject({ outcome: "settled", inputCost: 20n, outputCost: 30n });
  expect(await readBalance(account)).toEqual({ posted: 50n, held: 0n, available: 50n });
});

test.each(skews)("a hold that was placed by a process that is %s lives as long as any other", async (_what, ms) => {
  const account = await fundedAccount(100);
  skewMs = ms;
  const hold = newHold(account, 60);
  await placeHold(commit(), hold);
  const { rows } = await pool().query<{ seconds: number }>(
    "SELECT extract(epoch FROM deadline - clock_timestamp())::float8 AS seconds FROM hold WHERE request_id = $1",
    [hold.requestId],
  );
  expect(rows[0]?.seconds).toBeGreaterThan(300);
  expect(rows[0]?.seconds).toBeLessThan(361);
  await settleHold(commit(), chargeOf(hold, 1, 1));
  const charged = await pool().query(
    "SELECT abs(extract(epoch FROM at - clock_timestamp())) < 60 AS now FROM charge WHERE request_id = $1",
    [hold.requestId],
  );
  expect(charged.rows).toEqual([{ now: true }]);
});

test.each(skews)("a process that is %s grants no cap a second time", async (_what, ms) => {
  const account = await fundedAccount(1_000);
  // A test that runs over midnight would see another day.
  const isLateAtNight = new Date().toISOString().slice(11, 15) === "23:5";
  const key = await openKey(account, { nanoUsd: 100, period: isLateAtNight ? "total" : "day" });
  const spent = newHold(account, 100, { key });
  await placeHold(commit(), spent);
  await settleHold(commit(), chargeOf(spent, 50, 50));
  skewMs = ms;
  expect(await placeHold(commit(), newHold(account, 1, { key }))).toMatchObject({ outcome: "cap_reached", spent: 100n });
  const late = newHold(account, 10, { key });
  expect(await settleHold(commit(), chargeOf(late, 5, 5))).toMatchObject({ outcome: "late", inputCost: 0n, outputCost: 0n });
});

test.each(skews)("a process that is %s forgets no saved answer", async (_what, ms) => {
  const account = await fundedAccount(100);
  const hold = newHold(account, 10, { idempotency: "kept" });
  await placeHold(commit(), hold);
  await settleHold(commit(), { ...chargeOf(hold, 1, 1), reply: { status: 200, body: "answer" } });
  skewMs = ms;
  expect(await sweep()).toEqual([0, 0, 0, 0]);
  expect(await placeHold(commit(), newHold(account, 1, { idempotency: "kept" }))).toEqual({ outcome: "replay" });
});

test("after all of this the books close", expectBooksToClose);
