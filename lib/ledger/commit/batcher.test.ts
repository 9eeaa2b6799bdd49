import fc from "fast-check";
import { expect, test } from "vitest";
import { Batcher } from "./batcher";
import { createStepped, free, submitAll, watchIdle } from "./testing/stepped-batcher";

test("a single item is sent at once, in the same turn", () => {
  const { batcher, batches } = createStepped();
  batcher.submit(1).catch(() => undefined);
  expect(batches).toEqual([[1]]);
});

test("items that arrive during a batch go into the next one, in order, at most maxBatch at once", async () => {
  const { batcher, batches, end } = createStepped({ maxBatch: 3 });
  const submitted = submitAll(batcher, [1, 2, 3, 4, 5, 6, 7]);
  for (let round = 0; round < 3; round++) await end();
  expect(batches).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
  expect(await submitted).toEqual([10, 20, 30, 40, 50, 60, 70]);
});

test("when enough items wait, they are sent before the previous batch's results are handed out", async () => {
  const { batcher, batches, end } = createStepped({ minEagerBatch: 2 });
  const sentByThen = batcher.submit(1).then(() => batches.length);
  const submitted = submitAll(batcher, [2, 3]);
  await end();
  expect(await sentByThen).toBe(2);
  expect(batches).toEqual([[1], [2, 3]]);
  await end();
  expect(await submitted).toEqual([20, 30]);
});

test("with fewer waiting, results are handed out first: items submitted in the same turn are sent along", async () => {
  const { batcher, batches, end } = createStepped({ minEagerBatch: 2 });
  const followed = batcher.submit(1).then(async () => {
    await new Promise<void>((resolve) => process.nextTick(resolve));
    return batcher.submit(3);
  });
  const submitted = submitAll(batcher, [2]);
  await end();
  expect(batches).toEqual([[1], [2, 3]]);
  await end();
  expect(await followed).toBe(30);
  expect(await submitted).toEqual([20]);
});

test("items submitted because of the last results are sent, in that turn or later, and idle waits for them", async () => {
  const { batcher, batches, end } = createStepped({ minEagerBatch: 2 });
  const followed = batcher.submit(1).then(() => batcher.submit(2));
  await end();
  expect(batches).toEqual([[1], [2]]);
  let isIdle = false;
  const idle = batcher.idle().then(() => {
    isIdle = true;
  });
  await end();
  expect(await followed).toBe(20);
  await idle;
  expect(isIdle).toBe(true);
  const late = batcher.submit(3);
  expect(batches).toEqual([[1], [2], [3]]);
  await end();
  expect(await late).toBe(30);
});

test("one bad item fails no other: the batch is retried item by item", async () => {
  const { batcher, batches, end } = createStepped({ refuses: [3] });
  const submitted = submitAll(batcher, [1, 2, 3, 4]);
  for (let round = 0; round < 5; round++) await end();
  expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  expect(await submitted).toEqual([10, 20, "refused", 40]);
});

test("after a connection broke the outcomes are unknown, so nothing is sent again", async () => {
  const { batcher, batches, end } = createStepped({ broken: [3] });
  const submitted = submitAll(batcher, [1, 2, 3, 4]);
  for (let round = 0; round < 2; round++) await end();
  expect(batches).toEqual([[1], [2, 3, 4]]);
  expect(await submitted).toEqual([10, "broken", "broken", "broken"]);
});

test("a connection that breaks during the retry of single items fails only the current item", async () => {
  const { batcher, end } = createStepped({ refuses: [2], broken: [30] });
  const submitted = submitAll(batcher, [1, 2, 3, 4]);
  for (let round = 0; round < 5; round++) await end();
  expect(await submitted).toEqual([10, "refused", 30, 40]);
});

