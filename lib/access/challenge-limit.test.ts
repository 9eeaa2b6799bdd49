import { beforeEach, expect, onTestFinished, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { forgetOnce } from "@/lib/base/once";
import { countChallenge } from "./challenge-limit";

beforeEach(() => forgetOnce("limits.limiter"));

test("all clients together get three thousand challenges a minute, however many they are", async () => {
  let ms = Date.UTC(2030, 0, 1);
  onTestFinished(setClock(() => ms));
  const ask = async (count: number) => {
    let granted = 0;
    for (let client = 0; client < count; client++) {
      if ((await countChallenge(`10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`)) === null) granted++;
    }
    return granted;
  };
  expect(await ask(3_200)).toBe(3_000);
  expect(await countChallenge("192.0.2.1")).toEqual({ retryAfterMs: 20 });
  ms += 1_000;
  expect(await ask(100)).toBe(50);
});
