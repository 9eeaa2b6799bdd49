import { afterEach, beforeAll, expect, test } from "vitest";
import { MAX_ROWS_A_MINUTE, recordFailedRequest, writeFailedRequests } from "@/lib/access/failures/record-failed";
import { setClock } from "@/lib/base/clock";
import { newAccountId, newRequestId } from "@/lib/base/ids";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import { readFailures } from "./failures";
import { readUsageQuery } from "./usage-query";

await openTestDatabase();
beforeAll(openFunding);
let restoreClock = () => {};
afterEach(() => restoreClock());

test("requests beyond a hundred a minute are part of the count, and left out of it under a filter that cannot tell them apart", async () => {
  restoreClock = setClock(() => Date.parse("2026-11-25T10:00:00Z"));
  const accountId = newAccountId();
  for (let index = 0; index < MAX_ROWS_A_MINUTE + 7; index += 1) {
    const model = index < 3 ? "gpt-4o-mini" : "claude-sonnet-4-5";
    const failed = { requestId: newRequestId(), accountId, keyId: null, endpoint: "prompt", model };
    recordFailedRequest({ ...failed, status: 402, code: "INSUFFICIENT_BALANCE" });
  }
  await writeFailedRequests();
  const read = (params = {}) =>
    readFailures(accountId, readUsageQuery({ from: "2026-11-25", to: "2026-11-25", status: "refused", ...params }));

  const whole = await read();
  expect(whole.counts).toEqual({ refused: MAX_ROWS_A_MINUTE + 7, failed: 0 });
  expect(whole.unlisted).toEqual({ count: 7, isInCounts: true });

  const ofModel = await read({ model: "gpt-4o-mini" });
  expect(ofModel.rows).toHaveLength(3);
  expect(ofModel.counts).toEqual({ refused: 3, failed: 0 });
  expect(ofModel.unlisted).toEqual({ count: 7, isInCounts: false });

  expect((await read({ status: "charged" })).unlisted.count).toBe(0);
  expect((await read({ from: "2026-11-24", to: "2026-11-24" })).unlisted.count).toBe(0);
});

test("a failed request says what it cost: nothing, what was charged for its part, or that it is not settled yet", async () => {
  const startedAtMs = Date.parse("2026-11-25T10:00:00Z");
  restoreClock = setClock(() => startedAtMs);
  const account = await fundedAccount(10_000n);
  const [cut, running, free] = [await openHold(account, 2_000n), await openHold(account, 500n), newRequestId()];
  const failed = { accountId: account, keyId: null, endpoint: "prompt", model: "gpt-4o", status: 503, code: "INTERNAL_ERROR" };
  for (const requestId of [free, cut.request, running.request]) recordFailedRequest({ ...failed, requestId });
  await writeFailedRequests();
  await endHold(cut, { input: 1_000, output: 234 });
  const { rows } = await readFailures(account, readUsageQuery({ from: "2026-11-25", to: "2026-11-25", status: "failed" }));
  expect(Object.fromEntries(rows.map(({ requestId, cost }) => [requestId, cost]))).toEqual({
    [free]: 0n,
    [cut.request]: 1_234n,
    [running.request]: null,
  });
  for (const { startedAt } of rows) expect(startedAt.getTime()).toBe(startedAtMs);
});
