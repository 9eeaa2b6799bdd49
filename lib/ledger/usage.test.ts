// Usage is the ledger's own charges: every page, grouping and total is compared with a plain loop over the same charges.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "./check";
import { rollUpRevenue } from "./roll-up";
import { charge, DAY_MS, days, keys, kindsOf, someCharges, spanOf, startMs, sumsOf, type TestCharge } from "./testing/charges";
import { fundedAccount, openFunding } from "./testing/fund";
import {
  type ChargedRequest,
  type Grouping,
  type GroupPosition,
  groupings,
  listChargedRequests,
  listLatestRequests,
  listNewerRequests,
  listOlderRequests,
  listUsageGroups,
  type UsageGroup,
  type UsageSpan,
  type UsageSums,
} from "./usage";

await openTestDatabase();
beforeAll(openFunding);

/** Reads all pages; `between` runs after each. Every page must have the same totals. */
async function readAll(
  span: UsageSpan,
  limit: number,
  between: () => Promise<void> = async () => undefined,
): Promise<[ChargedRequest[], UsageSums]> {
  const rows: ChargedRequest[] = [];
  const first = await listChargedRequests(span, limit, null);
  for (let page = first; ; page = await listChargedRequests({ ...span, mark: first.mark }, limit, rows.at(-1)?.requestId ?? null)) {
    rows.push(...page.rows);
    expect(page.totals).toEqual(first.totals);
    if (!page.more) return [rows, first.totals];
    expect(page.rows).toHaveLength(limit);
    await between();
  }
}

async function readAllGroups(span: UsageSpan, groupBy: readonly Grouping[], limit: number): Promise<UsageGroup[]> {
  const groups: UsageGroup[] = [];
  let after: GroupPosition | null = null;
  for (;;) {
    const page: Awaited<ReturnType<typeof listUsageGroups>> = await listUsageGroups(span, groupBy, limit, after);
    groups.push(...page.rows);
    after = page.rows.at(-1) ?? null;
    if (!page.more) return groups;
  }
}

/** The groups by a plain loop, in the documented order. */
function groupsOf(charges: readonly TestCharge[], groupBy: readonly Grouping[]): UsageGroup[] {
  const members = new Map<string, TestCharge[]>();
  for (const one of charges) {
    const parts = { day: new Date(one.atMs).toISOString().slice(0, 10), model: one.model, key: one.keyId ?? "" };
    const name = JSON.stringify(groupings.map((grouping) => (groupBy.includes(grouping) ? parts[grouping] : "")));
    members.set(name, [...(members.get(name) ?? []), one]);
  }
  const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
  return [...members]
    .map(([name, own]) => {
      const [day, model, keyId] = JSON.parse(name) as [string, string, string];
      return { day, model, keyId, ...sumsOf(own) };
    })
    .sort((left, right) => compare(right.day, left.day) || compare(left.model, right.model) || compare(left.keyId, right.keyId));
}

test("pages of any size contain each of hundreds of charges once, newest first, and total what the ledger took", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(400);
  await charge(account, charges);
  await charge(await fundedAccount(10_000_000), someCharges(20));
  const { rows } = await pool().query<{ paid: bigint }>("SELECT 10000000 - posted AS paid FROM ledger_account WHERE id = $1", [account]);
  const expected = charges
    .map(({ requestId }) => requestId)
    .sort()
    .reverse();
  for (const limit of [1_000, 400, 399, 7]) {
    const [found, totals] = await readAll(spanOf(account), limit);
    expect(found.map(({ requestId }) => requestId)).toEqual(expected);
    expect(totals).toEqual(sumsOf(charges));
    expect(totals.inputCost + totals.outputCost).toBe(rows[0]?.paid);
  }
  await rollUpRevenue();
  expect(await checkLedger()).toEqual([]);
});

test("a row is its charge, field by field", async () => {
  const account = await fundedAccount(10_000);
  const [one] = someCharges(1);
  if (!one) throw new Error("no charge was made");
  await charge(account, [one]);
  const { rows } = await listChargedRequests(spanOf(account), 10, null);
  const { atMs, inputTokens, outputTokens, ...same } = one;
  expect(rows).toEqual([
    {
      ...same,
      at: new Date(atMs),
      inputTokens,
      outputTokens,
      ...kindsOf(one),
      inputCost: BigInt(inputTokens),
      outputCost: BigInt(outputTokens),
      outcome: "complete",
      streamed: inputTokens % 2 === 1,
    },
  ]);
});

test.each([["day"], ["model"], ["key"], ["day", "model"], ["day", "key"], ["model", "key"], ["day", "model", "key"]] as Grouping[][])(
  "grouped by %s %s %s: every charge is in one group, whatever the page size",
  async (...groupBy) => {
    const account = await fundedAccount(10_000_000);
    const charges = someCharges(200);
    await charge(account, charges);
    const expected = groupsOf(charges, groupBy);
    expect(await readAllGroups(spanOf(account), groupBy, 1_000)).toEqual(expected);
    expect(await readAllGroups(spanOf(account), groupBy, 2)).toEqual(expected);
    expect((await listUsageGroups(spanOf(account), groupBy, 1, null)).totals).toEqual(sumsOf(charges));
  },
);

