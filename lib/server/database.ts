// The service's database: that of DATABASE_URL, or an embedded one. The service keeps the embedded one alive: when it ends unexpectedly, it
// is restarted on the same address, so that requests fail only briefly, and answers that wait to be settled still are settled.

import { join, resolve } from "node:path";
import type { Config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/lib/db/embedded";

export interface Database {
  /** With its password: never log it. */
  url: string;
  /** Resolves with the reason when the database is gone and cannot be restarted. */
  lost: Promise<Error>;
  stop: () => Promise<void>;
}

const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;

/** Resolves when the database accepts connections. A database of DATABASE_URL is not contacted here. */
export async function openDatabase(settings: Config): Promise<Database> {
  if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, lost: new Promise(() => undefined), stop: async () => undefined };
  const dataDir = resolve(join(settings.DATA_DIR, "postgres"));
  const start = () => startEmbeddedPostgres({ dataDir, log: (message) => log().info(message) });
  return keepAlive(await start(), start);
}

function keepAlive(first: EmbeddedPostgres, start: () => Promise<EmbeddedPostgres>): Database {
  let current = Promise.resolve(first);
  let stopping = false;
  let restarts: number[] = [];

  async function startAgain(ended: EmbeddedPostgres): Promise<EmbeddedPostgres> {
    log().error({ pid: ended.pid }, "the embedded PostgreSQL ended unexpectedly; restarting it");
    await ended.stop(); // releases the directory
    restarts = [...restarts.filter((at) => performance.now() - at < RESTARTS_WITHIN_MS), performance.now()];
    if (restarts.length > MAX_RESTARTS) throw new Error(`it ended ${restarts.length} times within a minute`);
    const again = await start();
    if (again.url !== first.url) {
      await again.stop();
      throw new Error("another program took its port");
    }
    log().info({ pid: again.pid }, "the embedded PostgreSQL is running again");
    return again;
  }

  const lost = new Promise<Error>((lose) => {
    const watch = (server: EmbeddedPostgres): void =>
      void server.exited.then(() => {
        if (stopping) return;
        current = startAgain(server);
        current.then(watch, (cause: Error) =>
          lose(new Error(`The embedded PostgreSQL ended and could not be restarted: ${cause.message}`, { cause })),
        );
      });
    watch(first);
  });
  return {
    url: first.url,
    lost,
    stop: async () => {
      stopping = true;
      const server = await current.catch(() => null); // it failed, so there is none to stop
      await server?.stop();
    },
  };
}
