import fc from "fast-check";
import { expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { type Entry, type Granted, MemoryLimiter } from "./memory-limiter";

const MINUTE_MS = 60_000;
const standard = { ratePerMinute: 100, concurrency: 10 };
const anyLimits = fc.record({ ratePerMinute: fc.integer({ min: 1, max: 300 }), concurrency: fc.integer({ min: 1, max: 5 }) });

function limiterAt(startMs = 1_700_000_000_000, maxSubjects?: number) {
  const time = { ms: startMs };
  return { time, limiter: new MemoryLimiter({ nowMs: () => time.ms, maxSubjects }) };
}

function grantedEntry(entry: Entry): Granted {
  if (!entry.granted) throw new Error(`refused by ${entry.limit}`);
  return entry;
}

test("no 60 seconds see more than twice the rate, whatever the schedule", () => {
  const schedule = fc.array(
    fc.record({
      waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000 }), fc.constant(MINUTE_MS)),
      asks: fc.integer({ min: 1, max: 150 }),
    }),
    { maxLength: 120 },
  );
  fc.assert(
    fc.property(anyLimits, schedule, (limits, steps) => {
      const { time, limiter } = limiterAt();
      const grants: number[] = [];
      for (const { waitMs, asks } of steps) {
        time.ms += waitMs;
        for (let ask = 0; ask < asks; ask++) {
          const entry = limiter.enter("account", limits);
          if (!entry.granted) continue;
          grants.push(time.ms);
          entry.leave();
        }
      }
      let first = 0;
      grants.forEach((at, index) => {
        while ((grants[first] ?? at) < at - MINUTE_MS) first++;
        expect(index - first + 1).toBeLessThanOrEqual(2 * limits.ratePerMinute);
      });
    }),
  );
});

test("a client that always waits for retryAfterMs gets the burst and then exactly the rate", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 200_000 }), (ratePerMinute, forMs) => {
      const { time, limiter } = limiterAt(0);
      let grants = 0;
      while (time.ms <= forMs) {
        const entry = limiter.enter("account", { ratePerMinute, concurrency: 1 });
        if (entry.granted) {
          grants++;
          entry.leave();
        } else {
          expect(entry.limit).toBe("rate");
          time.ms += entry.retryAfterMs;
        }
      }
      expect(grants).toBe(ratePerMinute + Math.floor((ratePerMinute * forMs) / MINUTE_MS));
    }),
  );
});

test("slots never exceed the limit, never go below zero, and all come back, however often leave is called", () => {
  const steps = fc.array(fc.oneof(fc.constant("enter" as const), fc.nat(30)), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (concurrency, ops) => {
      const { limiter } = limiterAt();
      const limits = { ratePerMinute: 100_000, concurrency };
      const all: Granted[] = [];
      const inFlight = new Set<Granted>();
      for (const op of ops) {
        if (op === "enter") {
          const entry = limiter.enter("account", limits);
          expect(entry.granted).toBe(inFlight.size < concurrency);
          if (entry.granted) {
            all.push(entry);
            inFlight.add(entry);
          }
          expect(entry.state.freeSlots).toBe(concurrency - inFlight.size);
        } else {
          const entry = all[op];
          entry?.leave();
          if (entry) inFlight.delete(entry);
        }
      }
      for (const entry of all) entry.leave();
      expect(grantedEntry(limiter.enter("account", limits)).state.freeSlots).toBe(concurrency - 1);
    }),
  );
});

test("100 requests may start at once, the 101st learns how long to wait, and a minute later 100 more may start", () => {
  const { time, limiter } = limiterAt();
  const start = (count: number) => Array.from({ length: count }, () => limiter.enter("account", { ...standard, concurrency: 1_000 }));
  expect(start(100).every((entry) => entry.granted)).toBe(true);
  expect(start(1)[0]).toMatchObject({
    granted: false,
    limit: "rate",
    retryAfterMs: 600,
    state: { remaining: 0, resetAtMs: time.ms + 600 },
  });
  time.ms += MINUTE_MS;
  expect(start(101).filter((entry) => entry.granted).length).toBe(100);
});

