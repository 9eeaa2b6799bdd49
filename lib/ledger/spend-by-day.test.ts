// Spend by day is compared with a plain loop over the same charges, and with what the ledger took from the account.

import { beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { type DaySpend, readSpendByDay, type Split } from "./spend-by-day";
import { charge, DAY_MS, someCharges, spanOf, startMs, sumsOf, type TestCharge } from "./testing/charges";
import { fundedAccount, openFunding } from "./testing/fund";
import { listChargedRequests } from "./usage";

await openTestDatabase();
beforeAll(openFunding);

const LAST = 9_223_372_036_854_775_807n;
const costOf = (rows: readonly { cost: bigint }[]) => rows.reduce((sum, { cost }) => sum + cost, 0n);
const dayOf = ({ atMs }: TestCharge) => new Date(atMs).toISOString().slice(0, 10);
const partOf: Record<Split, (charge: TestCharge) => string> = {
  day: () => "",
  model: ({ model }) => model,
  key: ({ keyId }) => keyId ?? "",
};

/** The same by a plain loop; parts that are not among the `most` largest are null. */
function spendOf(charges: readonly TestCharge[], split: Split, most: number): DaySpend[] {
  const sum = (of: readonly TestCharge[]) => {
    const { inputCost, outputCost } = sumsOf(of);
    return inputCost + outputCost;
  };
  const parts = [...new Set(charges.map(partOf[split]))].map((part) => ({
    part,
    cost: sum(charges.filter((one) => partOf[split](one) === part)),
  }));
  parts.sort((left, right) => Number(right.cost - left.cost) || (left.part < right.part ? -1 : 1));
  const largest = parts.slice(0, most).map(({ part }) => part);
  const rows = [...new Set(charges.map(dayOf))].sort().flatMap((day) =>
    [...[...largest].sort(), null].map((part) => {
      const own = charges.filter((one) => dayOf(one) === day && (largest.find((name) => name === partOf[split](one)) ?? null) === part);
      return { day, part, cost: sum(own), requests: own.length } as DaySpend;
    }),
  );
  return rows.filter(({ requests }) => requests > 0);
}

test.each([
  ["day", 5],
  ["model", 5],
  ["model", 1],
  ["key", 2],
] as const)("split by %s into the %d largest and the rest: every charge is in one part of its day", async (split, most) => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(200);
  await charge(account, charges);
  await charge(await fundedAccount(10_000_000), someCharges(20));
  const spend = await readSpendByDay({ ...spanOf(account), mark: LAST }, split, most);
  expect(spend).toEqual(spendOf(charges, split, most));
  expect(costOf(spend)).toBe(10_000_000n - (await readBalance(account)).posted);
});

test("with a model and a key it is their charges alone, within the span and up to the mark", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(200);
  await charge(account, charges);
  const keyId = charges[0]?.keyId ?? "";
  const span = spanOf(account, { model: "gpt-4", keyId, fromMs: startMs + DAY_MS, toMs: startMs + 3 * DAY_MS });
  const { mark, totals } = await listChargedRequests(span, 1, null);
  await charge(account, someCharges(50));
  const inside = charges.filter(
    (one) => one.model === "gpt-4" && (one.keyId ?? "") === keyId && one.atMs >= span.fromMs && one.atMs < span.toMs,
  );
  const spend = await readSpendByDay({ ...span, mark }, "day", 5);
  expect(spend).toEqual(spendOf(inside, "day", 5));
  expect(costOf(spend)).toBe(totals.inputCost + totals.outputCost);
});

test("an account without charges spends on no day", async () => {
  expect(await readSpendByDay({ ...spanOf(await fundedAccount(0)), mark: LAST }, "model", 5)).toEqual([]);
});
