// The time of day in this process: the database's, which all processes share, carried on by the monotonic clock between two looks. A
// machine whose clock is wrong, or jumps, decides nothing by it.

import { followClock, systemClockOffsetMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "./pool";

const LOOK_EVERY_MS = 5_000;
const LOOKS_AT_START = 3;
/** More than two clocks' crystals differ. */
const DRIFT = 2e-4;
const WARN_ABOVE_MS = 2_000;
const WARN_EVERY_MS = 60_000;

/** The result of one look at the database's clock; monotonic milliseconds. */
interface Look {
  /** Added to performance.now() it gives Unix milliseconds. */
  deltaMs: number;
  /** It is wrong by at most so much: the clock was read at some moment between the question and the answer. */
  errorMs: number;
  at: number;
}

/** The look to go by: a new one when it is the more exact, or when both cannot be true, since the database's clock was set. */
export function betterLook(known: Look | undefined, seen: Look): Look {
  if (!known) return seen;
  const knownErrorMs = known.errorMs + DRIFT * (seen.at - known.at);
  const bothMayBeTrue = Math.abs(seen.deltaMs - known.deltaMs) <= seen.errorMs + knownErrorMs;
  return bothMayBeTrue && seen.errorMs > knownErrorMs ? known : seen;
}

/**
 * From now on `now()` and `nowMs()` tell the database's time, until it is stopped.
 * @throws what pg throws when the database does not answer
 */
export async function followDatabaseClock(): Promise<{ stop: () => void }> {
  let known: Look | undefined;
  for (let looks = 0; looks < LOOKS_AT_START; looks += 1) known = betterLook(known, await look());
  let warnedAt = Number.NEGATIVE_INFINITY;
  const report = () => {
    const offsetMs = systemClockOffsetMs();
    metrics().clockOffsetMs.set(offsetMs);
    if (Math.abs(offsetMs) <= WARN_ABOVE_MS || performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    log().warn({ offsetMs }, "this machine's clock differs from the database's, which decides: set it by NTP");
  };
  const unfollow = followClock(() => Math.floor(performance.now() + (known?.deltaMs ?? performance.timeOrigin)));
  report();
  const timer = setInterval(() => {
    look().then(
      (seen) => {
        known = betterLook(known, seen);
        report();
      },
      () => undefined, // the database is away; the monotonic clock goes on
    );
  }, LOOK_EVERY_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      unfollow();
    },
  };
}

async function look(): Promise<Look> {
  const sentAt = performance.now();
  const { rows } = await pool().query<{ ms: number }>("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms");
  const at = performance.now();
  const [row] = rows;
  if (!row) throw new Error("the database told no time");
  return { deltaMs: row.ms - (sentAt + at) / 2, errorMs: (at - sentAt) / 2, at };
}