test("a request refused for concurrency spends no request, and one refused for the rate holds no slot", () => {
  const { time, limiter } = limiterAt();
  const limits = { ratePerMinute: 3, concurrency: 2 };
  const first = grantedEntry(limiter.enter("account", limits));
  const second = grantedEntry(limiter.enter("account", limits));
  for (let ask = 0; ask < 5; ask++) {
    expect(limiter.enter("account", limits)).toMatchObject({ granted: false, limit: "concurrency", state: { remaining: 1, freeSlots: 0 } });
  }
  first.leave();
  second.leave();
  grantedEntry(limiter.enter("account", limits)).leave();
  for (let ask = 0; ask < 5; ask++) {
    expect(limiter.enter("account", limits)).toMatchObject({ granted: false, limit: "rate", state: { remaining: 0, freeSlots: 2 } });
  }
  time.ms += 20_000;
  expect(limiter.enter("account", limits)).toMatchObject({ granted: true, state: { remaining: 0, freeSlots: 1 } });
});

test("accounts do not share their limits, and an override takes effect with the next request", () => {
  const { limiter } = limiterAt();
  const low = { ratePerMinute: 1, concurrency: 1 };
  grantedEntry(limiter.enter("a", low));
  expect(limiter.enter("a", low).granted).toBe(false);
  expect(limiter.enter("b", low).granted).toBe(true);
  expect(limiter.enter("a", { ratePerMinute: 1, concurrency: 3 })).toMatchObject({ granted: false, limit: "rate" });
});

test("every refusal is counted once, under the limit that refused", async () => {
  const counts = async () => Object.fromEntries((await metrics().limited.get()).values.map(({ labels, value }) => [labels.limit, value]));
  const { limiter } = limiterAt();
  const before = await counts();
  grantedEntry(limiter.enter("a", { ratePerMinute: 2, concurrency: 1 }));
  limiter.enter("a", { ratePerMinute: 2, concurrency: 1 });
  limiter.enter("a", { ratePerMinute: 1, concurrency: 2 });
  limiter.enter("b", { ratePerMinute: 1, concurrency: 1 });
  limiter.enter("b", { ratePerMinute: 1, concurrency: 1 });
  const after = await counts();
  expect((after.concurrency ?? 0) - (before.concurrency ?? 0)).toBe(1);
  expect((after.rate ?? 0) - (before.rate ?? 0)).toBe(1);
});

test("a clock that is set back grants nothing extra and locks nobody out", () => {
  const { time, limiter } = limiterAt();
  const limits = { ratePerMinute: 2, concurrency: 10 };
  limiter.enter("account", limits);
  limiter.enter("account", limits);
  time.ms -= 3_600_000;
  expect(limiter.enter("account", limits)).toMatchObject({ granted: false, retryAfterMs: 30_000 });
  time.ms += 30_000;
  expect(limiter.enter("account", limits).granted).toBe(true);
});

test("a flood of distinct subjects never outgrows the table, and forgets no request in flight", () => {
  const { limiter } = limiterAt(0, 1_000);
  const limits = { ratePerMinute: 100, concurrency: 1 };
  const busy = Array.from({ length: 50 }, (_, number) => grantedEntry(limiter.enter(`busy-${number}`, limits)));
  for (let number = 0; number < 20_000; number++) {
    grantedEntry(limiter.enter(`flood-${number}`, limits)).leave();
    expect(limiter.subjects).toBeLessThanOrEqual(1_000);
  }
  for (let number = 0; number < busy.length; number++)
    expect(limiter.enter(`busy-${number}`, limits)).toMatchObject({ limit: "concurrency" });
  for (const entry of busy) entry.leave();
});

test("subjects idle for a minute are dropped while others are served", () => {
  const { time, limiter } = limiterAt();
  for (let number = 0; number < 500; number++) grantedEntry(limiter.enter(`idle-${number}`, standard)).leave();
  const held = grantedEntry(limiter.enter("held", standard));
  time.ms += MINUTE_MS;
  for (let ask = 0; ask < 500; ask++) {
    time.ms += 1_000;
    grantedEntry(limiter.enter("active", standard)).leave();
  }
  expect(limiter.subjects).toBe(2);
  held.leave();
});
