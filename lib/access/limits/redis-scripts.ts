// The Lua scripts that Redis runs, one per operation, so that each is atomic. They read the server's time: the clocks of the processes
// that share Redis may differ. Numbers are the whole numbers of `bucket.ts`; every key expires on its own.

import type { Result } from "ioredis";

const readTime = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end`;

// A missing bucket counts as full: a bucket expires after the 60 s in which any bucket fills.
const refill = `
local rate = tonumber(ARGV[2])
local depth = rate * 60000
local level, at = depth, now
local kept = redis.call('HMGET', KEYS[1], 'level', 'at')
if kept[1] and kept[2] then
  level, at = tonumber(kept[1]), tonumber(kept[2])
  if now > at then level = level + (now - at) * rate end
  if level > depth then level = depth end
end
local function keep()
  redis.call('HSET', KEYS[1], 'level', string.format('%.0f', level), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], 60000)
end`;

/** KEYS bucket, slots; ARGV time or "", rate, concurrency, lease id, lease ms. Returns {0 granted | 1 rate | 2 concurrency, level, in flight}. */
const enter = `${readTime}${refill}
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
local busy = redis.call('ZCARD', KEYS[2])
local refused = 0
if level < 60000 then refused = 1 elseif busy >= tonumber(ARGV[3]) then refused = 2 end
if refused == 0 then
  level = level - 60000
  busy = busy + 1
  redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[5])), ARGV[4])
  redis.call('PEXPIRE', KEYS[2], ARGV[5])
end
if refused == 0 or now < at then keep() end
return {refused, level, busy}`;

/** KEYS bucket; ARGV time or "", rate. Spends one failure if there is one; returns the remaining level. */
const spend = `${readTime}${refill}
if level >= 60000 then
  level = level - 60000
  keep()
elseif now < at then
  keep()
end
return level`;

// Also adds missing leases: after a restart of Redis, or for requests that entered while it was out of reach.
/** KEYS slots; ARGV time or "", lease ms, lease ids. */
const renew = `${readTime}
local until_ms = string.format('%.0f', now + tonumber(ARGV[2]))
for i = 3, #ARGV do redis.call('ZADD', KEYS[1], until_ms, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0`;

export const redisScripts = {
  limitEnter: { lua: enter, numberOfKeys: 2 },
  limitSpend: { lua: spend, numberOfKeys: 1 },
  limitRenew: { lua: renew, numberOfKeys: 1 },
};

// The braces keep a subject's keys on one node when Redis is a cluster behind a proxy.
export const bucketKey = (subject: string): string => `pennyprompt:limit:{${subject}}:rate`;
export const slotsKey = (subject: string): string => `pennyprompt:limit:{${subject}}:slots`;
export const failuresKey = (subject: string): string => `pennyprompt:limit:{${subject}}:failures`;
export const probeKey = "pennyprompt:limit:probe";

declare module "ioredis" {
  interface RedisCommander<Context> {
    limitEnter(
      bucket: string,
      slots: string,
      timeMs: number | "",
      rate: number,
      concurrency: number,
      leaseId: string,
      leaseMs: number,
    ): Result<[0 | 1 | 2, number, number], Context>;
    limitSpend(bucket: string, timeMs: number | "", rate: number): Result<number, Context>;
    limitRenew(slots: string, timeMs: number | "", leaseMs: number, ...leaseIds: string[]): Result<number, Context>;
  }
}
