import { beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readSpendByDay } from "./spend-by-day";
import { charge, DAY_MS, someCharges, spanOf, startMs } from "./testing/charges";
import { fundedAccount, openFunding } from "./testing/fund";
import { LAST_SEQUENCE } from "./usage";
import { readUsageSummary } from "./usage-summary";

await openTestDatabase();
beforeAll(openFunding);

test("the days are those of the usage page, of this account and span only", async () => {
  const account = await fundedAccount(10_000_000);
  await charge(account, someCharges(200));
  await charge(await fundedAccount(10_000_000), someCharges(20));
  for (const fields of [{}, { fromMs: startMs + DAY_MS, toMs: startMs + 3 * DAY_MS }]) {
    const span = { ...spanOf(account, fields), mark: LAST_SEQUENCE };
    const days = await readSpendByDay(span);
    expect(days.length).toBeGreaterThan(1);
    expect(days).toEqual((await readUsageSummary(span, "day", 1)).spend);
  }
  expect(await readSpendByDay({ ...spanOf(await fundedAccount(0)), mark: LAST_SEQUENCE })).toEqual([]);
});
