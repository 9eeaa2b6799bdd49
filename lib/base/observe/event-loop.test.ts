import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { eventLoopDelayMs, watchEventLoop } from "./event-loop";
import { metrics } from "./metrics";

test("a blocked event loop shows once it turns again, and nobody is told of turns meanwhile", async () => {
  let turns = 0;
  const loop = watchEventLoop(() => {
    turns += 1;
  });
  onTestFinished(loop.stop);
  await expect.poll(() => turns).toBeGreaterThan(0);
  const before = turns;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  expect(turns).toBe(before);
  await expect.poll(eventLoopDelayMs).toBeGreaterThan(1_000);
  const text = await metrics().registry.getSingleMetricAsString("pennyprompt_event_loop_delay_seconds");
  const upToASecond = Number(/_bucket\{le="1"\} (\d+)/.exec(text)?.[1]);
  const all = Number(/_count (\d+)/.exec(text)?.[1]);
  expect(all).toBeGreaterThan(upToASecond);
  loop.stop();
  const after = turns;
  await sleep(600);
  expect(turns).toBe(after);
});
