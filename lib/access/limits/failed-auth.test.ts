import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FailedAuthLimiter } from "./failed-auth";
import { RedisLink } from "./redis-link";
import { hasRedis, RedisServer } from "./testing/redis-server";

const address = "198.51.100.1";

function limiterAt(perMinute: number, maxSubjects?: number) {
  const time = { ms: 1_700_000_000_000 };
  return { time, limiter: new FailedAuthLimiter(perMinute, { link: null, nowMs: () => time.ms, maxSubjects }) };
}

test("an address is refused after its failures of a minute, learns how long to wait, and then has one more", () => {
  const { time, limiter } = limiterAt(3);
  for (let failure = 0; failure < 3; failure++) {
    expect(limiter.check(address)).toEqual({ granted: true });
    expect(limiter.record(address)).toEqual({ granted: true });
  }
  expect(limiter.check(address)).toEqual({ granted: false, retryAfterMs: 20_000 });
  expect(limiter.record(address)).toEqual({ granted: false, retryAfterMs: 20_000 });
  time.ms += 20_000;
  expect(limiter.check(address)).toEqual({ granted: true });
});

test("authentications that succeed spend nothing, and other addresses are not affected", () => {
  const { limiter } = limiterAt(2);
  for (let ask = 0; ask < 100; ask++) expect(limiter.check(address).granted).toBe(true);
  expect(limiter.subjects).toBe(0);
  for (let failure = 0; failure < 5; failure++) limiter.record("203.0.113.9");
  expect(limiter.check("203.0.113.9").granted).toBe(false);
  expect(limiter.check(address).granted).toBe(true);
});

test("the addresses of one IPv6 /64 share their failures", () => {
  const { limiter } = limiterAt(2);
  limiter.record("2001:db8:0:1::1");
  limiter.record("2001:db8:0:1:ffff::2");
  expect(limiter.check("2001:db8:0:1::3").granted).toBe(false);
  expect(limiter.check("2001:db8:0:2::1").granted).toBe(true);
});

test("memory stays bounded when failures come from ever new addresses", () => {
  const { limiter } = limiterAt(60, 500);
  for (let number = 0; number < 10_000; number++) {
    limiter.record(`2001:db8:${(number >> 8).toString(16)}:${(number & 255).toString(16)}::1`);
    expect(limiter.subjects).toBeLessThanOrEqual(500);
  }
});

describe.skipIf(!hasRedis)(`failures shared through Redis${hasRedis ? "" : " (skipped: redis-server is not on the PATH)"}`, () => {
  let server: RedisServer;
  const links: RedisLink[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    for (const link of links) await link.close();
    await server?.remove();
  });

  async function connect() {
    const link = new RedisLink(server.url, 10_000);
    links.push(link);
    await expect.poll(() => link.reachable).toBe(true);
    return { link, limiter: new FailedAuthLimiter(30, { link }) };
  }

  test("at its first failure of an address, a process learns the failures that other processes counted", async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    for (let failure = 0; failure < 30; failure++) one.limiter.record(address);
    await one.link.ask((client) => client.ping());
    expect(two.limiter.check(address).granted).toBe(true);
    two.limiter.record(address);
    await expect.poll(() => two.limiter.check(address).granted).toBe(false);
  });
});
