import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Fence } from "./fence";

let nowMs = 1_000_000;
beforeEach(() => {
  nowMs = 1_000_000;
  vi.spyOn(process.hrtime, "bigint").mockImplementation(() => BigInt(nowMs) * 1_000_000n);
});
afterEach(() => vi.restoreAllMocks());

/** The fence as two threads see it, with beats that are fresh for four seconds; the last one was sent a moment ago. */
function openFence() {
  const fence = new Fence();
  fence.setFreshForMs(4_000);
  const heart = new Fence(fence.memory);
  const beat = (sentMsAgo = 0) => heart.acknowledge(BigInt(nowMs - sentMsAgo) * 1_000_000n);
  beat();
  return { fence, beat, number: fence.number };
}

test("a process without a heartbeat may write: nobody can take it for dead", () => {
  const fence = new Fence();
  expect([fence.mayWrite(fence.number), fence.ageMs]).toEqual([true, Number.POSITIVE_INFINITY]);
});

test("a process may write until its last beat is four seconds old, counted from when it was sent", () => {
  const { fence, beat, number } = openFence();
  nowMs += 1_000;
  beat(500);
  nowMs += 3_499;
  expect(fence.mayWrite(number)).toBe(true);
  nowMs += 1;
  expect([fence.mayWrite(number), fence.isFresh(), fence.ageMs]).toEqual([false, false, 4_000]);
});

test("a beat in time changes nothing; after a late one nothing may be written under the old number", () => {
  const { fence, beat, number } = openFence();
  nowMs += 3_999;
  beat();
  expect(fence.mayWrite(number)).toBe(true);
  nowMs += 4_000;
  beat();
  expect([fence.isFresh(), fence.mayWrite(number), fence.mayWrite(fence.number)]).toEqual([true, false, true]);
});

test("a beat that was sent in time and committed late is late: it may have waited for those who freed the holds", () => {
  const { fence, beat, number } = openFence();
  nowMs += 4_500;
  beat(3_000);
  expect([fence.isFresh(), fence.mayWrite(number)]).toEqual([true, false]);
});

test("who waits for a beat goes on with the next, or when nobody waits any more", async () => {
  const { fence, beat } = openFence();
  nowMs += 10_000;
  let hasLeft = false;
  const waits = [fence.untilFresh(() => false), fence.untilFresh(() => hasLeft)];
  hasLeft = true;
  expect(await waits[1]).toBe(false);
  beat();
  expect(await waits[0]).toBe(true);
});

test("no number of a beat repeats, whichever thread counts", () => {
  const { fence } = openFence();
  const other = new Fence(fence.memory);
  expect([fence.nextBeat(), other.nextBeat(), fence.nextBeat()]).toEqual([1n, 2n, 3n]);
});
