// What customers hear of models: each change once, in the commit that stores it, and only who used the model lately.

import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, newRequestId, randomBase62 } from "@/lib/base/ids";
import { nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readEventData } from "@/lib/events/event-data";
import { priceVersion } from "@/lib/providers/catalogue";
import { builtInModels } from "@/lib/providers/catalogue-data";
import { mergeModels } from "@/lib/providers/models-file";
import { fillPrices, mapPrices, type Prices } from "@/lib/providers/prices";
import type { Model } from "@/lib/providers/types";
import { openCustomerAccount } from "../accounts";
import { sumSpend } from "../spend-sums";
import { credit, fundedAccount, openFunding } from "../testing/fund";
import { chargeLate } from "../testing/hold";
import { announceModels, deleteOldModelUses, priceChanges } from "./announce-models";

await openTestDatabase();
beforeAll(openFunding);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
let clockMs = Date.parse("2026-11-26T10:00:00Z");
let restoreClock = () => {};
beforeEach(() => {
  restoreClock = setClock(() => clockMs);
});
afterEach(() => restoreClock());
const pass = (ms: number) => {
  clockMs += ms;
};

const plain = fillPrices({ input: nanoUsd(1_000), output: nanoUsd(4_000) });
const dearer = fillPrices({ input: nanoUsd(2_000), output: nanoUsd(4_000) });

/** A model of this name, which no other test has. */
function newModel(prices: Prices = plain): Model {
  const [built] = builtInModels;
  if (!built) throw new Error("the catalogue is empty");
  return { ...built, id: `model-${randomBase62(8)}`, aliases: [], prices };
}

/** An account that is charged for the model now. */
async function userOf({ id }: Model, atMs = nowMs()): Promise<AccountId> {
  const account = await fundedAccount(parseUsd("10"));
  await use(account, id, atMs);
  return account;
}

async function use(account: AccountId, model: string, atMs = nowMs(), key: string | null = "key_of_tests"): Promise<void> {
  const request = { request: newRequestId(), account, key, ceiling: 10n };
  await chargeLate(request, { input: 5, output: 5, details: { model }, at: new Date(atMs) });
  await sumSpend();
}

async function toldOf(account: AccountId): Promise<Record<string, unknown>[]> {
  const { rows } = await pool().query<{ type: string; data: Record<string, unknown> }>(
    "SELECT type, data FROM event WHERE account_id = $1 AND type IN ('price.changed', 'model.retiring') ORDER BY place",
    [account],
  );
  return rows.map(({ type, data }) => ({ type, ...readEventData(type, data) }));
}

/** The runs of a process that sells these models, until a change would be settled. */
async function runFor(minutes: number, ...processes: (readonly Model[])[]): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    for (const models of processes) await announceModels(models);
    pass(MINUTE_MS);
  }
  for (const models of processes) await announceModels(models);
}

const inputChanged = [{ kind: "input", before: parseUsd("1"), after: parseUsd("2") }];

test("a price that changed is told once to each account that used the model in the last 30 days, and to nobody else", async () => {
  const [model, other] = [newModel(), newModel()];
  const user = await userOf(model);
  const late = await userOf(model, nowMs() - 31 * DAY_MS);
  const stranger = await userOf(other);
  const newcomer = await fundedAccount(0);
  await runFor(30, [model, other]);
  expect(await toldOf(user)).toEqual([]); // the first start tells nothing
  const changed = { ...model, prices: dearer };
  await runFor(9, [changed, other]);
  expect(await toldOf(user)).toEqual([]);
  await runFor(30, [changed, other]);
  expect(await toldOf(user)).toEqual([{ type: "price.changed", model: model.id, changes: inputChanged }]);
  for (const account of [late, stranger, newcomer]) expect(await toldOf(account)).toEqual([]);
});

test("processes that run at once, and a database connection that dies in the middle, tell once", async () => {
  const model = newModel();
  const user = await userOf(model);
  await announceModels([model]);
  const changed = { ...model, prices: dearer };
  await announceModels([changed]);
  pass(11 * MINUTE_MS);
  const client = await pool().connect();
  client.on("error", () => undefined);
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await client.query("BEGIN");
  const told = await client.query(
    "SELECT ledger_announce_model($1, $2, NULL, $3, NULL, false, now() + interval '1 year', $4, '2026-01-01', now()) AS told",
    [
      model.id,
      priceVersion(model),
      priceVersion(changed),
      JSON.stringify([{ type: "price.changed", data: { model: model.id, changes: [] } }]),
    ],
  );
  expect(told.rows).toEqual([{ told: true }]);
  await pool().query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
  client.release(true);
  await expect
    .poll(async () => {
      await Promise.all([changed, changed, changed].map((one) => announceModels([one])));
      return (await toldOf(user)).length;
    })
    .toBe(1);
  await runFor(20, [changed], [changed]);
  expect(await toldOf(user)).toEqual([{ type: "price.changed", model: model.id, changes: inputChanged }]);
});

test("two releases side by side tell nothing, however long, and the change is told ten minutes after the old one ended", async () => {
  const model = newModel();
  const user = await userOf(model);
  const old = [model];
  const fresh = [{ ...model, prices: dearer }];
  await runFor(5, old);
  await runFor(60, old, fresh);
  await runFor(60, fresh, old);
  expect(await toldOf(user)).toEqual([]);
  await runFor(9, fresh);
  expect(await toldOf(user)).toEqual([]);
  await runFor(2, fresh);
  expect(await toldOf(user)).toHaveLength(1);
  await runFor(60, fresh, old); // a process of the old release comes back
  expect(await toldOf(user)).toHaveLength(1);
});

