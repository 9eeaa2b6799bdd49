import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { countRequest, ShortWait, uncountRequest } from "./awake";

let underWay = 0;
afterEach(() => {
  for (; underWay > 0; underWay -= 1) uncountRequest();
});

function beginRequests(count: number): void {
  for (let i = 0; i < count; i++) countRequest();
  underWay += count;
}

/** A wait whose answer is there at once, so that the next is expected to be short. */
function learnShort(): ShortWait {
  const wait = new ShortWait();
  wait.begin()();
  return wait;
}

test("an answer that came fast the last time is waited for awake, but not for long", async () => {
  beginRequests(1);
  expect(await turnsDuring(learnShort())).toBeGreaterThan(0);
  learnShort().begin();
  await sleep(20);
  expect(immediates()).toBe(0);
});

test("the first is slept through, and so is the next of one that took long", async () => {
  beginRequests(1);
  const wait = new ShortWait();
  expect(await turnsDuring(wait)).toBe(0);
  const end = wait.begin();
  await sleep(20);
  end();
  expect(await turnsDuring(wait)).toBe(0);
});

test("beside another request nothing is waited for awake", async () => {
  beginRequests(2);
  expect(await turnsDuring(learnShort())).toBe(0);
  uncountRequest();
  underWay -= 1;
  expect(await turnsDuring(learnShort())).toBeGreaterThan(0);
});

test("an answer ends the wait", async () => {
  beginRequests(1);
  const wait = learnShort();
  wait.begin()();
  expect(immediates()).toBeLessThanOrEqual(1);
  await new Promise((turn) => setImmediate(turn));
  expect(immediates()).toBe(0);
});

const immediates = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Immediate").length;

/** How many turns of the event loop the wait itself has asked for, as of now. */
async function turnsDuring(wait: ShortWait): Promise<number> {
  const end = wait.begin();
  // The wait's turn comes before ours and asks for the next one.
  await new Promise((turn) => setImmediate(turn));
  const asked = immediates();
  end();
  await new Promise((turn) => setImmediate(turn));
  return asked;
}
