// A usage summary is compared with a plain loop over the same charges, and with what the ledger took from the account.

import { beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import type { DaySpend } from "./spend-by-day";
import { charge, DAY_MS, someCharges, spanOf, startMs, sumsOf, type TestCharge } from "./testing/charges";
import { fundedAccount, openFunding } from "./testing/fund";
import { listChargedRequests } from "./usage";
import { readUsageSummary, type Split } from "./usage-summary";

await openTestDatabase();
beforeAll(openFunding);

const costOf = (rows: readonly { cost: bigint }[]) => rows.reduce((sum, { cost }) => sum + cost, 0n);
const dayOf = ({ atMs }: TestCharge) => new Date(atMs).toISOString().slice(0, 10);
const partOf: Record<Split, (charge: TestCharge) => string> = {
  day: () => "",
  model: ({ model }) => model,
  key: ({ keyId }) => keyId ?? "",
};

/** The same by a plain loop; parts outside the `most` largest are null. */
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
  const { spend, totals } = await readUsageSummary(spanOf(account), split, most);
  expect(totals).toEqual(sumsOf(charges));
  expect(spend).toEqual(spendOf(charges, split, most));
  expect(costOf(spend)).toBe(10_000_000n - (await readBalance(account)).posted);
});

test("with a model and a key it has only their charges, within the span and up to the mark", async () => {
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
  const summary = await readUsageSummary({ ...span, mark }, "day", 5);
  const { spend } = summary;
  expect(summary).toMatchObject({ totals, mark });
  expect(spend).toEqual(spendOf(inside, "day", 5));
  expect(costOf(spend)).toBe(totals.inputCost + totals.outputCost);
});

test("the models and keys are those of the span's days, each pair once, whatever model or key the span names", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(100);
  await charge(account, charges);
  await charge(await fundedAccount(10_000_000), [{ ...someCharges(1)[0], model: "another account's" } as TestCharge]);
  const pairs = [...new Set(charges.map(({ model, keyId }) => `${model} ${keyId ?? ""}`))].sort();
  for (const fields of [{}, { model: "gpt-4" }, { keyId: "" }]) {
    const { charged } = await readUsageSummary(spanOf(account, fields), "model", 5);
    expect(charged.map(({ model, keyId }) => `${model} ${keyId}`)).toEqual(pairs);
  }
  expect((await readUsageSummary(spanOf(account, { toMs: startMs }), "model", 5)).charged).toEqual([]);
});

test("an account without charges has an empty summary", async () => {
  const summary = await readUsageSummary(spanOf(await fundedAccount(0)), "model", 5);
  expect(summary).toEqual({ totals: sumsOf([]), mark: 0n, spend: [], charged: [] });
});
