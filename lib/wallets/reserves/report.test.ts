// Reports: the newest known one counts, old ones are thinned, and a deficit survives the thinning.

import { beforeEach, expect, test } from "vitest";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { isPayoutAllowed } from "../withdrawals/pay-withdrawals";
import { addReport, findKnownReport, findNewestReport, type KnownReport, readCourse } from "./report";

await openTestDatabase();
beforeEach(() => pool().query("TRUNCATE reserve_report, reserve_holding"));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const startMs = Date.UTC(2026, 10, 1);

const known = (atMs: number, held: number, owed: number): KnownReport => ({
  state: held < owed ? "deficit" : "covered",
  at: new Date(atMs),
  held: nanoUsd(held),
  owed: nanoUsd(owed),
  customers: nanoUsd(owed),
  credits: nanoUsd(Math.min(1, owed)),
  granted: ZERO_USD,
  holdings: [
    { chain: "base", height: 7, blockHash: "0x07", treasury: nanoUsd(held), atAddresses: ZERO_USD, addresses: 3 },
    { chain: "solana", height: 9, blockHash: null, treasury: ZERO_USD, atAddresses: ZERO_USD, addresses: 0 },
  ],
});
const unknown = (atMs: number) => ({ state: "unknown", at: new Date(atMs), reason: "away", chain: "base" }) as const;

const kept = async () => (await pool().query<{ at: Date }>("SELECT at FROM reserve_report ORDER BY at")).rows.map(({ at }) => at.getTime());

test("a report is read as it was stored, and a later unknown one hides neither its figures nor a deficit", async () => {
  expect([await findNewestReport(), await findKnownReport(), await isPayoutAllowed()]).toEqual([null, null, true]);
  await addReport(known(startMs, 10, 10));
  await addReport(unknown(startMs + MINUTE));
  expect(await findNewestReport()).toEqual(unknown(startMs + MINUTE));
  expect(await findKnownReport()).toEqual(known(startMs, 10, 10));
  expect(await isPayoutAllowed()).toBe(true);
  await addReport(known(startMs + 2 * MINUTE, 9, 10));
  await addReport(unknown(startMs + 3 * MINUTE));
  expect(await isPayoutAllowed()).toBe(false);
  expect(await findKnownReport("covered")).toEqual(known(startMs, 10, 10));
  await addReport(known(startMs + 4 * MINUTE, 11, 10));
  expect(await isPayoutAllowed()).toBe(true);
});

test("a report whose state contradicts its figures is not stored", async () => {
  await expect(addReport({ ...known(startMs, 9, 10), state: "covered" })).rejects.toThrow("a_deficit_is_less_than_is_owed");
  await expect(addReport({ ...known(startMs, 10, 10), state: "deficit" })).rejects.toThrow("a_deficit_is_less_than_is_owed");
});

test("two days are kept in full, then one report per hour, preferably a deficit", async () => {
  for (let minute = 0; minute < 120; minute += 20) await addReport(known(startMs + minute * MINUTE, minute === 20 ? 9 : 10, 10));
  await addReport(unknown(startMs + 119 * MINUTE));
  await addReport(known(startMs + 2 * DAY - 1, 10, 10));
  expect(await kept()).toHaveLength(8);
  await addReport(known(startMs + 2 * DAY + 3 * HOUR, 10, 10));
  expect((await kept()).slice(0, 2)).toEqual([startMs + 20 * MINUTE, startMs + 100 * MINUTE]);
  expect(await kept()).toHaveLength(4);
  await addReport(known(startMs + 401 * DAY, 10, 10));
  expect(await kept()).toHaveLength(3);
});

test("the course has one point per step, preferring a deficit, and leaves out unknown reports", async () => {
  await addReport(known(startMs, 10, 10));
  await addReport(known(startMs + HOUR, 8, 10));
  await addReport(known(startMs + 2 * HOUR, 12, 10));
  await addReport(known(startMs + 7 * HOUR, 13, 10));
  await addReport(known(startMs + 8 * HOUR, 14, 10));
  await addReport(unknown(startMs + 13 * HOUR));
  const course = await readCourse(new Date(startMs), 6 * HOUR);
  expect(course.map(({ held }) => held)).toEqual([8n, 14n]);
  expect(await readCourse(new Date(startMs + 9 * HOUR), 6 * HOUR)).toEqual([]);
});
