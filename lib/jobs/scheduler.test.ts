import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { type Job, type Schedule, startJobs } from "./scheduler";

afterEach(() => void vi.restoreAllMocks());

const start = (...jobs: Job[]): Schedule => {
  const schedule = startJobs(jobs);
  onTestFinished(() => schedule.stop());
  return schedule;
};

/** A clock for the scheduler that tests advance by hand. */
function setElapsed(): { add: (ms: number) => void } {
  let ms = 1_000_000;
  vi.spyOn(performance, "now").mockImplementation(() => ms);
  return {
    add: (more) => {
      ms += more;
    },
  };
}

const never = () => new Promise<never>(() => undefined);

test("a job runs immediately, and again after its pause", async () => {
  const run = vi.fn(async () => undefined);
  start({ name: "count", pauseMs: 1, run });
  expect(run).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(run.mock.calls.length).toBeGreaterThan(3), { timeout: 30_000 });
});

test("a failed run is counted, and the job runs again", async () => {
  let runs = 0;
  const run = async () => {
    runs++;
    if (runs < 3) throw new Error("not yet");
  };
  const schedule = start({ name: "falls-twice", pauseMs: 1, run });
  await vi.waitFor(() => expect(runs).toBeGreaterThan(3), { timeout: 30_000 });
  expect(schedule.isWell()).toBe(true);
  const { values } = await metrics().jobSeconds.get();
  const failures = values.find(
    ({ metricName, labels }) => metricName?.endsWith("_count") && labels.job === "falls-twice" && labels.outcome === "failed",
  );
  expect(failures?.value).toBe(2);
});

test("a job never runs twice concurrently, and a hanging job does not delay others", async () => {
  const hangs = vi.fn(never);
  const other = vi.fn(async () => undefined);
  const schedule = startJobs([
    { name: "hangs", pauseMs: 1, run: hangs },
    { name: "other", pauseMs: 1, run: other },
  ]);
  await vi.waitFor(() => expect(other.mock.calls.length).toBeGreaterThan(5), { timeout: 30_000 });
  expect(hangs).toHaveBeenCalledTimes(1);
  void schedule.stop(); // not awaited: it would wait for the hanging job; the other ends
});

test("stopping ends a long pause and waits for the current run", async () => {
  let finish = () => {};
  const ended = vi.fn();
  const pausing = startJobs([{ name: "pauses", pauseMs: 3_600_000, run: async () => undefined }]);
  const running = startJobs([
    {
      name: "runs",
      pauseMs: 3_600_000,
      run: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    },
  ]);
  await pausing.stop();
  const stopped = running.stop().then(ended);
  await new Promise(setImmediate);
  expect(ended).not.toHaveBeenCalled();
  finish();
  await stopped;
});

test("more jobs than Node's listener leak threshold start without a warning", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  start(...Array.from({ length: 30 }, (_, index) => ({ name: `job ${index}`, pauseMs: 3_600_000, run: async () => undefined })));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

test("stopping aborts the current run and then ends the job, even if its end fails", async () => {
  const order: string[] = [];
  const run = (stopping: AbortSignal) =>
    new Promise<void>((resolve) => {
      stopping.addEventListener("abort", () => {
        order.push("told");
        resolve();
      });
    });
  const end = async () => {
    order.push("ended");
    throw new Error("the database is gone");
  };
  const warn = vi.spyOn(log(), "warn").mockImplementation(() => undefined);
  await startJobs([{ name: "watches", pauseMs: 1, run, end }]).stop();
  expect(order).toEqual(["told", "ended"]);
  expect(warn).toHaveBeenCalledTimes(1);
});

test("a job that fails for longer than two minutes makes the process unhealthy until its next success", async () => {
  const time = setElapsed();
  let broken = true;
  let runs = 0;
  const run = async () => {
    runs++;
    if (broken) throw new Error("the database is gone");
  };
  const schedule = start({ name: "broken", pauseMs: 5, run });
  time.add(119_000);
  await vi.waitFor(() => expect(runs).toBeGreaterThan(2), { timeout: 30_000 });
  expect(schedule.isWell()).toBe(true);
  time.add(2_000);
  expect(schedule.isWell()).toBe(false);
  broken = false;
  await vi.waitFor(() => expect(schedule.isWell()).toBe(true), { timeout: 30_000 });
});

test("a run that hangs makes the process unhealthy after its maximum run time", () => {
  const time = setElapsed();
  const schedule = startJobs([
    { name: "hangs", pauseMs: 1_000, run: never },
    { name: "long", pauseMs: 1_000, mostRunMs: 1_800_000, run: never },
  ]);
  time.add(119_000);
  expect(schedule.isWell()).toBe(true);
  time.add(2_000);
  expect(schedule.isWell()).toBe(false);
  const patient = startJobs([{ name: "long", pauseMs: 1_000, mostRunMs: 1_800_000, run: never }]);
  time.add(1_700_000);
  expect(patient.isWell()).toBe(true);
});

test("a job that rests long after a long run stays healthy while it rests", async () => {
  const time = setElapsed();
  // A run of 20 s rests for 1,000 s: the check of a big ledger.
  const run = vi.fn(async () => time.add(20_000));
  const schedule = start({ name: "thorough", pauseMs: 60_000, restFactor: 50, run });
  await new Promise(setImmediate);
  time.add(999_000);
  expect(schedule.isWell()).toBe(true);
  time.add(122_000);
  expect(schedule.isWell()).toBe(false);
  expect(run).toHaveBeenCalledTimes(1);
});
