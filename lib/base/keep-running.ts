// Keeps a child process running. A child that ends unexpectedly is started again; the pause before that grows each time.

import { setTimeout as sleep } from "node:timers/promises";
import { log } from "./observe/log";

interface Running {
  /** Resolves with how it ended, for the log. */
  ended: Promise<object>;
  stop(): Promise<unknown>;
}

export interface Kept<Part> {
  /** Null while it is down. */
  current: () => Part | null;
  stop: () => Promise<void>;
}

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
/** A child that ran for so long has got over the cause of its last end. */
const STEADY_MS = 60_000;

/**
 * @param name for the log: `simulated models`
 * @param start starts a new instance
 * @throws what the first `start` throws
 */
export async function keepRunning<Part extends Running>(name: string, start: () => Promise<Part>): Promise<Kept<Part>> {
  const stopping = new AbortController();
  let pauseMs = FIRST_RETRY_MS;
  let current: Part | null = await start();
  const keeping = keep(current);

  async function keep(first: Part): Promise<void> {
    for (let part = first; ; ) {
      const startedAt = performance.now();
      const end = await part.ended;
      current = null;
      if (performance.now() - startedAt > STEADY_MS) pauseMs = FIRST_RETRY_MS;
      if (stopping.signal.aborted) return;
      log().error({ ...end }, `the ${name} ended unexpectedly; restarting it`);
      const again = await startAgain();
      if (!again) return;
      part = again;
    }
  }

  async function startAgain(): Promise<Part | null> {
    for (;;) {
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined); // stopping ends the pause
      pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS);
      if (stopping.signal.aborted) return null;
      try {
        const part = await start();
        if (stopping.signal.aborted) {
          await part.stop();
          return null;
        }
        current = part;
        return part;
      } catch (error) {
        log().error({ err: error }, `the ${name} did not start; retrying`);
      }
    }
  }

  return {
    current: () => current,
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await keeping;
    },
  };
}

interface RunningNode extends Running {
  url: string;
}

interface AtPort {
  /** 0 picks a free one. */
  port?: number | undefined;
  /** Called with the node's URL, at the start and whenever it changes. */
  onUrl?: ((url: string) => void) | undefined;
}

/** Like `keepRunning`, for a node, whose last URL stays known: after a crash it restarts on the same port, since users may have stored it. */
export async function keepNodeRunning<Node extends RunningNode>(
  name: string,
  { port: asked = 0, onUrl }: AtPort,
  startAt: (port: number) => Promise<Node>,
): Promise<Kept<Node> & { url: () => string; running: () => Node }> {
  let url = "";
  const start = async (port: number) => {
    const started = await startAt(port);
    if (url !== started.url) onUrl?.(started.url);
    url = started.url;
    return started;
  };
  // The first start reports a problem with the requested port; later ones fall back to any port.
  const kept = await keepRunning(name, () => (url === "" ? start(asked) : start(Number(new URL(url).port)).catch(() => start(asked))));
  const running = () => {
    const current = kept.current();
    if (!current) throw new Error(`The sandbox's ${name} is starting again: try in a moment.`);
    return current;
  };
  return { ...kept, url: () => url, running };
}
