import { afterEach, expect, test } from "vitest";
import { MAX_ROWS_A_MINUTE, recordFailedRequest, writeFailedRequests } from "@/lib/access/failures/record-failed";
import { setClock } from "@/lib/base/clock";
import { newAccountId, newRequestId } from "@/lib/base/ids";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readFailures } from "./failures";
import { readUsageQuery } from "./usage-query";

await openTestDatabase();
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
