import { beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import { type AccountId, newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { setLowLine } from "@/lib/ledger/accounts";
import { charge, someCharges } from "@/lib/ledger/testing/charges";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import { readOverview } from "./overview";

await openTestDatabase();
beforeAll(openFunding);

/** One charge of this many nano-USD at this moment. */
const spend = (account: AccountId, iso: string, cost: number) =>
  charge(
    account,
    someCharges(1).map((one) => ({ ...one, atMs: Date.parse(iso), inputTokens: cost, outputTokens: 0, requestId: requestAt(iso) })),
  );

function requestAt(iso: string) {
  const restore = setClock(() => Date.parse(iso));
  try {
    return newRequestId();
  } finally {
    restore();
  }
}

async function overviewAt(account: AccountId, iso: string) {
  const restore = setClock(() => Date.parse(iso));
  try {
    return await readOverview(account);
  } finally {
    restore();
  }
}

test("today and this month are UTC's, to the millisecond, and the chart covers 30 days", async () => {
  const account = await fundedAccount(1_000_000);
  const spends = [
    ["2026-09-30T23:59:59.999Z", 1],
    ["2026-10-01T00:00:00.000Z", 10],
    ["2026-10-02T12:00:00.000Z", 100],
    ["2026-10-30T23:59:59.999Z", 1_000],
    ["2026-10-31T00:00:00.000Z", 10_000],
    ["2026-10-31T23:59:59.998Z", 100_000],
  ] as const;
  for (const [iso, cost] of spends) await spend(account, iso, cost);
  const overview = await overviewAt(account, "2026-10-31T23:59:59.999Z");
  expect(overview).toMatchObject({ available: 888_889n, held: 0n, today: 110_000n, month: 111_110n });
  expect(overview.chart.days).toHaveLength(30);
  expect(overview.chart.days[0]).toEqual({ day: "2026-10-02", costs: [100n] });
  expect(overview.chart.days.at(-1)).toEqual({ day: "2026-10-31", costs: [110_000n] });
  expect(overview.latest.map(({ cost }) => cost)).toEqual([100_000n, 10_000n, 1_000n, 100n, 10n, 1n]);
  expect(await overviewAt(account, "2026-11-01T00:00:00.000Z")).toMatchObject({ today: 0n, month: 0n });
});

test("the chart's total is the sum of its days and of what was charged on them; its last day is today, and its month is the month", async () => {
  const account = await fundedAccount(1_000_000);
  const spends = [
    ["2026-10-12T00:00:00.000Z", 1],
    ["2026-10-31T12:00:00.000Z", 20],
    ["2026-11-01T12:00:00.000Z", 300],
    ["2026-11-10T12:00:00.000Z", 4_000],
  ] as const;
  for (const [iso, cost] of spends) await spend(account, iso, cost);
  const { available, chart, today, month, latest } = await overviewAt(account, "2026-11-10T23:00:00.000Z");
  const costFrom = (day: string) => chart.days.filter((one) => one.day >= day).reduce((sum, { costs }) => sum + (costs[0] ?? 0n), 0n);
  expect(chart.series.map(({ total }) => total)).toEqual([4_321n]);
  expect(costFrom("2026-10-12")).toBe(4_321n);
  expect(latest.reduce((sum, { cost }) => sum + cost, 0n)).toBe(4_321n);
  expect(available).toBe(1_000_000n - 4_321n);
  expect(costFrom("2026-11-01")).toBe(month);
  expect(costFrom("2026-11-10")).toBe(today);
});

test("held money is shown separately from the available balance", async () => {
  const account = await fundedAccount(1_000);
  await openHold(account, 300n);
  expect(await readOverview(account)).toMatchObject({ available: 700n, held: 300n });
});

test("the low-balance warning shows below the owner's threshold, not at it, and never without a threshold", async () => {
  const account = await fundedAccount(1_000);
  const setLine = (line: number) => setLowLine(account, nanoUsd(line));
  expect((await readOverview(account)).lowBalance).toBeNull();
  await setLine(1_000);
  expect((await readOverview(account)).lowBalance).toBeNull();
  await setLine(1_001);
  expect((await readOverview(account)).lowBalance).toEqual({ balance: 1_000n, line: 1_001n });
});

test("the low-balance warning and the event compare the same balance: a running request is no reason for either", async () => {
  const account = await fundedAccount(1_000);
  await setLowLine(account, nanoUsd(900));
  const told = async () =>
    (await pool().query("SELECT data FROM event WHERE account_id = $1 AND type = 'balance.low'", [account])).rows.map(({ data }) => data);
  const hold = await openHold(account, 500n);
  expect(await readOverview(account)).toMatchObject({ available: 500n, lowBalance: null });
  expect(await told()).toEqual([]);
  await endHold(hold, { input: 200, output: 0 });
  expect(await readOverview(account)).toMatchObject({ available: 800n, lowBalance: { balance: 800n, line: 900n } });
  expect(await told()).toEqual([{ balance: "800", threshold: "900" }]);
});

test("onboarding steps are done once the ledger and the keys show it, and stay done", async () => {
  const account = await fundedAccount(0);
  expect((await readOverview(account)).steps).toEqual({ isFunded: false, hasKey: false, hasCalled: false, hasAlert: false });
  const funded = await fundedAccount(5);
  expect((await readOverview(funded)).steps).toEqual({ isFunded: true, hasKey: false, hasCalled: false, hasAlert: false });
  await createKey({ accountId: funded, name: "first" });
  expect((await readOverview(funded)).steps).toEqual({ isFunded: true, hasKey: true, hasCalled: false, hasAlert: false });
  await spend(funded, new Date().toISOString(), 5);
  expect(await readOverview(funded)).toMatchObject({
    available: 0n,
    steps: { isFunded: true, hasKey: true, hasCalled: true, hasAlert: false },
  });
  await setLowLine(funded, nanoUsd(1_000n));
  expect((await readOverview(funded)).steps).toMatchObject({ hasAlert: true });
});

test("a new account's chart has a week, and grows to 30 days with the account", async () => {
  const restore = setClock(() => Date.parse("2026-10-31T12:00:00Z"));
  const account = await fundedAccount(1_000_000).finally(restore);
  const lengthAt = async (iso: string) => (await overviewAt(account, iso)).chart.days.length;
  expect(await lengthAt("2026-10-31T13:00:00Z")).toBe(7);
  expect(await lengthAt("2026-11-10T13:00:00Z")).toBe(11);
  expect(await lengthAt("2027-01-10T13:00:00Z")).toBe(30);
});
