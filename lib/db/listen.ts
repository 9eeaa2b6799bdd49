// LISTEN: hears of a commit in any process at once, or says within a second that it hears nothing. The silence of its
// connection is tested by a heartbeat, since a connection that is cut on the way never reports its end.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { log } from "@/lib/base/observe/log";
import { databaseUrl } from "./pool";

export interface ListenCallbacks {
  /** A notice on the channel, with its payload. */
  onMessage: (payload: string) => void;
  /** Notices may be missed from now on: what they kept up to date must not be served any more. */
  onDown: () => void;
  /** Notices arrive from now on. Those sent while it was down are lost: start from nothing. */
  onUp: () => void;
}

/**
 * A lost connection is told at the latest one beat and one answer later: 800 ms. A database that is stalled for that long is
 * told as down too, which costs its readers a few queries and nothing else.
 */
const beatEveryMs = 400;
const answerWithinMs = 400;

const connectWithinMs = 2_000;
const firstRetryAfterMs = 50;
const mostRetryAfterMs = 1_000;

/**
 * Listens on `channel`, over a connection of its own that is made anew whenever it is lost. Resolves when the first attempt
 * is over, with `onUp` or `onDown` called. `stop` ends with `onDown`.
 */
export async function listen(
  channel: string,
  callbacks: ListenCallbacks,
  url: string = databaseUrl(),
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  let firstAttemptOver = () => {};
  const firstAttempt = new Promise<void>((resolve) => {
    firstAttemptOver = resolve;
  });
  const running = keepListening(channel, url, stopping.signal, {
    onMessage: callbacks.onMessage,
    onDown: () => {
      callbacks.onDown();
      firstAttemptOver();
    },
    onUp: () => {
      callbacks.onUp();
      firstAttemptOver();
    },
  });
  await firstAttempt;
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function keepListening(channel: string, url: string, stopped: AbortSignal, callbacks: ListenCallbacks): Promise<void> {
  let state: "new" | "up" | "down" = "new";
  for (let retryAfterMs = firstRetryAfterMs; !stopped.aborted; retryAfterMs = Math.min(2 * retryAfterMs, mostRetryAfterMs)) {
    const connection = openConnection(url, callbacks.onMessage);
    try {
      await connection.start(channel);
      state = "up";
      callbacks.onUp();
      retryAfterMs = firstRetryAfterMs;
      while (!stopped.aborted) {
        await Promise.race([pause(beatEveryMs, stopped), connection.lost]);
        if (!stopped.aborted) await connection.beat();
      }
    } catch (error) {
      log().warn({ err: error, channel }, "not listening to the database; trying again");
    } finally {
      connection.cut();
    }
    if (state !== "down") callbacks.onDown();
    state = "down";
    await pause(retryAfterMs, stopped);
  }
}

function openConnection(url: string, onMessage: (payload: string) => void) {
  const client = new pg.Client({
    connectionString: url,
    application_name: "pennyprompt listen",
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
  });
  const lost = new Promise<never>((_, reject) => {
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended")));
  });
  lost.catch(() => undefined); // it may be lost while nobody waits for it: whoever waits next is told
  let heard = true;
  client.on("notification", ({ payload }) => {
    if (heard) onMessage(payload ?? "");
  });
  return {
    /** Rejects when the connection ends or breaks. */
    lost,
    start: async (channel: string) => {
      await client.connect();
      await Promise.race([client.query(`LISTEN ${client.escapeIdentifier(channel)}`), lost, overdue(connectWithinMs)]);
    },
    beat: () => Promise.race([client.query("SELECT 1"), lost, overdue(answerWithinMs)]),
    cut: () => {
      heard = false;
      client.end().catch(() => undefined);
      client.connection.stream.destroy(); // `end` alone would wait for a peer that may be gone
    },
  };
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal: stopped }).catch(() => undefined);
}

/** Rejects after `ms`, but reads first what has arrived: after a stall of our own the answer lies there unread. */
async function overdue(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false });
  await nextTurn();
  throw new Error(`no answer within ${ms} ms`);
}
