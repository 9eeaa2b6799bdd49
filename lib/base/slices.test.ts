// Long work leaves the event loop free between its slices, and many works take turns.

import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { runAtOnce, runInSlices, type Slices } from "./slices";

afterEach(() => void vi.restoreAllMocks());

/** A clock that moves by this much whenever it is read. */
function passTime(msPerStep: number): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += msPerStep;
    return now;
  });
}

function* count(steps: number, onStep: () => void = () => undefined): Slices<number> {
  for (let step = 0; step < steps; step++) {
    onStep();
    yield;
  }
  return steps;
}

test("short work is done at once, without a promise", () => {
  passTime(0.001);
  expect(runInSlices(count(100))).toBe(100);
});

test("long work gives way to the event loop between its slices", async () => {
  passTime(0.1);
  let steps = 0;
  const done = runInSlices(count(1_000, () => void steps++));
  expect(done).toBeInstanceOf(Promise);
  expect(steps).toBeLessThan(20);
  let turns = 0;
  for (; steps < 1_000; turns++) {
    const before = steps;
    await nextTurn();
    expect(steps - before).toBeLessThanOrEqual(51);
  }
  expect(turns).toBeGreaterThanOrEqual(1_000 / 51 - 1);
  expect(await done).toBe(1_000);
});

test("of many works one slice runs in a turn of the event loop, and each gets its turn", async () => {
  passTime(0.1);
  const works = Array.from({ length: 4 }, () => ({ steps: 0 }));
  const stepsOf = () => works.map(({ steps }) => steps);
  const total = () => stepsOf().reduce((sum, one) => sum + one, 0);
  const results = works.map((one) => runInSlices(count(200, () => void one.steps++)));
  while (total() < 800) {
    const before = total();
    await nextTurn();
    expect(total() - before).toBeLessThanOrEqual(51);
    expect(Math.max(...stepsOf()) - Math.min(...stepsOf())).toBeLessThanOrEqual(60);
  }
  expect(await Promise.all(results)).toEqual([200, 200, 200, 200]);
});

test("work that fails in a later slice fails its promise, and no other work", async () => {
  passTime(0.1);
  function* fail(): Slices<number> {
    yield* count(100);
    throw new Error("broken");
  }
  const [failed, fine] = [runInSlices(fail()), runInSlices(count(100))];
  await expect(failed).rejects.toThrow("broken");
  expect(await fine).toBe(100);
  expect(() => runInSlices(throwing())).toThrow("at once");
});

// biome-ignore lint/correctness/useYield: it fails before it could
function* throwing(): Slices<number> {
  throw new Error("at once");
}

test("work whose length is known runs whole", () => {
  expect(runAtOnce(count(1_000))).toBe(1_000);
});
