// The connection to Redis, and whether it can be relied on. A command that fails or exceeds its time limit returns null and ends
// reliance on Redis at once; no request waits for Redis again until it has taken a write. Reconnects forever. Only a link loads
// ioredis, which costs 50 ms and 15 MB: a process without REDIS_URL creates none.

import type { ChainableCommander, Redis } from "ioredis";
import { BusyPoll } from "@/lib/base/busy-poll";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { keepStringsFast } from "@/lib/base/v8/fast-strings";
import { probeKey, redisScripts } from "./redis-scripts";

/** The longest that a hanging Redis can hold up one request. */
const COMMAND_TIMEOUT_MS = 250;
const RECONNECT_MS = { first: 250, most: 2_000 };

export class RedisLink {
  private readonly connecting: Promise<void>;
  private readonly wait = new BusyPoll();
  private readonly listeners: (() => void)[] = [];
  /** Null until ioredis is loaded. */
  private client: Redis | null = null;
  private usable = false;
  private outage = false;
  private closing = false;

  constructor(url: string, commandTimeoutMs = COMMAND_TIMEOUT_MS) {
    metrics().limitsProcessLocal.set(1);
    this.connecting = this.connect(url, commandTimeoutMs).catch((error: Error) => this.lose(error.message));
  }

  /** False while this process applies its limits alone. */
  get reachable(): boolean {
    return this.usable;
  }

  /** Runs one operation; returns null when Redis is out of reach, without a wait when that is already known. */
  async ask<T>(operation: (client: Redis) => Promise<T>): Promise<T | null> {
    return this.usable && this.client ? this.attempt(this.client, operation) : null;
  }

  /** Calls `listener` each time that Redis becomes reliable again, and now if it already is. */
  onReachable(listener: () => void): void {
    this.listeners.push(listener);
    if (this.usable) listener();
  }

  async close(): Promise<void> {
    this.closing = true;
    this.usable = false;
    await this.connecting;
    this.client?.disconnect();
  }

  private async connect(url: string, commandTimeoutMs: number): Promise<void> {
    const LoadedRedis = await loadRedis();
    if (this.closing) return;
    const client = new LoadedRedis(url, {
      scripts: redisScripts,
      commandTimeout: commandTimeoutMs,
      connectTimeout: 2_000,
      disconnectTimeout: 500,
      // Nothing is queued and nothing is sent twice: a request without an answer now is decided in memory now.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // Our own probe is stricter: it writes, so a read-only replica or a full Redis does not pass.
      enableReadyCheck: false,
      retryStrategy: (attempt) => Math.min(RECONNECT_MS.first * 2 ** (attempt - 1), RECONNECT_MS.most),
    });
    client.on("ready", () => void this.probe(client));
    client.on("close", () => this.lose("the connection closed"));
    client.on("error", (error: Error) => this.lose(error.message));
    this.client = client;
  }

  private async attempt<T>(client: Redis, operation: (client: Redis) => Promise<T>): Promise<T | null> {
    const endWait = this.wait.begin();
    try {
      return await operation(client);
    } catch (error) {
      // Every kind of failure has the same remedy: limits in memory, and a new connection.
      this.lose(error instanceof Error ? error.message : String(error));
      if (client.status === "ready") client.disconnect(true);
      return null;
    } finally {
      endWait();
    }
  }

  private async probe(client: Redis): Promise<void> {
    const answer = await this.attempt(client, () => client.set(probeKey, "1", "PX", 1_000));
    if (answer === null || this.closing) return;
    this.usable = true;
    if (this.outage) log().info("Redis is available again: processes share their limits");
    this.outage = false;
    metrics().limitsProcessLocal.set(0);
    for (const listener of this.listeners) listener();
  }

  private lose(reason: string): void {
    this.usable = false;
    if (this.outage || this.closing) return;
    this.outage = true;
    metrics().limitsProcessLocal.set(1);
    log().warn({ reason }, "Redis is unavailable: until it is back, each process counts its own limits");
  }
}

async function loadRedis(): Promise<typeof Redis> {
  keepStringsFast(); // a class of ioredis extends String
  return (await import("ioredis")).Redis;
}

/** Sends a pipeline as one batch. @throws the first error of any command; ioredis alone would return it */
export async function sendBatch(pipeline: ChainableCommander): Promise<true> {
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  return true;
}

/** The connection to REDIS_URL, one per process; null when REDIS_URL is not set. */
export const redisLink = processSingleton<RedisLink | null>("limits.redis", () => {
  const url = config().REDIS_URL;
  return url ? new RedisLink(url) : null;
});
