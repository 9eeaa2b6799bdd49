import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { BusyPoll, countRequest, uncountRequest } from "./busy-poll";

/** With a single processor nothing is waited for awake. */
const testAwake = test.skipIf(cpus().length === 1);

let underWay = 0;
afterEach(() => {
  for (; underWay > 0; underWay -= 1) uncountRequest();
});

function beginRequests(count: number): void {
  for (let i = 0; i < count; i++) countRequest();
  underWay += count;
}

/** A wait whose answer is there at once, so that the next is expected to be short. */
function learnShort(): BusyPoll {
  const wait = new BusyPoll();
  wait.begin()();
  return wait;
}

testAwake("an answer that came fast the last time is waited for awake, but not for long", async () => {
  beginRequests(1);
  await expectAwake(learnShort);
  learnShort().begin();
  await sleep(20);
  expect(immediates()).toBe(0);
});

test("the first is slept through, and so is the next of one that took long", async () => {
  beginRequests(1);
  expect(await turnsDuring(new BusyPoll())).toBe(0);
  const wait = new BusyPoll();
  const end = wait.begin();
  await sleep(20);
  end();
  expect(await turnsDuring(wait)).toBe(0);
});

testAwake("after one that stayed awake in vain, sixteen are slept through", async () => {
  beginRequests(1);
  const wait = learnShort();
  const end = wait.begin();
  await sleep(20);
  end();
  for (let i = 0; i < 16; i++) expect(await turnsDuring(wait)).toBe(0);
  await expectAwake(() => wait);
});

testAwake("beside another request nothing is waited for awake", async () => {
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

/** Whoever gets no turn for 2 ms does not stay awake: that may happen once on a busy machine, not for ever. */
const expectAwake = (makeWait: () => BusyPoll) => expect.poll(() => turnsDuring(makeWait())).toBeGreaterThan(0);

const immediates = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Immediate").length;

/** How many turns of the event loop the wait itself has asked for, as of now. */
async function turnsDuring(wait: BusyPoll): Promise<number> {
  const end = wait.begin();
  // The wait's turn comes before ours and asks for the next one.
  await new Promise((turn) => setImmediate(turn));
  const asked = immediates();
  end();
  await new Promise((turn) => setImmediate(turn));
  return asked;
}
