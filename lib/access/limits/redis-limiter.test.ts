import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import type { Limits } from "./bucket";
import { type Entry, type Granted, type Limiter, MemoryLimiter } from "./memory-limiter";
import { RedisLimiter } from "./redis-limiter";
import { RedisLink } from "./redis-link";
import { slotsKey } from "./redis-scripts";
import { hasRedis, RedisServer, redisRequired } from "./testing/redis-server";

/** Long enough that neither a lease ends nor a slow machine looks like an outage during a test. */
const AMPLE_MS = 1_000_000_000;
const PATIENT_MS = 30_000;
const generous: Limits = { ratePerMinute: 1_000, concurrency: 1_000 };

if (redisRequired) {
  test("redis-server is installed where the tests require it", () => {
    expect(hasRedis, "install redis-server: these tests must not be skipped here").toBe(true);
  });
}

describe.skipIf(!hasRedis)(`limits shared through Redis${hasRedis ? "" : " (skipped: redis-server is not on the PATH)"}`, () => {
  let server: RedisServer;
  let direct: Redis;
  let ends: (() => unknown)[] = [];
  let subjects = 0;
  const newSubject = () => `acc_${++subjects}`;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(() => {
    direct = new Redis(server.url, { retryStrategy: () => 50 });
    direct.on("error", () => {});
  });
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    ends = [];
    direct.disconnect();
  });
  afterAll(() => server?.remove());

  async function connect(options: { nowMs?: () => number; leaseMs?: number; commandTimeoutMs?: number } = {}) {
    const link = new RedisLink(server.url, options.commandTimeoutMs ?? PATIENT_MS);
    const limiter = new RedisLimiter(link, { nowMs: options.nowMs, leaseMs: options.leaseMs ?? AMPLE_MS });
    ends.push(() => limiter.close());
    await expect.poll(() => link.reachable, { timeout: PATIENT_MS }).toBe(true);
    return { link, limiter, settled: () => link.ask((client) => client.ping()) };
  }

  async function granted(entry: Entry | Promise<Entry>): Promise<Granted> {
    const answer = await entry;
    if (!answer.granted) throw new Error(`refused by ${answer.limit}`);
    return answer;
  }

  async function grantsOf(limiter: Limiter, subject: string, limits: Limits, asks: number): Promise<Granted[]> {
    const entries = await Promise.all(Array.from({ length: asks }, () => limiter.enter(subject, limits)));
    return entries.filter((entry) => entry.granted);
  }

  const enter = fc.record({ kind: fc.constant("enter" as const), at: fc.nat(1), account: fc.nat(1) });
  const leave = fc.record({ kind: fc.constant("leave" as const), index: fc.nat(40) });
  const pause = fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constant(60_000));
  const wait = fc.record({ kind: fc.constant("wait" as const), ms: pause });
  const steps = fc.array(fc.oneof({ weight: 5, arbitrary: enter }, { weight: 2, arbitrary: leave }, { weight: 1, arbitrary: wait }), {
    maxLength: 80,
    size: "max",
  });
  const anyLimits = fc.record({ ratePerMinute: fc.integer({ min: 1, max: 12 }), concurrency: fc.integer({ min: 1, max: 4 }) });

  test.each([1, 2])("%i process(es) on Redis decide a random schedule as one process in memory does", async (processes) => {
    const time = { ms: 1_700_000_000_000 };
    const nowMs = () => time.ms;
    const shared = await Promise.all(Array.from({ length: processes }, () => connect({ nowMs })));
    let refusedByRedis = 0;
    await fc.assert(
      fc.asyncProperty(anyLimits, steps, async (limits, ops) => {
        const memory = new MemoryLimiter({ nowMs });
        const accounts = [newSubject(), newSubject()];
        const held: { leave: () => Promise<void> }[] = [];
        for (const op of ops) {
          if (op.kind === "wait") time.ms += op.ms;
          if (op.kind === "leave") await held[op.index]?.leave();
          const at = op.kind === "enter" ? shared[op.at % processes] : undefined;
          if (op.kind !== "enter" || !at) continue;
          const subject = accounts[op.account] ?? "";
          const answer = at.limiter.enter(subject, limits);
          if (answer instanceof Promise && !(await answer).granted) refusedByRedis++;
          const [actual, expected] = [await answer, memory.enter(subject, limits)];
          expect(actual.granted).toBe(expected.granted);
          // A process that refuses on its own knows only its own part; Redis knows everything.
          if (actual.granted || processes === 1) expect({ ...actual, leave: 0 }).toEqual({ ...expected, leave: 0 });
          if (!actual.granted || !expected.granted) continue;
          held.push({
            leave: async () => {
              actual.leave();
              expected.leave();
              await at.settled();
            },
          });
        }
        for (const entry of held) await entry.leave();
        expect(shared.every(({ link }) => link.reachable)).toBe(true);
      }),
      { numRuns: 60 },
    );
    if (processes > 1) expect(refusedByRedis).toBeGreaterThan(0);
  });

  test("two concurrent processes share one burst and one set of slots", async () => {
    const frozen = { nowMs: () => 1_700_000_000_000 };
    const [one, two] = await Promise.all([connect(frozen), connect(frozen)]);
    const [rate, slots] = [newSubject(), newSubject()];
    const spent = await Promise.all(
      [one, two].map(({ limiter }) => grantsOf(limiter, rate, { ratePerMinute: 50, concurrency: 1_000 }, 40)),
    );
    expect(spent.flat().length).toBe(50);
    const held = await Promise.all(
      [one, two].map(({ limiter }) => grantsOf(limiter, slots, { ratePerMinute: 1_000, concurrency: 10 }, 30)),
    );
    expect(held.flat().length).toBe(10);
    for (const entry of held.flat()) entry.leave();
    await Promise.all([one.settled(), two.settled()]);
    expect(await direct.zcard(slotsKey(slots))).toBe(0);
  });

  test("a request that Redis refuses spends nothing in its process", async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    const subject = newSubject();
    const limits = { ratePerMinute: 5, concurrency: 1 };
    const entry = await granted(one.limiter.enter(subject, limits));
    for (let ask = 0; ask < 10; ask++)
      expect(await two.limiter.enter(subject, limits)).toMatchObject({ granted: false, limit: "concurrency" });
    entry.leave();
    await one.settled();
    expect((await grantsOf(two.limiter, subject, { ...limits, concurrency: 10 }, 10)).length).toBe(4);
  });

  test("a server clock that is set back, as after a failover, grants nothing extra and locks nobody out", async () => {
    const time = { ms: 1_700_000_000_000 };
    const [one, two] = await Promise.all([connect({ nowMs: () => time.ms }), connect({ nowMs: () => time.ms })]);
    const subject = newSubject();
    const limits = { ratePerMinute: 2, concurrency: 10 };
    expect((await grantsOf(one.limiter, subject, limits, 3)).length).toBe(2);
    time.ms -= 3_600_000;
    expect(await two.limiter.enter(subject, limits)).toMatchObject({ granted: false, limit: "rate", retryAfterMs: 30_000 });
    time.ms += 30_000;
    expect((await two.limiter.enter(subject, limits)).granted).toBe(true);
  });

  test("every key is under the product's prefix and expires on its own", async () => {
    await direct.flushall();
    const { limiter } = await connect();
    await granted(limiter.enter(newSubject(), generous));
    const keys = await direct.keys("*");
    expect(keys.filter((key) => !key.startsWith("pennyprompt:limit:"))).toEqual([]);
    expect(keys.length).toBeGreaterThanOrEqual(2);
    for (const key of keys) expect(await direct.pttl(key)).not.toBe(-1);
  });

  test("a slot is given back once; a second leave does not give back another request's slot", async () => {
    const { limiter, settled } = await connect();
    const subject = newSubject();
    const [first, second] = [await granted(limiter.enter(subject, generous)), await granted(limiter.enter(subject, generous))];
    first.leave();
    first.leave();
    await settled();
    expect(await direct.zcard(slotsKey(subject))).toBe(1);
    second.leave();
    await settled();
    expect(await direct.zcard(slotsKey(subject))).toBe(0);
  });

  test("a request that outlives its lease keeps its slot, since the lease is renewed", async () => {
    const [one, two] = await Promise.all([connect({ leaseMs: 900 }), connect({ leaseMs: 900 })]);
    const subject = newSubject();
    const entry = await granted(one.limiter.enter(subject, { ...generous, concurrency: 1 }));
    const endsAt = async () => Number((await direct.zrange(slotsKey(subject), "0", "-1", "WITHSCORES"))[1] ?? 0);
    const firstEnd = await endsAt();
    await expect.poll(endsAt, { timeout: PATIENT_MS }).toBeGreaterThan(firstEnd + 1_000);
    expect(await two.limiter.enter(subject, { ...generous, concurrency: 1 })).toMatchObject({ granted: false, limit: "concurrency" });
    entry.leave();
    await one.settled();
    expect((await two.limiter.enter(subject, { ...generous, concurrency: 1 })).granted).toBe(true);
  });

  test("the slots of a killed process come back when their leases end", async () => {
    const { limiter } = await connect();
    const subject = newSubject();
    const holder = await startSlotHolder([server.url, subject, "3", "1500"]);
    ends.push(() => holder.kill("SIGKILL"));
    const limits = { ...generous, concurrency: 3 };
    expect(await limiter.enter(subject, limits)).toMatchObject({ granted: false, limit: "concurrency" });
    holder.kill("SIGKILL");
    await expect.poll(async () => (await limiter.enter(subject, limits)).granted, { timeout: PATIENT_MS }).toBe(true);
    // Leases need not end at the same time, and granted entries are kept.
    let others = 0;
    const takeOthers = async () => {
      others += (await grantsOf(limiter, subject, limits, 2 - others)).length;
      return others;
    };
    await expect.poll(takeOthers, { timeout: PATIENT_MS }).toBe(2);
  });

  test("a process that closes frees its slots at once", async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    const subject = newSubject();
    await grantsOf(one.limiter, subject, { ...generous, concurrency: 2 }, 2);
    await one.limiter.close();
    expect((await grantsOf(two.limiter, subject, { ...generous, concurrency: 2 }, 2)).length).toBe(2);
  });

  const processLocal = async () => (await metrics().registry.getSingleMetric("pennyprompt_limits_process_local")?.get())?.values[0]?.value;

  test("Redis dies: each process applies its own limits; Redis returns empty: requests in flight count again", async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    const subject = newSubject();
    const limits = { ratePerMinute: 20, concurrency: 4 };
    const before = await granted(one.limiter.enter(subject, limits));
    await server.kill();
    await expect.poll(() => one.link.reachable || two.link.reachable).toBe(false);
    expect(await processLocal()).toBe(1);
    const during = [one.limiter.enter(subject, limits), one.limiter.enter(subject, limits)];
    for (const entry of during) expect(entry).toMatchObject({ granted: true });
    await server.run();
    await expect.poll(() => one.link.reachable && two.link.reachable, { timeout: PATIENT_MS }).toBe(true);
    expect(await processLocal()).toBe(0);
    await one.settled();
    expect(await direct.zcard(slotsKey(subject))).toBe(3);
    expect(await two.limiter.enter(subject, limits)).toMatchObject({ granted: true, state: { freeSlots: 0 } });
    expect(await two.limiter.enter(subject, limits)).toMatchObject({ granted: false, limit: "concurrency" });
    before.leave();
    for (const entry of during) (await granted(entry)).leave();
    await one.settled();
    expect(await direct.zcard(slotsKey(subject))).toBe(1);
  });

  test("Redis hangs: the request under way is decided in memory, the next ones do not wait at all, and the limit still holds", async () => {
    const { link, limiter } = await connect({ commandTimeoutMs: 250 });
    const subject = newSubject();
    const limits = { ratePerMinute: 5, concurrency: 100 };
    server.pause();
    ends.push(() => server.resume());
    expect(await limiter.enter(subject, limits)).toMatchObject({ granted: true });
    expect(link.reachable).toBe(false);
    for (let ask = 0; ask < 4; ask++) expect(limiter.enter(subject, limits)).toMatchObject({ granted: true });
    expect(limiter.enter(subject, limits)).toMatchObject({ granted: false, limit: "rate" });
    server.resume();
    await expect.poll(() => link.reachable, { timeout: PATIENT_MS }).toBe(true);
  });

  test("a Redis that takes no writes, as after a failover, is not relied on", async () => {
    const { link, limiter } = await connect();
    await direct.replicaof("127.0.0.1", "1");
    ends.push(() => direct.replicaof("NO", "ONE"));
    expect(await limiter.enter(newSubject(), generous)).toMatchObject({ granted: true });
    expect(link.reachable).toBe(false);
    await direct.replicaof("NO", "ONE");
    await expect.poll(() => link.reachable, { timeout: PATIENT_MS }).toBe(true);
  });
});

async function startSlotHolder(args: string[]): Promise<ChildProcess> {
  const cache = join("node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, "slot-holder-"));
  try {
    const outfile = join(directory, "slot-holder.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "testing", "slot-holder.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      alias: { "@": process.cwd() },
    });
    const child = spawn(process.execPath, [outfile, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => chunk.toString().includes("held") && resolve());
      child.once("exit", () => reject(new Error("the slot holder ended before it held its slots")));
    });
    return child;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
