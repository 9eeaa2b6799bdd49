import { afterEach, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { type AccountId, newAccountId, newRequestId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { countFailures, deleteOldFailures, FAILURES_KEPT_DAYS, findFailure, listFailures } from "./list-failed";
import { type FailedRequest, MAX_ROWS_A_MINUTE, recordFailedRequest, writeFailedRequests } from "./record-failed";

await openTestDatabase();

const start = Date.parse("2026-11-25T10:00:00Z");
let account: AccountId;
let restoreClock = () => {};
const at = (ms: number) => {
  restoreClock();
  restoreClock = setClock(() => ms);
};
beforeEach(() => {
  account = newAccountId();
  at(start);
});
afterEach(() => {
  restoreClock();
  forgetSingleton("failed requests");
});

const everything = () => ({ accountId: account, fromMs: 0, toMs: start + 90 * 86_400_000 });

function fail(change: Partial<FailedRequest> = {}): FailedRequest {
  const failed: FailedRequest = {
    requestId: newRequestId(),
    accountId: account,
    keyId: null,
    endpoint: "prompt",
    model: "gpt-4o-mini",
    status: 402,
    code: "INSUFFICIENT_BALANCE",
    ...change,
  };
  recordFailedRequest(failed);
  return failed;
}

test("each failed request is found by its kind, its filters and its id, newest first, and only by its own account", async () => {
  const [first, second] = [fail(), fail({ model: null, status: 429, code: "RATE_LIMIT_EXCEEDED" })];
  const broken = fail({ status: 503, code: "MODEL_UNAVAILABLE" });
  fail({ accountId: newAccountId() });
  await writeFailedRequests();
  const ids = async (kind: "refused" | "failed", change = {}) =>
    (await listFailures({ ...everything(), ...change }, kind, 10, null)).map(({ requestId }) => requestId);
  expect(await ids("refused")).toEqual([first.requestId, second.requestId].sort().reverse());
  expect(await ids("failed")).toEqual([broken.requestId]);
  expect(await ids("refused", { model: "gpt-4o-mini" })).toEqual([first.requestId]);
  expect(await ids("refused", { keyId: "key_00000000000000000000" })).toEqual([]);
  expect(await ids("refused", { toMs: start })).toEqual([]);
  const none = { refused: 0, failed: 0 };
  expect(await countFailures(everything())).toEqual({ listed: { refused: 2, failed: 1 }, unlisted: none });
  expect(await countFailures({ ...everything(), model: "gpt-4o-mini", keyId: "" })).toEqual({
    listed: { refused: 1, failed: 1 },
    unlisted: none,
  });
  expect((await countFailures({ ...everything(), keyId: "key_00000000000000000000" })).listed).toEqual(none);
  expect(await findFailure(account, second.requestId)).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", model: null });
  expect(await findFailure(newAccountId(), second.requestId)).toBeNull();
});

test("the first hundred of a minute are kept, all further ones are counted by code, and the next minute begins anew", async () => {
  for (let index = 0; index < MAX_ROWS_A_MINUTE + 30; index += 1) fail(index % 3 === 0 ? { status: 500, code: "INTERNAL_ERROR" } : {});
  await writeFailedRequests();
  fail();
  await writeFailedRequests();
  const { listed, unlisted } = await countFailures(everything());
  expect(unlisted).toEqual({ refused: 21, failed: 10 });
  expect(listed.refused + listed.failed).toBe(MAX_ROWS_A_MINUTE);
  // They have no model and no key.
  expect(await countFailures({ ...everything(), model: "another" })).toEqual({ listed: { refused: 0, failed: 0 }, unlisted });
  at(start + 60_000);
  fail();
  await writeFailedRequests();
  expect((await countFailures(everything())).listed.refused).toBe(listed.refused + 1);
});

test("what could not be written is written once by the next call", async () => {
  await pool().query("ALTER TABLE failed_request_count RENAME TO away");
  for (let index = 0; index < MAX_ROWS_A_MINUTE + 5; index += 1) fail();
  await expect(writeFailedRequests()).rejects.toThrow();
  await pool().query("ALTER TABLE away RENAME TO failed_request_count");
  fail();
  await writeFailedRequests();
  await writeFailedRequests();
  expect(await countFailures(everything())).toEqual({
    listed: { refused: MAX_ROWS_A_MINUTE, failed: 0 },
    unlisted: { refused: 6, failed: 0 },
  });
});

test("without a database memory holds ten thousand of them, and the rest is counted", async () => {
  for (let index = 0; index < 20_000; index += 1) fail({ accountId: newAccountId() });
  fail();
  await writeFailedRequests();
  const { rows } = await pool().query<{ rows: string }>("SELECT count(*) AS rows FROM failed_request");
  expect(Number(rows[0]?.rows)).toBeGreaterThanOrEqual(10_000);
  expect(Number(rows[0]?.rows)).toBeLessThan(11_000);
  expect((await countFailures(everything())).listed.refused).toBe(0);
});

test("after thirty days they are deleted", async () => {
  for (let index = 0; index <= MAX_ROWS_A_MINUTE; index += 1) fail();
  await writeFailedRequests();
  at(start + FAILURES_KEPT_DAYS * 86_400_000);
  await deleteOldFailures();
  expect((await countFailures(everything())).listed.refused).toBe(MAX_ROWS_A_MINUTE);
  // A stranger can cause more than one statement deletes.
  await pool().query(
    `INSERT INTO failed_request (request_id, account_id, endpoint, status, code, at)
       SELECT 'filler_' || n, 'acc_filler', '/', 400, 'INVALID_REQUEST', $1 FROM generate_series(1, 20_500) n`,
    [new Date(start)],
  );
  at(start + FAILURES_KEPT_DAYS * 86_400_000 + 60_001);
  await deleteOldFailures();
  expect(await countFailures(everything())).toEqual({ listed: { refused: 0, failed: 0 }, unlisted: { refused: 0, failed: 0 } });
  expect((await pool().query("SELECT 1 FROM failed_request WHERE account_id = 'acc_filler'")).rowCount).toBe(0);
});
