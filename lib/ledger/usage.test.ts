// Usage is the ledger's own charges: every page, every grouping and every total is compared with what a plain loop over the
// same charges gives.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type AccountId, type KeyId, newKeyId, type RequestId, randomBase62, requestIdAt } from "@/lib/base/ids";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "./check";
import { rollUpRevenue } from "./roll-up";
import { chargeDetails } from "./testing/books";
import { fundedAccount, openFunding } from "./testing/fund";
import {
  type ChargedRequest,
  type Grouping,
  type GroupPosition,
  groupings,
  listChargedRequests,
  listUsageGroups,
  type UsageGroup,
  type UsageSpan,
  type UsageSums,
} from "./usage";

await openTestDatabase();
beforeAll(openFunding);

const DAY_MS = 86_400_000;
const startMs = Date.UTC(2026, 1, 27);
const days = 4;
const keys = [newKeyId(), newKeyId(), null];

interface TestCharge {
  requestId: RequestId;
  atMs: number;
  model: string;
  keyId: KeyId | null;
  inputTokens: number;
  outputTokens: number;
}

const anyCharge = fc.record({
  // Many at the very first and last moment of a day.
  atMs: fc
    .tuple(fc.nat({ max: days - 1 }), fc.oneof(fc.constantFrom(0, 1, DAY_MS - 1), fc.nat({ max: DAY_MS - 1 })))
    .map(([day, ms]) => startMs + day * DAY_MS + ms),
  tookMs: fc.nat({ max: 300_000 }),
  model: fc.constantFrom("gpt-4", "claude-haiku-4-5", "model"),
  keyId: fc.constantFrom(...keys),
  inputTokens: fc.nat({ max: 1_000 }),
  outputTokens: fc.nat({ max: 1_000 }),
});

const someCharges = (count: number): TestCharge[] =>
  fc
    .sample(anyCharge, count)
    .map(({ tookMs, ...charge }) => ({ ...charge, requestId: `${requestIdAt(charge.atMs - tookMs)}${randomBase62(12)}` as RequestId }));

/** Charges a customer; a token costs one nano-USD. */
async function charge(accountId: AccountId, charges: readonly TestCharge[]): Promise<void> {
  await inTransaction(async (transaction) => {
    for (const { requestId, atMs, model, keyId, inputTokens, outputTokens } of charges) {
      const details = { ...chargeDetails(inputTokens, outputTokens), model, streamed: inputTokens % 2 === 1 };
      const item = {
        ord: 0,
        request: requestId,
        account: accountId,
        key: keyId,
        inputCost: inputTokens,
        outputCost: outputTokens,
        charged: true,
        ...details,
      };
      await transaction.query("SELECT * FROM ledger_settle_holds($1, $2, $3, $4)", [
        JSON.stringify([item]),
        [requestId],
        [accountId],
        new Date(atMs),
      ]);
    }
  });
}

const spanOf = (accountId: AccountId, fields: Partial<UsageSpan> = {}): UsageSpan => ({
  accountId,
  fromMs: startMs,
  toMs: startMs + days * DAY_MS,
  mark: null,
  ...fields,
});

const sumsOf = (charges: readonly TestCharge[]): UsageSums => {
  const total = (of: (charge: TestCharge) => number) => charges.reduce((sum, charge) => sum + of(charge), 0);
  const [inputTokens, outputTokens] = [total((one) => one.inputTokens), total((one) => one.outputTokens)];
  return {
    requests: charges.length,
    inputTokens,
    outputTokens,
    inputCost: BigInt(inputTokens),
    outputCost: BigInt(outputTokens),
  } as UsageSums;
};

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

/** The groups that a plain loop makes, in the order that is promised. */
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

test("hundreds of charges: pages of any size hold each of them once, newest first, and total what the ledger took", async () => {
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
      inputCost: BigInt(inputTokens),
      outputCost: BigInt(outputTokens),
      outcome: "complete",
      streamed: inputTokens % 2 === 1,
    },
  ]);
});

test.each([["day"], ["model"], ["key"], ["day", "model"], ["day", "key"], ["model", "key"], ["day", "model", "key"]] as Grouping[][])(
  "grouped by %s %s %s: every charge is in one group, whatever the size of a page",
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

test("a span holds its first moment and not its last, by when a request was charged", async () => {
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

test("charges that come while pages are read are left to the next listing: no row twice, none missing, the totals as they were", async () => {
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

test("an account without charges, and a span before or after all time, are empty", async () => {
  const account = await fundedAccount(0);
  const spans = [{}, { fromMs: Date.UTC(1, 0, 1) - 62_167_219_200_000, toMs: 0 }, { fromMs: Date.UTC(9998, 0), toMs: Date.UTC(9999, 0) }];
  for (const fields of spans) {
    const page = await listChargedRequests(spanOf(account, fields), 10, null);
    expect(page).toEqual({ rows: [], more: false, totals: sumsOf([]), mark: 0n });
    expect(await readAllGroups(spanOf(account, fields), ["day", "model", "key"], 10)).toEqual([]);
  }
});
