import { expect, test } from "vitest";
import type { Death, LastWords } from "./death";
import { dieAtEach } from "./deaths";
import { isLong, sample } from "./sample";

const statements = Array.from({ length: 40 }, (_, index) => ([9, 24].includes(index) ? "COMMIT" : "SELECT"));
const words: LastWords = { outcome: "done", statements };

/** Lives that die when they are told to, and the deaths they were told. */
function mortals() {
  const deaths: Death[] = [];
  const live = async (death: Death) => {
    deaths.push(death);
    return death.killAt === 0 || death.killAt > statements.length ? words : null;
  };
  return { deaths, live };
}

test("deaths are the first statement, the last one, a sample of those beside a COMMIT and a sample of the others", async () => {
  const { deaths, live } = mortals();
  const lives = await dieAtEach({ name: "these", moments: ["before"], least: 40, live });
  expect(lives).toBe(deaths.length);
  const killedAt = deaths.map(({ killAt }) => killAt);
  expect(killedAt).toEqual([...killedAt].sort((one, other) => one - other));
  expect(killedAt).toEqual(expect.arrayContaining([0, 1, 10, 11, 25, 26, 40]));
  expect(lives).toBe(isLong ? 42 : 9);
  expect(deaths.some(({ sent }) => sent)).toBe(false);
});

test.skipIf(isLong)("of many COMMITs a sample is tried", async () => {
  const { deaths, live } = mortals();
  await dieAtEach({ name: "these", moments: ["before"], least: 40, live, besideCommits: 1, others: 0 });
  const [beside] = deaths.map(({ killAt }) => killAt).filter((killAt) => ![0, 1, 40].includes(killAt));
  expect([10, 11, 25, 26]).toContain(beside);
  expect(deaths).toHaveLength(4);
});

test("a COMMIT whose answer is not seen is one of its sides, and what precedes it the other", async () => {
  const { deaths, live } = mortals();
  await dieAtEach({ name: "these", moments: ["unseen"], least: 40, live });
  const unseen = deaths.filter(({ sent }) => sent).map(({ killAt }) => killAt);
  expect(unseen).toEqual(expect.arrayContaining([1, 9, 10, 24, 25, 40]));
});

test("lives that outlive their deaths, or do less than they should, fail", async () => {
  const immortal = async () => words;
  await expect(dieAtEach({ name: "these", moments: ["before"], least: 40, live: immortal })).rejects.toThrow("to be greater than 40");
  await expect(dieAtEach({ name: "these", moments: ["before"], least: 41, live: immortal })).rejects.toThrow("or equal to 41");
});

test("what fails after a death says which one it was", async () => {
  const { live } = mortals();
  const failing = async (death: Death) => {
    if (death.killAt === 25) throw new Error("the money is gone");
    return live(death);
  };
  const deaths = dieAtEach({ name: "these", moments: ["before"], least: 40, live: failing });
  await expect(deaths).rejects.toThrow("the money is gone\nIt was to die before statement 25 of 40.");
});

test("the same seed chooses the same sample, another name another one, in the order of all", () => {
  const all = Array.from({ length: 1_000 }, (_, index) => index);
  const chosen = sample("one", all, 500);
  expect(chosen).toEqual(sample("one", all, 500));
  expect(chosen).toEqual([...chosen].sort((one, other) => one - other));
  if (isLong) expect(chosen).toEqual(all);
  else expect(chosen).not.toEqual(sample("other", all, 500));
});
