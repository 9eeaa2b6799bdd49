// A process that takes slots and holds them until it is killed. Arguments: Redis URL, subject, slots, lease in ms.

import { RedisLimiter } from "../redis-limiter";
import { RedisLink } from "../redis-link";

const [url = "", subject = "", slots = "0", leaseMs = "0"] = process.argv.slice(2);
const link = new RedisLink(url, 5_000);
const limiter = new RedisLimiter(link, { leaseMs: Number(leaseMs) });
link.onReachable(async () => {
  for (let taken = 0; taken < Number(slots); taken++) await limiter.enter(subject, { ratePerMinute: 1_000, concurrency: Number(slots) });
  process.stdout.write("held\n");
});
