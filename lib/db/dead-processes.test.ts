import { beforeEach, expect, test } from "vitest";
import { type DueSweep, ProcessObserver } from "./dead-processes";

const SECOND = 1_000;
const times = { maxGapMs: 2 * SECOND, deadAfterMs: 5 * SECOND, sweepEveryMs: 5 * SECOND, removeAfterMs: 600 * SECOND };
let observer: ProcessObserver;
beforeEach(() => {
  observer = new ProcessObserver(times);
});

/** The rows of the other processes. */
type Beats = Partial<Record<string, number>>;

/** A heartbeat of the observer whose answer came at once. */
const observeAt = (at: number, beats: Beats): DueSweep[] =>
  observer.observe(
    Object.entries(beats).map(([id, beat]) => ({ id, beat: String(beat) })),
    { sentAt: at, receivedAt: at },
  );

/** A heartbeat each second, both ends included; returns which process was due for a sweep, and when. */
function observeFrom(first: number, last: number, beatsAt: (second: number) => Beats): [number, string][] {
  const due: [number, string][] = [];
  for (let second = first; second <= last; second++)
    for (const { id } of observeAt(second * SECOND, beatsAt(second))) due.push([second, id]);
  return due;
}

test("a row unchanged for deadAfterMs is dead, and not a moment before", () => {
  observeFrom(0, 4, () => ({ other: 7 }));
  expect(observeAt(5 * SECOND - 1, { other: 7 })).toEqual([]);
  expect(observeAt(5 * SECOND, { other: 7 })).toEqual([{ id: "other", beat: "7", isFirst: true, isLast: false }]);
});

test("a row that changes is never dead, not even when it changes just in time, or back to an earlier value", () => {
  expect(observeFrom(0, 100, (second) => ({ quick: second, slow: Math.floor(second / 5), back: Math.floor(second / 4) % 2 }))).toEqual([]);
});

test("each change restarts the time", () => {
  expect(observeFrom(0, 12, (second) => ({ other: Math.min(second, 7) }))).toEqual([[12, "other"]]);
});

test("a dead process is swept repeatedly, until its row changes or disappears", () => {
  const due = observeFrom(0, 40, (second) => (second < 23 ? { changes: 1, goes: 1 } : { changes: 2 }));
  expect(due.filter(([, id]) => id === "goes").map(([second]) => second)).toEqual([5, 10, 15, 20]);
  expect(due.filter(([, id]) => id === "changes").map(([second]) => second)).toEqual([5, 10, 15, 20, 28, 33, 38]);
});

test("only the first sweep of a death is marked as first", () => {
  const firsts: boolean[] = [];
  for (let second = 0; second <= 15; second++) firsts.push(...observeAt(second * SECOND, { other: 1 }).map(({ isFirst }) => isFirst));
  expect(firsts).toEqual([true, false, false]);
});

test("observation of a row that disappeared and came back starts anew", () => {
  expect(observeFrom(0, 12, (second) => (second === 4 ? {} : { other: 1 }))).toEqual([[10, "other"]]);
});

test("a process that appears later is observed from that time on", () => {
  expect(observeFrom(0, 20, (second) => (second < 9 ? {} : { late: 1 }))).toEqual([
    [14, "late"],
    [19, "late"],
  ]);
});

test("a heartbeat that comes too long after the previous one restarts all observations", () => {
  observeFrom(0, 4, () => ({ other: 1 }));
  expect(observeAt(6 * SECOND + 1, { other: 1 })).toEqual([]);
  observeFrom(7, 10, () => ({ other: 1 }));
  expect(observeAt(11 * SECOND, { other: 1 })).toEqual([]);
  expect(observeAt(11 * SECOND + 1, { other: 1 })).toHaveLength(1);
});

test("a gap of exactly maxGapMs is not a break", () => {
  observeFrom(0, 4, () => ({ other: 1 }));
  expect(observeAt(6 * SECOND, { other: 1 })).toHaveLength(1);
});

test("a failed heartbeat restarts all observations, also of processes already dead", () => {
  expect(observeFrom(0, 9, () => ({ other: 1 }))).toEqual([[5, "other"]]);
  observer.break();
  expect(observeFrom(10, 15, () => ({ other: 1 }))).toEqual([[15, "other"]]);
});

test("after a long freeze, an observer does not consider processes frozen with it dead", () => {
  observeFrom(0, 3, () => ({ other: 3 }));
  expect(observeFrom(3_600, 3_604, () => ({ other: 3 }))).toEqual([]);
  expect(observeFrom(3_605, 3_606, () => ({ other: 4 }))).toEqual([]);
});

test("an answer is as old as its query: the time runs from receiving the first to sending the last", () => {
  const rows = [{ id: "other", beat: "1" }];
  observer.observe(rows, { sentAt: 0, receivedAt: 1_500 });
  for (let second = 2; second <= 5; second++) observeAt(second * SECOND, { other: 1 });
  expect(observer.observe(rows, { sentAt: 6_499, receivedAt: 6_900 })).toEqual([]);
  expect(observer.observe(rows, { sentAt: 6_500, receivedAt: 8_000 })).toHaveLength(1);
});

test("a freeze between a query and its answer is a gap too", () => {
  const rows = [{ id: "other", beat: "1" }];
  observeFrom(0, 4, () => ({ other: 1 }));
  expect(observer.observe(rows, { sentAt: 5 * SECOND, receivedAt: 60 * SECOND })).toEqual([]);
  expect(observeFrom(61, 64, () => ({ other: 1 }))).toEqual([]);
});

test("the last sweep comes when the row is unchanged for removeAfterMs, and again while the row exists", () => {
  const last: number[] = [];
  for (let second = 0; second <= 611; second++)
    if (observeAt(second * SECOND, { other: 1 }).some(({ isLast }) => isLast)) last.push(second);
  expect(last).toEqual([600, 605, 610]);
});