test("a span includes its first moment and excludes its last, by the time of the charge", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(200);
  await charge(account, charges);
  const spans = fc.tuple(fc.nat({ max: days }), fc.nat({ max: days }), fc.constantFrom(-1, 0, 1));
  for (const [first, last, ms] of fc.sample(spans, 30)) {
    const [fromMs, toMs] = [startMs + first * DAY_MS + ms, startMs + last * DAY_MS + ms];
    const inside = charges.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    const [found, totals] = await readAll(spanOf(account, { fromMs, toMs }), 50);
    expect(found.map(({ requestId }) => requestId)).toEqual(
      inside
        .map(({ requestId }) => requestId)
        .sort()
        .reverse(),
    );
    expect(totals).toEqual(sumsOf(inside));
  }
});

test("charges booked while pages are read are left to the next listing: no row twice, none missing, the same totals", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(60);
  await charge(account, charges);
  const late: TestCharge[] = [];
  const [found, totals] = await readAll(spanOf(account), 7, async () => {
    const more = someCharges(5);
    late.push(...more);
    await charge(account, more);
  });
  expect(late.length).toBeGreaterThan(30);
  expect(found.map(({ requestId }) => requestId)).toEqual(
    charges
      .map(({ requestId }) => requestId)
      .sort()
      .reverse(),
  );
  expect(totals).toEqual(sumsOf(charges));
  const [all] = await readAll(spanOf(account), 1_000);
  expect(all).toHaveLength(charges.length + late.length);
});

const idsOf = (rows: readonly { requestId: string }[]) => rows.map(({ requestId }) => requestId);

test("a filter by model, by key, by both, or by no key returns exactly their charges, on every page and in every group", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(200);
  await charge(account, charges);
  for (const model of [undefined, "gpt-4", "nobody's model", "' OR true --"]) {
    for (const keyId of [undefined, ...keys.map((key) => key ?? ""), "key_of_another"]) {
      const inside = charges.filter((one) => (model ?? one.model) === one.model && (keyId ?? one.keyId ?? "") === (one.keyId ?? ""));
      const span = spanOf(account, { model, keyId });
      const [found, totals] = await readAll(span, 17);
      expect(idsOf(found)).toEqual(idsOf(inside).sort().reverse());
      expect(totals).toEqual(sumsOf(inside));
      expect(await readAllGroups(span, ["day", "key"], 3)).toEqual(groupsOf(inside, ["day", "key"]));
    }
  }
});

test("paging back to the newest returns the same pages as paging to the oldest, while charges come in", async () => {
  const account = await fundedAccount(10_000_000);
  await charge(account, someCharges(50));
  const first = await listChargedRequests(spanOf(account), 8, null);
  const span = { ...spanOf(account), mark: first.mark };
  const pages = [first];
  for (let last = first; last.more; pages.push(last)) {
    last = await listChargedRequests(span, 8, last.rows.at(-1)?.requestId ?? null);
    await charge(account, someCharges(3));
  }
  expect(pages).toHaveLength(7);
  for (const [index, page] of [...pages.entries()].reverse()) {
    if (index === 0) continue;
    const [before, newer] = [pages[index - 1], page.rows[0]?.requestId ?? ""];
    expect(await listNewerRequests(span, 8, newer)).toEqual({ rows: before?.rows, more: index > 1 });
    const again = await listOlderRequests(span, 8, before?.rows.at(-1)?.requestId ?? "");
    expect(again).toEqual({ rows: page.rows, more: page.more });
    await charge(account, someCharges(3));
  }
});

test("the latest requests are only the account's own, the newest first", async () => {
  const account = await fundedAccount(10_000_000);
  const charges = someCharges(20);
  await charge(account, charges);
  await charge(await fundedAccount(10_000_000), someCharges(20));
  expect(idsOf(await listLatestRequests(account, 8))).toEqual(idsOf(charges).sort().reverse().slice(0, 8));
});

test("an account without charges, and a span before or after all time, are empty", async () => {
  const account = await fundedAccount(0);
  const spans = [{}, { fromMs: Date.UTC(1, 0, 1) - 62_167_219_200_000, toMs: 0 }, { fromMs: Date.UTC(9998, 0), toMs: Date.UTC(9999, 0) }];
  for (const fields of spans) {
    const page = await listChargedRequests(spanOf(account, fields), 10, null);
    expect(page).toEqual({ rows: [], more: false, totals: sumsOf([]), mark: 0n });
    expect(await readAllGroups(spanOf(account, fields), ["day", "model", "key"], 10)).toEqual([]);
  }
});
