// Reports with a wrong clock: the report made last counts, whatever its timestamp.

import { afterEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readChainFunds } from "../withdrawals/chain-funds";
import { isPayoutAllowed } from "../withdrawals/pay-withdrawals";
import { reportReserves } from "./check-reserves";
import { addReport, findNewestReport } from "./report";

await openTestDatabase();
let restoreClock = () => {};
afterEach(() => restoreClock());

const figures = { holdings: [], customers: ZERO_USD, credits: ZERO_USD, granted: ZERO_USD };
const DAY_MS = 24 * 3_600_000;

test("a report from a clock that ran ahead hides no later deficit, and prevents no later report", async () => {
  const ahead = new Date(Date.now() + 30 * DAY_MS);
  await addReport({ state: "covered", at: ahead, ...figures, held: nanoUsd(2), owed: nanoUsd(1) });
  await addReport({ state: "deficit", at: new Date(), ...figures, held: nanoUsd(1), owed: nanoUsd(2) });
  expect(await isPayoutAllowed()).toBe(false);
  await addReport({ state: "covered", at: ahead, ...figures, held: nanoUsd(2), owed: nanoUsd(1) });
  restoreClock = setClock(() => Date.now());
  await reportReserves();
  expect(await findNewestReport()).toMatchObject({ state: "unknown", reason: "starting" });
});

test("what can leave a chain is read from the report made last", async () => {
  const holding = { chain: "base", height: 1, blockHash: "0x1", addresses: 0, atAddresses: ZERO_USD } as const;
  const report = { ...figures, state: "covered", held: nanoUsd(9), owed: nanoUsd(1) } as const;
  await addReport({ ...report, at: new Date(Date.now() + 30 * DAY_MS), holdings: [{ ...holding, treasury: nanoUsd(5) }] });
  await addReport({ ...report, at: new Date(), holdings: [{ ...holding, treasury: nanoUsd(7) }] });
  expect(await readChainFunds()).toEqual({ base: 7n, solana: null });
});
