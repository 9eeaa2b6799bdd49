import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { BusyPoll, countRequest, uncountRequest } from "./busy-poll";

/** With a single CPU, no wait is polled. */
const testAwake = test.skipIf(cpus().length === 1);

let underWay = 0;
afterEach(() => {
  for (; underWay > 0; underWay -= 1) uncountRequest();
});

function beginRequests(count: number): void {
  for (let i = 0; i < count; i++) countRequest();
  underWay += count;
}

/** A wait whose first answer came at once, so that it expects the next to be short. */
function learnShort(): BusyPoll {
  const wait = new BusyPoll();
  wait.begin()();
  return wait;
}

testAwake("after a short wait the next one is polled, but not for long", async () => {
  beginRequests(1);
  await expectAwake(learnShort);
  learnShort().begin();
  // A process that got no turn for so long has its last one still before it.
  await expect.poll(immediates).toBe(0);
});

test("the first wait sleeps, and so does the wait after a long one", async () => {
  beginRequests(1);
  expect(await turnsDuring(new BusyPoll())).toBe(0);
  const wait = new BusyPoll();
  const end = wait.begin();
  await sleep(20);
  end();
  expect(await turnsDuring(wait)).toBe(0);
});

testAwake("after a poll in vain, sixteen waits sleep", async () => {
  beginRequests(1);
  const wait = learnShort();
  const end = wait.begin();
  await sleep(20);
  end();
  for (let i = 0; i < 16; i++) expect(await turnsDuring(wait)).toBe(0);
  await expectAwake(() => wait);
});

testAwake("no wait is polled while another request is under way", async () => {
  beginRequests(2);
  expect(await turnsDuring(learnShort())).toBe(0);
  uncountRequest();
  underWay -= 1;
  await expectAwake(learnShort);
});

test("an answer ends the wait", async () => {
  beginRequests(1);
  const wait = learnShort();
  wait.begin()();
  expect(immediates()).toBeLessThanOrEqual(1);
  await new Promise((turn) => setImmediate(turn));
  expect(immediates()).toBe(0);
});

/** A process that gets no turn for 2 ms stops polling: that may happen once on a busy machine, not forever. */
const expectAwake = (makeWait: () => BusyPoll) => expect.poll(() => turnsDuring(makeWait())).toBeGreaterThan(0);

const immediates = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Immediate").length;

/** Number of turns of the event loop that the wait has requested so far. */
async function turnsDuring(wait: BusyPoll): Promise<number> {
  const end = wait.begin();
  // The wait's turn comes before ours and requests the next one.
  await new Promise((turn) => setImmediate(turn));
  const requested = immediates();
  end();
  await new Promise((turn) => setImmediate(turn));
  return requested;
}
