// The alarm: raised once for what is far above usual, at once with the pause, and never for what is usual.

import { afterEach, beforeAll, expect, test } from "vitest";
import { alarmColumns, judgeSpend } from "@/lib/access/alarms";
import { setKeyState } from "@/lib/access/keys";
import { changeKey } from "@/lib/access/testing/change-key";
import { nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { deleteOldSums, type HourSpend } from "@/lib/ledger/spend-sums";
import { fundedAccount, openFunding, openKey } from "@/lib/ledger/testing/fund";
import { chargeLate, openHold } from "@/lib/ledger/testing/hold";
import { watchSpikes } from "./watch-spikes";

await openTestDatabase();
beforeAll(openFunding);
let restoreClock = () => {};
afterEach(() => restoreClock());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** A Wednesday, half past ten. */
const startMs = Date.UTC(2026, 5, 10, 10, 30);
const setTime = (ms: number) => {
  restoreClock = setClock(() => ms);
};

/** Charges the key, at a moment, with an input of that many dollars. */
const spend = (account: AccountId, key: KeyId, usd: string, atMs = nowMs()) =>
  chargeLate(
    { request: newRequestId(), account, key, ceiling: parseUsd(usd) },
    { input: Number(parseUsd(usd)), output: 0, at: new Date(atMs) },
  );

interface Told {
  type: string;
  data: Record<string, string>;
}

const toldOf = async (account: AccountId): Promise<Told[]> =>
  (
    await pool().query<Told>("SELECT type, data FROM event WHERE account_id = $1 AND type IN ('key.spike', 'key.paused') ORDER BY place", [
      account,
    ])
  ).rows;

const stateOf = async (key: KeyId) =>
  (await pool().query<{ state: string }>("SELECT state FROM api_key WHERE id = $1", [key])).rows[0]?.state;

/** A key that spent that much in this hour of each of the last five weeks. */
async function keyWithPast(usd: string): Promise<{ account: AccountId; key: KeyId }> {
  const account = await fundedAccount(parseUsd("1000"));
  const key = await openKey(account);
  for (let week = 1; week <= 5; week++) await spend(account, key, usd, startMs - week * WEEK_MS);
  return { account, key };
}

test("a key that spends more than five times its usual and more than a dollar: one event an hour, within one round", async () => {
  setTime(startMs);
  const { account, key } = await keyWithPast("0.2");
  await spend(account, key, "1");
  await watchSpikes();
  expect(await toldOf(account)).toEqual([]);
  await openHold(account, parseUsd("0.25"), { key, until: new Date(startMs + HOUR_MS) });
  await spend(account, key, "0.1");
  await watchSpikes();
  const spike = { keyId: key, spent: "1100000000", usual: "200000000", underWay: "250000000", paused: "no" };
  expect(await toldOf(account)).toEqual([{ type: "key.spike", data: spike }]);
  await spend(account, key, "5");
  await watchSpikes();
  expect(await toldOf(account)).toHaveLength(1);
  setTime(startMs + 31 * MINUTE_MS); // the next hour, and the 60 minutes still hold it
  await spend(account, key, "0.1");
  await watchSpikes();
  expect(await toldOf(account)).toHaveLength(2);
  expect(await stateOf(key)).toBe("active");
});

test("a key whose owner wants it: alarm, pause and their events are one commit, and resuming mutes until the hour ends", async () => {
  setTime(startMs);
  const { account, key } = await keyWithPast("0.5");
  await changeKey(key, alarmColumns({ factor: 4, above: parseUsd("1"), pauses: true }));
  await spend(account, key, "2.1");
  await Promise.all([watchSpikes(), watchSpikes(), watchSpikes()]);
  expect((await toldOf(account)).map(({ type, data }) => [type, data.paused])).toEqual([
    ["key.spike", "yes"],
    ["key.paused", undefined],
  ]);
  expect(await stateOf(key)).toBe("paused");
  await setKeyState(account, key, "active");
  await spend(account, key, "3");
  await watchSpikes();
  expect(await stateOf(key)).toBe("active");
  setTime(startMs + 30 * MINUTE_MS + 1);
  await spend(account, key, "3");
  await watchSpikes();
  expect(await stateOf(key)).toBe("paused");
});

test("what is usual on this hour of the week is no alarm, however much it is", async () => {
  setTime(startMs);
  const { account, key } = await keyWithPast("30");
  await spend(account, key, "100");
  await watchSpikes();
  expect(await toldOf(account)).toEqual([]);
});

test("a key without a past is held against its account, and a new account only against ten dollars, without a pause", async () => {
  setTime(startMs);
  const { account } = await keyWithPast("2");
  const young = await openKey(account);
  await changeKey(young, alarmColumns({ factor: 5, above: parseUsd("1"), pauses: true }));
  await spend(account, young, "9");
  await watchSpikes();
  expect(await toldOf(account)).toEqual([]);
  await spend(account, young, "2");
  await watchSpikes();
  expect((await toldOf(account)).map(({ type }) => type)).toEqual(["key.spike", "key.paused"]);
  const newcomer = await fundedAccount(parseUsd("1000"));
  const first = await openKey(newcomer);
  await changeKey(first, alarmColumns({ factor: 5, above: parseUsd("1"), pauses: true }));
  await spend(newcomer, first, "10");
  await watchSpikes();
  expect(await toldOf(newcomer)).toEqual([]);
  await spend(newcomer, first, "0.5");
  await watchSpikes();
  expect((await toldOf(newcomer)).map(({ type, data }) => [type, data.paused])).toEqual([["key.spike", "no"]]);
  expect(await stateOf(first)).toBe("active");
});

test("no alarm for a key without one, for one that is revoked, and for money spent before the last 60 minutes", async () => {
  setTime(startMs);
  const { account, key } = await keyWithPast("0.1");
  await changeKey(key, alarmColumns(null));
  await spend(account, key, "50");
  const old = await openKey(account);
  await spend(account, old, "50", startMs - 61 * MINUTE_MS);
  await spend(account, old, "0.5");
  const revoked = await openKey(account);
  await setKeyState(account, revoked, "revoked");
  await spend(account, revoked, "50");
  await watchSpikes();
  expect(await toldOf(account)).toEqual([]);
});

test("the sums are those of the charges, whoever sums them, and are deleted when nobody needs them", async () => {
  setTime(startMs);
  const account = await fundedAccount(parseUsd("1000"));
  const key = await openKey(account);
  for (let index = 0; index < 20; index++) {
    await spend(account, key, "0.01", startMs - index * 7 * MINUTE_MS);
    if (index % 4 === 0) await Promise.all([watchSpikes(), watchSpikes()]);
  }
  await watchSpikes();
  const sums = () =>
    pool().query<{ width: string; spent: string }>(
      "SELECT width, sum(spent)::text AS spent FROM spend_sum WHERE key_id = $1 GROUP BY width ORDER BY width",
      [key],
    );
  // Minutes older than two hours are not kept at all.
  expect((await sums()).rows).toEqual([
    { width: "hour", spent: "200000000" },
    { width: "minute", spent: "180000000" },
  ]);
  setTime(startMs + 3 * HOUR_MS);
  await deleteOldSums();
  expect((await sums()).rows.map(({ width }) => width)).toEqual(["hour"]);
  setTime(startMs + 6 * WEEK_MS);
  await deleteOldSums();
  expect((await sums()).rows).toEqual([]);
});

const hour = (fields: Partial<HourSpend>): HourSpend => ({
  keyId: "key" as KeyId,
  accountId: "account" as AccountId,
  spent: nanoUsd(0),
  usualOfKey: null,
  usualOfAccount: null,
  ...fields,
});
const alarm = { factor: 5, above: parseUsd("1"), pauses: true };
const usd = (text: string): NanoUsd => parseUsd(text);

test.each<[string, Partial<HourSpend>, boolean]>([
  ["exactly five times", { spent: usd("5"), usualOfKey: usd("1") }, false],
  ["a unit above five times", { spent: nanoUsd(usd("5") + 1n), usualOfKey: usd("1") }, true],
  ["exactly a dollar where nothing is usual", { spent: usd("1"), usualOfKey: usd("0") }, false],
  ["above a dollar where nothing is usual", { spent: usd("1.01"), usualOfKey: usd("0") }, true],
  ["the account's past does not count for a key with a past", { spent: usd("3"), usualOfKey: usd("0"), usualOfAccount: usd("9") }, true],
])("%s", (_name, fields, isSpike) => {
  expect(judgeSpend(hour(fields), alarm) !== null).toBe(isSpike);
});
