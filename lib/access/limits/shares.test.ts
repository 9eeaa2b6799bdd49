// Shares of places: nobody takes all, those who wait are served in turn, and a place that is given back is somebody's.

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type GiveBack, Shares } from "./shares";

const open = (more: Partial<ConstructorParameters<typeof Shares>[0]> = {}) =>
  new Shares({ places: 4, ofOne: 2, waitingOfOne: 3, waiting: 6, mostWaitMs: 1_000, ...more });

/** Takes a place and notes when it is given. */
function ask(shares: Shares, owner: string, given: string[], gone?: AbortSignal): Promise<GiveBack | null> {
  const asked = shares.take(owner, gone);
  void asked.then((giveBack) => given.push(giveBack ? owner : `${owner} refused`));
  return asked;
}

const settle = () => new Promise((done) => setImmediate(done));

test("an owner has at most its share, and others find room beside it", async () => {
  const shares = open();
  const given: string[] = [];
  for (let count = 0; count < 4; count++) void ask(shares, "greedy", given);
  await settle();
  expect(given).toEqual(["greedy", "greedy"]);
  await ask(shares, "modest", given);
  expect(given).toEqual(["greedy", "greedy", "modest"]);
});

test("those who wait get their places in turn, by owner and not by who came first", async () => {
  const shares = open({ places: 1, ofOne: 1 });
  const given: string[] = [];
  let giveBack = await shares.take("first");
  for (const owner of ["a", "a", "a", "b", "c"]) void ask(shares, owner, given).then((next) => (giveBack = next));
  for (let count = 0; count < 5; count++) {
    giveBack?.();
    await settle();
  }
  expect(given).toEqual(["a", "b", "c", "a", "a"]);
});

test("too many that wait, of one or in all, are refused at once; one that leaves makes room", async () => {
  const shares = open();
  const given: string[] = [];
  const leaving = new AbortController();
  for (let count = 0; count < 4; count++) void ask(shares, "a", given);
  void ask(shares, "a", given, leaving.signal);
  void ask(shares, "a", given);
  await settle();
  expect(given).toEqual(["a", "a", "a refused"]);
  leaving.abort();
  await settle();
  expect(given).toEqual(["a", "a", "a refused", "a refused"]);
  for (const owner of ["b", "b", "b", "b", "b", "c", "c"]) void ask(shares, owner, given);
  await settle();
  // Two of b have places and three wait, with two of a; c waits, and then there are six.
  expect(given.slice(4)).toEqual(["b", "b", "c refused"]);
});

test("one that waits too long is refused, and its place goes to nobody", async () => {
  vi.useFakeTimers();
  try {
    const shares = open({ places: 1, ofOne: 1 });
    const giveBack = await shares.take("a");
    const late = shares.take("b");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBeNull();
    giveBack?.();
    expect(shares.taken).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("however owners come and go, no limit is broken, no place is lost, and nobody who has room waits", async () => {
  const step = fc.record({ owner: fc.constantFrom("a", "b", "c", "d"), gives: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const shares = open({ waitingOfOne: 100, waiting: 100 });
      const held: [owner: string, giveBack: GiveBack][] = [];
      const all: Promise<unknown>[] = [];
      let asked = 0;
      for (const { owner, gives } of steps) {
        if (gives) held.shift()?.[1]();
        else {
          asked += 1;
          all.push(shares.take(owner).then((giveBack) => giveBack && held.push([owner, giveBack])));
        }
        await settle();
        for (const one of ["a", "b", "c", "d"]) expect(held.filter(([holder]) => holder === one).length).toBeLessThanOrEqual(2);
        expect(held.length).toBe(shares.taken);
        expect(shares.taken).toBeLessThanOrEqual(4);
      }
      let given = 0;
      for (let next = held.shift(); next; next = held.shift()) {
        given += 1;
        next[1]();
        await settle();
      }
      await Promise.all(all);
      expect(shares.taken).toBe(0);
      expect(given).toBeLessThanOrEqual(asked);
    }),
    { numRuns: 60 },
  );
});
