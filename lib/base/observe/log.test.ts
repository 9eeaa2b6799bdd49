import { afterEach, expect, test, vi } from "vitest";
import { deferTelemetry, log } from "./log";

afterEach(() => vi.restoreAllMocks());

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test("deferred work runs in order, after the current code and before the next turn", async () => {
  const done: string[] = [];
  deferTelemetry(() => done.push("first"));
  deferTelemetry(() => done.push("second"));
  done.push("now");
  await tick();
  expect(done).toEqual(["now", "first", "second"]);
});

test("work deferred by deferred work runs too", async () => {
  const done: string[] = [];
  deferTelemetry(() => {
    done.push("outer");
    deferTelemetry(() => done.push("inner"));
  });
  await tick();
  expect(done).toEqual(["outer", "inner"]);
});

test("a failure of deferred work is logged and stops no other work, now or later", async () => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const done = vi.fn();
  deferTelemetry(() => {
    throw new Error("no");
  });
  deferTelemetry(done);
  await tick();
  expect(error).toHaveBeenCalledWith({ err: expect.objectContaining({ message: "no" }) }, "recording telemetry failed");
  deferTelemetry(done);
  await tick();
  expect(done).toHaveBeenCalledTimes(2);
});
