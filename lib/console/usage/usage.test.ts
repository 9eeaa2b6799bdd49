// For every filter and page, the usage page's sums equal what the ledger charged.

import { beforeAll, expect, test } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import { type AccountId, newKeyId } from "@/lib/base/ids";
import { partKinds, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { charge, keys, kindsOf, someCharges, type TestCharge } from "@/lib/ledger/testing/charges";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import type { UsageView } from "../views/usage";
import { readUsage } from "./usage";
import { writeUsageCsv } from "./usage-csv";
import { readUsageQuery, type UsageParams } from "./usage-query";

await openTestDatabase();
beforeAll(openFunding);

const span = { from: "2026-02-27", to: "2026-03-02" };
const MONEY = 100_000_000n;

const read = (accountId: AccountId, params: UsageParams = {}) => readUsage(accountId, readUsageQuery({ ...span, ...params }));

/** Reads from the first page to the last; `between` runs after each. */
async function readAll(
  accountId: AccountId,
  params: UsageParams,
  between: () => Promise<unknown> = async () => undefined,
): Promise<UsageView[]> {
  const pages = [await read(accountId, params)];
  for (let older = pages[0]?.older; older; older = pages.at(-1)?.older) {
    await between();
    pages.push(await read(accountId, { ...params, older }));
  }
  return pages;
}

const costOfRows = (pages: readonly UsageView[]) => pages.flatMap(({ rows }) => rows).reduce((sum, { cost }) => sum + cost, 0n);
const costOfChart = ({ chart }: UsageView) => chart.days.flatMap(({ costs }) => costs).reduce((sum, cost) => sum + cost, 0n);
const costOf = (charges: readonly TestCharge[]) => charges.reduce((sum, one) => sum + BigInt(one.inputTokens + one.outputTokens), 0n);

async function costOfCsv(accountId: AccountId, params: UsageParams): Promise<bigint> {
  let text = "";
  for await (const piece of writeUsageCsv(accountId, readUsageQuery({ ...span, ...params }))) text += piece;
  const [head = "", ...lines] = text.trimEnd().split("\r\n");
  const at = head.split(",").indexOf("total_cost_usd");
  return lines.reduce((sum, line) => sum + BigInt((line.split(",")[at] ?? "").replace(/^0\.?/, "").padEnd(9, "0")), 0n);
}

test("rows, totals, chart, CSV and the account's spend agree to the last nano-USD, while charges arrive", async () => {
  const account = await fundedAccount(MONEY);
  await charge(account, someCharges(230));
  const paid = MONEY - (await readBalance(account)).posted;
  const pages = await readAll(account, { by: "model" }, () => charge(account, someCharges(20)));
  expect(pages).toHaveLength(5);
  for (const page of pages) {
    expect(page.totals).toEqual(pages[0]?.totals);
    expect(page.totals.cost).toBe(paid);
    expect(costOfChart(page)).toBe(paid);
    expect(page.chart.series.reduce((sum, { total }) => sum + total, 0n)).toBe(paid);
  }
  expect(costOfRows(pages)).toBe(paid);
  expect(await costOfCsv(account, { mark: pages[0]?.mark.toString() })).toBe(paid);
  const ids = pages.flatMap(({ rows }) => rows.map(({ requestId }) => requestId));
  expect(new Set(ids).size).toBe(230);
  expect((await read(account)).totals.cost).toBe(MONEY - (await readBalance(account)).posted);
});

test("with eight concurrent writers every read is consistent in itself, and the last one equals what was paid", async () => {
  const account = await fundedAccount(MONEY);
  let writing = true;
  const writers = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let round = 0; round < 6; round += 1) await charge(account, someCharges(10));
    }),
  ).then(() => {
    writing = false;
  });
  let reads = 0;
  while (writing) {
    const pages = await readAll(account, { by: "key" });
    expect(costOfRows(pages)).toBe(pages[0]?.totals.cost);
    for (const page of pages) expect(costOfChart(page)).toBe(page.totals.cost);
    expect(await costOfCsv(account, { mark: pages[0]?.mark.toString() })).toBe(pages[0]?.totals.cost);
    reads += 1;
  }
  await writers;
  expect(reads).toBeGreaterThan(1);
  const { totals } = await read(account);
  expect(totals.requests).toBe(480);
  expect(totals.cost).toBe(MONEY - (await readBalance(account)).posted);
  expect(await costOfCsv(account, {})).toBe(totals.cost);
});

test("each filter shows its own charges and offers all other choices of these days", async () => {
  const account = await fundedAccount(MONEY);
  const charges = someCharges(150);
  await charge(account, charges);
  for (const params of [
    { model: "gpt-4" },
    { key: keys[0] ?? "" },
    { key: "playground" },
    { model: "model", key: keys[1] ?? "" },
  ] as UsageParams[]) {
    const keyId = params.key === "playground" ? null : params.key;
    const inside = charges.filter((one) => (params.model ?? one.model) === one.model && (keyId === undefined || keyId === one.keyId));
    const pages = await readAll(account, params);
    expect(pages[0]?.totals).toMatchObject({ requests: inside.length, cost: costOf(inside) });
    expect(costOfRows(pages)).toBe(costOf(inside));
    expect(await costOfCsv(account, params)).toBe(costOf(inside));
    expect(pages[0]?.models.map(({ value }) => value)).toEqual(["claude-haiku-4-5", "gpt-4", "model"]);
    expect(pages[0]?.keys.map(({ value }) => value).sort()).toEqual([...keys.map((key) => key ?? "playground")].sort());
  }
  expect(await read(account, { model: "never-called" })).toMatchObject({
    rows: [],
    totals: { requests: 0, cost: 0n },
    older: null,
    newer: null,
  });
});

