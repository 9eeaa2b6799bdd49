// What a key may spend on fees in a day, whoever asks.

import { afterEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { replaceSingleton } from "@/lib/base/process-singleton";
import { FeeBudget, openBudgets } from "./fee-budget";

let restoreClock = () => {};
afterEach(() => {
  restoreClock();
  restoreClock = () => {};
});

function openBudget(): Pick<FeeBudget, "take" | "check"> & { pass: (ms: number) => void } {
  replaceSingleton("log", { error: () => undefined });
  let atMs = 1_800_000_000_000;
  restoreClock = setClock(() => atMs);
  const budget = new FeeBudget("the key's coins", () => ({ day: 100n, each: 40n }));
  const pass = (ms: number) => {
    atMs += ms;
  };
  return { take: (cost, name) => budget.take(cost, name), check: (cost, name) => budget.check(cost, name), pass };
}

const HOUR = 3_600_000;

test("a transaction above its bound waits, and so does the one that would exceed the day's", () => {
  const { take } = openBudget();
  expect(() => take(41n, "a")).toThrow(/may cost 41 of the key's coins, more than 40/);
  for (const name of ["b", "c"]) take(40n, name);
  take(20n, "d");
  expect(() => take(1n, "e")).toThrow(/transactions of 24 hours may cost 100/);
});

test("one that takes another's place counts for what it costs more, and a repeated one not at all", () => {
  const { take } = openBudget();
  for (let times = 0; times < 50; times++) take(30n, "a");
  take(40n, "a");
  take(40n, "b");
  take(20n, "c");
  expect(() => take(21n, "c")).toThrow(/24 hours/);
});

test("a check refuses what would be refused, and takes nothing, so that one budget can be asked before another is spent", () => {
  const { take, check } = openBudget();
  for (let times = 0; times < 10; times++) expect(check(40n, `${times}`)).toBe(40n);
  for (const name of ["a", "b"]) take(40n, name);
  expect(check(40n, "b")).toBe(0n);
  expect(() => check(41n, "c")).toThrow(/more than 40/);
  expect(() => check(21n, "c")).toThrow(/24 hours/);
  take(20n, "c");
});

test("what was spent a day ago is free again, and no moment of a day allows more", () => {
  const { take, pass } = openBudget();
  for (const name of ["a", "b"]) take(40n, name);
  pass(23 * HOUR);
  expect(() => take(21n, "c")).toThrow(/24 hours/);
  take(20n, "c");
  pass(HOUR + 900_000);
  for (const name of ["d", "e"]) take(40n, name);
  expect(() => take(1n, "f")).toThrow(/24 hours/);
});

test("in live mode every key has a bound for a day without any setting, and rent one of its own", () => {
  openBudget();
  const { relayer, treasury, rent, sponsor } = openBudgets("live");
  const spend = (budget: FeeBudget, each: bigint, times: number) => {
    for (let time = 0; time < times; time++) budget.take(each, `${time}`);
    return () => budget.take(1n, "one more");
  };
  expect(spend(relayer, 10n ** 16n, 25)).toThrow(/24 hours may cost 250000000000000000 of the relayer's wei/);
  expect(spend(rent, 10n ** 9n, 2)).toThrow(/24 hours may cost 2000000000 of the treasury's lamports for rent/);
  expect(spend(treasury, 5n * 10n ** 8n, 1)).toThrow(/24 hours may cost 500000000 of the treasury's lamports/);
  expect(spend(sponsor, 10n ** 9n, 1)).toThrow(/24 hours may cost 1000000000 of the sponsor's lamports/);
});
