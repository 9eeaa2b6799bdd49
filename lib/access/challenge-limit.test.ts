import { beforeEach, expect, onTestFinished, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { countAttempt, countChallenge } from "./challenge-limit";

beforeEach(() => {
  forgetSingleton("limits.limiter");
  onTestFinished(setClock(() => Date.UTC(2030, 0, 1)));
});

async function countGranted(count: typeof countChallenge, client: string, times: number): Promise<number> {
  let granted = 0;
  for (let call = 0; call < times; call++) if ((await count(client)) === null) granted++;
  return granted;
}

test("two hundred networks at their limit do not keep another client out", async () => {
  for (let network = 0; network < 200; network++) {
    expect(await countGranted(countChallenge, `2001:db8:${network.toString(16)}::1`, 31)).toBe(30);
  }
  expect(await countChallenge("192.0.2.1")).toBeNull();
});

test("a site's 65,536 networks have ten times as much as one network, together", async () => {
  let granted = 0;
  for (let network = 0; network < 100; network++)
    granted += await countGranted(countChallenge, `2001:db8:0:${network.toString(16)}::1`, 30);
  expect(granted).toBe(300);
  expect(await countChallenge("2001:db8:1::1")).toBeNull();
});

test("a client may try to sign in sixty times a minute at most, separately from its challenges", async () => {
  expect(await countGranted(countAttempt, "192.0.2.1", 70)).toBe(60);
  expect(await countAttempt("192.0.2.1")).toEqual({ retryAfterMs: 1_000 });
  expect(await countChallenge("192.0.2.1")).toBeNull();
  expect(await countAttempt("192.0.2.2")).toBeNull();
});
