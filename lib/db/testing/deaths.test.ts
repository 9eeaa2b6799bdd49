import { expect, test } from "vitest";
import type { Death, LastWords } from "./death";
import { dieAtEach } from "./deaths";
import { isLong, sample } from "./sample";

const statements = Array.from({ length: 40 }, (_, index) => ([9, 24].includes(index) ? "COMMIT" : "SELECT"));
const words: LastWords = { outcome: "done", statements };

/** Runs that die at the statement they are given, and the list of those deaths. */
function mortals() {
  const deaths: Death[] = [];
  const live = async (death: Death) => {
    deaths.push(death);
    return death.killAt === 0 || death.killAt > statements.length ? words : null;
  };
  return { deaths, live };
}

test("runs die at the first statement or the last, a sample of those beside a COMMIT, and a sample of the others", async () => {
  const { deaths, live } = mortals();
  const lives = await dieAtEach({ name: "these", moments: ["before"], least: 40, live, besideCommits: 4, others: 1 });
  expect(lives).toBe(deaths.length);
  const killedAt = deaths.map(({ killAt }) => killAt);
  expect(killedAt).toEqual([...killedAt].sort((one, other) => one - other));
  expect(killedAt).toEqual(expect.arrayContaining([0, 10, 11, 25, 26, ...(isLong ? [1, 40] : [])]));
  expect(killedAt.some((killAt) => [1, 40].includes(killAt))).toBe(true);
  expect(lives).toBe(isLong ? 42 : 7);
  expect(deaths.some(({ sent }) => sent)).toBe(false);
});

test.skipIf(isLong)("of many COMMITs a sample is tried", async () => {
  const { deaths, live } = mortals();
  await dieAtEach({ name: "these", moments: ["before"], least: 40, live, besideCommits: 1, others: 0 });
  const [beside] = deaths.map(({ killAt }) => killAt).filter((killAt) => ![0, 1, 40].includes(killAt));
  expect([10, 11, 25, 26]).toContain(beside);
  expect(deaths).toHaveLength(3);
});

test("one side of a COMMIT is its unseen answer, the other is the statement before it", async () => {
  const { deaths, live } = mortals();
  await dieAtEach({ name: "these", moments: ["unseen"], least: 40, live, besideCommits: 4, others: 1 });
  const unseen = deaths.filter(({ sent }) => sent).map(({ killAt }) => killAt);
  expect(unseen).toEqual(expect.arrayContaining([9, 10, 24, 25]));
});

test("a run that survives its death, or has too few statements, fails", async () => {
  const immortal = async () => words;
  await expect(dieAtEach({ name: "these", moments: ["before"], least: 40, live: immortal })).rejects.toThrow("to be greater than 40");
  await expect(dieAtEach({ name: "these", moments: ["before"], least: 41, live: immortal })).rejects.toThrow("or equal to 41");
});

test("a failure after a death says which death it was", async () => {
  const { live } = mortals();
  const failing = async (death: Death) => {
    if (death.killAt === 25) throw new Error("the money is gone");
    return live(death);
  };
  const deaths = dieAtEach({ name: "these", moments: ["before"], least: 40, live: failing, besideCommits: 4 });
  await expect(deaths).rejects.toThrow("the money is gone\nIt was to die before statement 25 of 40.");
});

test("the same seed and name choose the same sample, in the original order; another name chooses another", () => {
  const all = Array.from({ length: 1_000 }, (_, index) => index);
  const chosen = sample("one", all, 500);
  expect(chosen).toEqual(sample("one", all, 500));
  expect(chosen).toEqual([...chosen].sort((one, other) => one - other));
  if (isLong) expect(chosen).toEqual(all);
  else expect(chosen).not.toEqual(sample("other", all, 500));
});
