// LISTEN: receives a notice of a commit in any process at once, or reports within a second that it receives none. A heartbeat tests the
// silence of its connection, since a connection that is cut in the network never reports its end.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "@/lib/base/observe/log";
import { databaseUrl } from "./database-url";
import { openDedicatedConnection } from "./dedicated-connection";

export interface ListenCallbacks {
  /** A notice on the channel, with its payload. */
  onMessage: (payload: string) => void;
  /** Notices may be missed from now on: data kept current by them must not be served any more. */
  onDown: () => void;
  /** Notices arrive from now on. Those sent meanwhile are lost: start with empty memory. */
  onUp: () => void;
}

/**
 * A lost connection is reported at the latest one beat and one answer later: 800 ms. A database that stalls for as long is also reported
 * down, which costs a few extra queries and nothing else.
 */
const beatEveryMs = 400;
const answerWithinMs = 400;

const connectWithinMs = 2_000;
const firstRetryAfterMs = 50;
const mostRetryAfterMs = 1_000;

/**
 * Listens on `channel`, over a dedicated connection that is replaced whenever it is lost. Resolves when the first attempt is over, after
 * `onUp` or `onDown` was called. `stop` ends with `onDown`.
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
        await connection.unlessLost(pause(beatEveryMs, stopped));
        if (!stopped.aborted) await connection.beat();
      }
    } catch (error) {
      log().warn({ err: error, channel }, "lost the connection for database notifications; reconnecting");
    } finally {
      connection.cut();
    }
    if (state !== "down") callbacks.onDown();
    state = "down";
    await pause(retryAfterMs, stopped);
  }
}

function openConnection(url: string, onMessage: (payload: string) => void) {
  const { client, unlessLost, connect, query, cut } = openDedicatedConnection({
    url,
    application_name: "pennyprompt listen",
    connectWithinMs,
    answerWithinMs,
  });
  let heard = true;
  client.on("notification", ({ payload }) => {
    if (heard) onMessage(payload ?? "");
  });
  return {
    unlessLost,
    start: async (channel: string) => {
      await connect();
      await query(`LISTEN ${client.escapeIdentifier(channel)}`, [], connectWithinMs);
    },
    beat: () => query("SELECT 1"),
    cut: () => {
      heard = false;
      cut();
    },
  };
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal: stopped }).catch(() => undefined);
}