test("a change that is taken back within ten minutes tells nothing, and neither does a model that is away for a while", async () => {
  const model = newModel();
  const user = await userOf(model);
  await runFor(2, [model]);
  await runFor(8, [{ ...model, prices: dearer }]);
  await runFor(30, [model]);
  await runFor(30, []);
  await runFor(30, [model]);
  expect(await toldOf(user)).toEqual([]);
});

test("another margin counts, whatever the provider charges; another name, description or alias does not", async () => {
  const model = newModel();
  const user = await userOf(model);
  await runFor(1, [model]);
  await runFor(20, [{ ...model, costs: dearer, description: "Better.", aliases: ["better"] }]);
  expect(await toldOf(user)).toEqual([]);
  await runFor(20, [{ ...model, prices: mapPrices(plain, (price) => nanoUsd((price * 110n) / 100n)) }]);
  expect(await toldOf(user)).toEqual([
    {
      type: "price.changed",
      model: model.id,
      changes: [
        { kind: "input", before: parseUsd("1"), after: parseUsd("1.1") },
        { kind: "output", before: parseUsd("4"), after: parseUsd("4.4") },
      ],
    },
  ]);
});

test("a price in the operator's file is a change like any other", async () => {
  const [model] = builtInModels;
  if (!model) throw new Error("the catalogue is empty");
  const user = await userOf(model);
  await runFor(1, [model]);
  const models = mergeModels(builtInModels, JSON.stringify({ models: [{ id: model.id, inputPrice: "99" }] }));
  await runFor(11, models.slice(0, 1));
  expect(await toldOf(user)).toMatchObject([{ model: model.id, changes: [{ kind: "input", after: parseUsd("99") }] }]);
});

test("a date of retirement is told once it is known, and again seven days before", async () => {
  const model = newModel();
  const user = await userOf(model);
  await runFor(1, [model]);
  const retiring = { ...model, retirement: { on: "2027-01-14", successor: "gpt-6-luna" } };
  await runFor(30, [retiring], [retiring]);
  const told = { type: "model.retiring", model: model.id, retiresOn: "2027-01-14", successor: "gpt-6-luna" };
  expect(await toldOf(user)).toEqual([told]);
  clockMs = Date.parse("2027-01-06T23:59:00Z");
  await use(user, model.id);
  const young = await userOf(model);
  await announceModels([retiring]);
  expect(await toldOf(user)).toHaveLength(1);
  pass(MINUTE_MS);
  await Promise.all([announceModels([retiring]), announceModels([retiring]), announceModels([retiring])]);
  await runFor(30, [retiring]);
  expect(await toldOf(user)).toEqual([told, told]);
  expect(await toldOf(young)).toEqual([told]);
});

test("a date that is known late is told once, one that moves is told anew, and one that is withdrawn is not told", async () => {
  const model = newModel();
  const user = await userOf(model);
  const datesOf = async () => (await toldOf(user)).map(({ retiresOn }) => retiresOn);
  const on = (day: string) => [{ ...model, retirement: { on: day } }];
  const soon = new Date(clockMs + 3 * DAY_MS).toISOString().slice(0, 10);
  await runFor(20, on(soon));
  expect(await datesOf()).toEqual([soon]);
  await runFor(20, on("2028-01-01"));
  expect(await datesOf()).toEqual([soon, "2028-01-01"]);
  await runFor(20, [model]);
  expect(await datesOf()).toEqual([soon, "2028-01-01"]);
});

test("who used a model is counted once, with the sums behind the charges, and forgotten after 30 days", async () => {
  const model = newModel();
  const user = await userOf(model, clockMs - DAY_MS);
  await use(user, model.id);
  await use(user, model.id, clockMs - 2 * DAY_MS);
  const payer = `credit:eip155:8453:0x${"0".repeat(40)}` as AccountId; // no account, so nobody would hear
  await openCustomerAccount(payer);
  await credit(payer, 1_000);
  await use(payer, model.id, clockMs, null);
  const uses = async () => (await pool().query("SELECT last_used_on::text AS day FROM model_use WHERE model = $1", [model.id])).rows;
  expect(await uses()).toEqual([{ day: new Date(clockMs).toISOString().slice(0, 10) }]);
  pass(30 * DAY_MS);
  await deleteOldModelUses();
  expect(await uses()).toHaveLength(1);
  pass(2 * DAY_MS);
  await deleteOldModelUses();
  expect(await uses()).toEqual([]);
});

test("a change is listed kind by kind and length by length; kinds that follow input or output are not", () => {
  const usd = (perToken: number) => `${perToken * 1_000_000}`;
  const of = (input: number, more: object = {}) => ({ input: nanoUsd(input), output: nanoUsd(9), ...more });
  expect(priceChanges(fillPrices(of(2)), fillPrices(of(2)))).toEqual([]);
  expect(priceChanges(fillPrices(of(2)), fillPrices(of(3)))).toEqual([{ kind: "input", before: usd(2), after: usd(3) }]);
  // A kind gets a price of its own.
  expect(priceChanges(fillPrices(of(2)), fillPrices(of(2, { cacheRead: nanoUsd(1) })))).toEqual([
    { kind: "cache_read", before: usd(2), after: usd(1) },
  ]);
  // A tier is added, at which input costs more.
  const tiered = fillPrices(of(2), [{ ...of(4), fromInputTokens: 200_000 }]);
  expect(priceChanges(fillPrices(of(2)), tiered)).toEqual([{ kind: "input", before: usd(2), after: usd(4), fromInputTokens: 200_000 }]);
  expect(priceChanges(tiered, fillPrices(of(2)))).toEqual([{ kind: "input", before: usd(4), after: usd(2), fromInputTokens: 200_000 }]);
});