test("an item without a result fails, in a batch or alone", async () => {
  const batcher = new Batcher<number, number>({
    maxBatch: 9,
    minEagerBatch: 1,
    minParallelBatch: 9,
    ...free,
    mayRetrySingly: () => false,
    run: async () => [],
  });
  expect(await submitAll(batcher, [1, 2, 3])).toEqual([
    "a batch of 1 items had 0 results",
    "a batch of 2 items had 0 results",
    "a batch of 2 items had 0 results",
  ]);
  let calls = 0;
  const forgetful = new Batcher<number, number>({
    maxBatch: 9,
    minEagerBatch: 1,
    minParallelBatch: 9,
    ...free,
    mayRetrySingly: () => true,
    run: async (items) => {
      if (calls++ > 0 && items.length > 1) throw new Error("refused");
      return calls === 1 ? items.map(() => 0) : [];
    },
  });
  expect(await submitAll(forgetful, [1, 2, 3])).toEqual([0, "a batch of 1 items had 0 results", "a batch of 1 items had 0 results"]);
});

test("a runner that throws before its first await fails its batch, and the next one is sent", async () => {
  let calls = 0;
  const batcher = new Batcher<number, number>({
    maxBatch: 9,
    minEagerBatch: 1,
    minParallelBatch: 9,
    ...free,
    mayRetrySingly: () => false,
    run: (items) => {
      if (calls++ === 0) throw new Error("at once");
      return Promise.resolve([...items]);
    },
  });
  expect(await submitAll(batcher, [1])).toEqual(["at once"]);
  expect(await batcher.submit(2)).toBe(2);
});

test("idle waits for all items under way or waiting, and for nothing else", async () => {
  const { batcher, end } = createStepped();
  await batcher.idle();
  const submitted = submitAll(batcher, [1, 2]);
  const watch = watchIdle(batcher);
  await end();
  expect(watch.isIdle).toBe(false);
  await end();
  await watch.ended;
  expect(await submitted).toEqual([10, 20]);
});

test("every item gets its own result, once, at any timing of arrivals", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ item: fc.nat(), turns: fc.nat({ max: 3 }), bad: fc.boolean() }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 12 }),
      async (arrivals, maxBatch, minEagerBatch, minParallelBatch) => {
        const seen: number[] = [];
        let underWay = 0;
        const locked = new Set<number>();
        const batcher = new Batcher<{ place: number; bad: boolean }, number>({
          maxBatch,
          minEagerBatch,
          minParallelBatch,
          keyOf: ({ place }) => String(place % 7),
          hasRoom: () => true,
          mayRetrySingly: () => true,
          run: async (items) => {
            expect(items.length).toBeLessThanOrEqual(maxBatch);
            underWay += 1;
            expect(underWay).toBeLessThanOrEqual(2);
            const keys = new Set(items.map(({ place }) => place % 7));
            for (const key of keys) expect(locked).not.toContain(key);
            for (const key of keys) locked.add(key);
            for (let turn = 0; turn < items.length; turn++) await Promise.resolve();
            underWay -= 1;
            for (const key of keys) locked.delete(key);
            if (items.some(({ bad }) => bad)) throw new Error("refused");
            seen.push(...items.map(({ place }) => place));
            return items.map(({ place }) => place);
          },
        });
        const submitted: Promise<(number | string)[]>[] = [];
        for (const [place, { turns, bad }] of arrivals.entries()) {
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          submitted.push(submitAll(batcher, [{ place, bad }]));
        }
        expect((await Promise.all(submitted)).flat()).toEqual(arrivals.map(({ bad }, place) => (bad ? "refused" : place)));
        // Two parallel batches may end in either order, but items that share a key keep theirs; with fewer items there is one batch.
        const ordered =
          minParallelBatch > arrivals.length ? [seen] : [0, 1, 2, 3, 4, 5, 6].map((key) => seen.filter((place) => place % 7 === key));
        for (const places of ordered) expect(places).toEqual([...places].sort((one, other) => one - other));
        expect(new Set(seen).size).toBe(seen.length);
        await batcher.idle();
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});
