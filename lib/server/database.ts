// The service's database: the one that DATABASE_URL names, or an embedded one. The embedded one is ours to keep alive: when
// it ends and nobody asked it to, it is started again on the same address, so that requests fail for a moment instead of
// for good, and answers that wait to be settled still are.

import { join, resolve } from "node:path";
import type { Config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/lib/db/embedded";

export interface Database {
  /** With its password: never log it. */
  url: string;
  /** Resolves with the reason when the database is gone and cannot be brought back. */
  lost: Promise<Error>;
  stop: () => Promise<void>;
}

const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;

/** Resolves when the database takes connections. A given one is not asked yet. */
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
    log().error({ pid: ended.pid }, "the embedded PostgreSQL ended unasked; starting it again");
    await ended.stop(); // gives the directory back
    restarts = [...restarts.filter((at) => performance.now() - at < RESTARTS_WITHIN_MS), performance.now()];
    if (restarts.length > MAX_RESTARTS) throw new Error(`it ended ${restarts.length} times within a minute`);
    const again = await start();
    if (again.url !== first.url) {
      await again.stop();
      throw new Error("its port was taken meanwhile");
    }
    log().info({ pid: again.pid }, "the embedded PostgreSQL runs again");
    return again;
  }

  const lost = new Promise<Error>((lose) => {
    const watch = (server: EmbeddedPostgres): void =>
      void server.exited.then(() => {
        if (stopping) return;
        current = startAgain(server);
        current.then(watch, (cause: Error) =>
          lose(new Error(`The embedded PostgreSQL ended and did not start again: ${cause.message}`, { cause })),
        );
      });
    watch(first);
  });
  return {
    url: first.url,
    lost,
    stop: async () => {
      stopping = true;
      const server = await current.catch(() => null); // then there is none to stop
      await server?.stop();
    },
  };
}
