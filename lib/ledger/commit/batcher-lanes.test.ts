import { expect, test } from "vitest";
import { createStepped, submitAll, watchIdle } from "./testing/stepped-batcher";

test("with many items waiting, a second batch runs in parallel, but never a third", async () => {
  const { batcher, batches, end } = createStepped({ minParallelBatch: 2 });
  const submitted = submitAll(batcher, [1, 2, 3, 4, 5]);
  expect(batches).toEqual([[1], [2, 3]]);
  await end(1);
  expect(batches).toEqual([[1], [2, 3], [4, 5]]);
  await end(1);
  const late = submitAll(batcher, [6]);
  expect(batches).toHaveLength(3);
  await end();
  expect(batches).toEqual([[1], [2, 3], [4, 5], [6]]);
  await end();
  expect(await submitted).toEqual([10, 20, 30, 40, 50]);
  expect(await late).toEqual([60]);
  await batcher.idle();
});

test("beside a large batch, waiting items accumulate until they are nearly as many", async () => {
  const { batcher, batches, end } = createStepped({ minParallelBatch: 2 });
  const first = submitAll(batcher, [1, 2, 3]);
  const large = submitAll(batcher, [4, 5, 6, 7, 8, 9, 10, 11, 12]);
  await end(1);
  await end();
  expect(batches).toEqual([[1], [2, 3], [4, 5, 6, 7, 8, 9, 10, 11, 12]]);
  const next = submitAll(batcher, [13, 14, 15, 16, 17, 18]);
  expect(batches).toHaveLength(3);
  const last = submitAll(batcher, [19]);
  expect(batches.at(-1)).toEqual([13, 14, 15, 16, 17, 18, 19]);
  const watch = watchIdle(batcher);
  await end();
  expect(watch.isIdle).toBe(false);
  await end();
  await watch.ended;
  expect((await Promise.all([first, large, next, last])).flat()).toEqual(Array.from({ length: 19 }, (_, place) => (place + 1) * 10));
});

test("items that share a key with the batch under way wait for it, in order; the others run in parallel", async () => {
  const { batcher, batches, end } = createStepped({ minParallelBatch: 2, keyOf: (item) => String(item % 10) });
  const submitted = submitAll(batcher, [1, 11, 2, 21, 12, 3]);
  expect(batches).toEqual([[1], [2, 12]]);
  await end(1);
  // Only the last item could run beside the first, and one is too few.
  expect(batches).toHaveLength(2);
  await end();
  expect(batches).toEqual([[1], [2, 12], [11, 21, 3]]);
  await end();
  expect(await submitted).toEqual([10, 110, 20, 210, 120, 30]);
});

test("without an idle connection no second batch is sent, however many wait", async () => {
  let hasRoom = false;
  const { batcher, batches, end } = createStepped({ minParallelBatch: 2, hasRoom: () => hasRoom });
  const submitted = submitAll(batcher, [1, 2, 3]);
  expect(batches).toEqual([[1]]);
  hasRoom = true;
  const late = submitAll(batcher, [4]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
  await end();
  await end();
  expect((await Promise.all([submitted, late])).flat()).toEqual([10, 20, 30, 40]);
});

test("a lane that ended its batch does not continue with too few items for a parallel batch", async () => {
  for (const minEagerBatch of [1, 9]) {
    const { batcher, batches, end } = createStepped({ minParallelBatch: 3, minEagerBatch });
    const submitted = submitAll(batcher, [1, 2, 3, 4, 5]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
    await end(1);
    expect(batches).toHaveLength(2);
    await end();
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
    await end();
    expect(await submitted).toEqual([10, 20, 30, 40, 50]);
  }
});

test("idle waits for a parallel batch that was sent after the call", async () => {
  const { batcher, end } = createStepped({ minParallelBatch: 2 });
  const first = submitAll(batcher, [1]);
  const watch = watchIdle(batcher);
  const second = submitAll(batcher, [2, 3]);
  await end();
  expect(watch.isIdle).toBe(false);
  await end();
  await watch.ended;
  expect((await Promise.all([first, second])).flat()).toEqual([10, 20, 30]);
});