test("paging to the oldest and back to the newest shows the same pages", async () => {
  const account = await fundedAccount(MONEY);
  await charge(account, someCharges(130));
  const pages = await readAll(account, {});
  expect(pages.map(({ rows }) => rows.length)).toEqual([50, 50, 30]);
  expect(pages[0]?.newer).toBeNull();
  const back = await read(account, { newer: pages[2]?.newer ?? "" });
  expect(back.rows).toEqual(pages[1]?.rows);
  expect(back.older).toBe(pages[1]?.older);
  const first = await read(account, { newer: back.newer ?? "" });
  expect(first.rows).toEqual(pages[0]?.rows);
  expect(first.newer).toBeNull();
});

test("another account's cursor, key or model reveals nothing", async () => {
  const [owner, other] = [await fundedAccount(MONEY), await fundedAccount(MONEY)];
  await charge(owner, someCharges(60));
  const { older } = await read(owner);
  for (const params of [{ older: older ?? "" }, { key: keys[0] ?? "" }, { model: "gpt-4" }]) {
    expect(await read(other, params)).toMatchObject({ rows: [], totals: { requests: 0, cost: 0n } });
  }
});

test("rows show a key's name, even once revoked; keys with equal names are distinguished; no key means the playground", async () => {
  const account = await fundedAccount(MONEY);
  const made = await Promise.all(["ci", "laptop", "laptop"].map((name) => createKey({ accountId: account, name })));
  await setKeyState(account, made[0]?.keyId ?? newKeyId(), "revoked");
  const keyIds = [...made.map(({ keyId }) => keyId), null];
  await charge(
    account,
    someCharges(4).map((one, index) => ({ ...one, keyId: keyIds[index] ?? null })),
  );
  const { rows, keys: choices } = await read(account);
  const laptops = made.slice(1).map(({ key }) => `laptop …${key.slice(-4)}`);
  expect(rows.map(({ key, isKeyRevoked }) => [key, isKeyRevoked]).sort()).toEqual(
    [["Playground", false], ["ci", true], ...laptops.map((name) => [name, false])].sort(),
  );
  expect(choices.map(({ text }) => text).sort()).toEqual(["Playground", "ci (revoked)", ...laptops].sort());
});

test("a row and the totals name the tokens of each kind", async () => {
  const account = await fundedAccount(MONEY);
  const charges = someCharges(3);
  await charge(account, charges);
  const { rows, totals } = await read(account);
  const kindsOfRow = new Map(charges.map((one) => [one.requestId as string, kindsOf(one)]));
  for (const row of rows) expect(row).toMatchObject(kindsOfRow.get(row.requestId) ?? {});
  for (const { count: kind } of partKinds.map((part) => tokenKinds[part])) {
    expect(totals[kind]).toBe(charges.reduce((sum, one) => sum + kindsOf(one)[kind], 0));
  }
});

test("the chart has every day of the span, and the most expensive part first", async () => {
  const account = await fundedAccount(MONEY);
  const [one] = someCharges(1);
  if (!one) throw new Error("no charge was made");
  await charge(account, [{ ...one, model: "small", inputTokens: 1, outputTokens: 0 }]);
  await charge(account, someCharges(30));
  const { chart } = await read(account, { by: "model", from: "2026-02-20", to: "2026-03-10" });
  expect(chart.days.map(({ day }) => day.slice(5)).join(" ")).toBe(
    "02-20 02-21 02-22 02-23 02-24 02-25 02-26 02-27 02-28 03-01 03-02 03-03 03-04 03-05 03-06 03-07 03-08 03-09 03-10",
  );
  expect(chart.series.at(-1)?.name).toBe("small");
  const totals = chart.series.map(({ total }) => total);
  expect(totals).toEqual([...totals].sort((left, right) => Number(right - left)));
  expect((await read(await fundedAccount(0))).chart).toMatchObject({ series: [], days: { length: 4 } });
});

test("rows are sorted by when they began, and say it; a request under way is listed with what is reserved for it", async () => {
  const account = await fundedAccount(MONEY);
  const begunAt = Date.UTC(2026, 1, 28, 10);
  const restore = setClock(() => begunAt);
  const long = await openHold(account, 5_000n);
  setClock(() => begunAt + 60_000);
  const short = await openHold(account, 700n);
  restore();
  await endHold(short, { input: 10, output: 5, at: new Date(begunAt + 61_000) });
  const { running } = await read(account);
  expect(running).toEqual([{ requestId: long.request, startedAt: new Date(begunAt), model: "model", key: "Playground", reserved: 5_000n }]);
  await endHold(long, { input: 1_000, output: 2, at: new Date(begunAt + 3_600_000) });
  const { rows, running: none } = await read(account);
  expect(none).toEqual([]);
  expect(rows.map(({ requestId, startedAt }) => [requestId, startedAt.getTime()])).toEqual([
    [short.request, begunAt + 60_000],
    [long.request, begunAt],
  ]);
});
