// The limiter of this process, a singleton: in memory, or shared through Redis when REDIS_URL is set.

import { forgetSingleton, processSingleton } from "@/lib/base/process-singleton";
import { type Limiter, MemoryLimiter } from "./memory-limiter";
import { RedisLimiter } from "./redis-limiter";
import { redisLink } from "./redis-link";

/** Requests and slots in flight; the subject is the account's id. */
export const limiter = processSingleton<Limiter>("limits.limiter", () => {
  const link = redisLink();
  return link ? new RedisLimiter(link) : new MemoryLimiter();
});

/** Gives back what this process holds in Redis and closes the connection. For shutdown, after the drain. */
export async function closeLimits(): Promise<void> {
  await limiter().close();
  for (const name of ["limits.limiter", "limits.failedAuth", "limits.redis"]) forgetSingleton(name);
}
