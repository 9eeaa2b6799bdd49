// The embedded database: a real PostgreSQL in a directory of ours, used when DATABASE_URL is not set. It survives the death of this
// process and of the server at any moment, and a directory never has two servers.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareBinaries } from "./embedded/binaries";
import { createCluster, freeCluster, readPidFile, superuser } from "./embedded/cluster";
import { databasePassword, findKeptAt, openHome, passwordFile } from "./embedded/home";
import { takeOwnerLock } from "./embedded/owner-lock";
import { isPostmasterOf } from "./embedded/processes";
import { type Server, startServer } from "./embedded/server";
import { databaseUser } from "./embedded/system-user";
import { withClient } from "./with-client";

export interface EmbeddedPostgres {
  /** Address of the service's own database, password included: never log it. */
  url: string;
  pid: number;
  /** Resolves when the server has ended, for whatever reason: unless `stop` ended it, the service cannot continue. */
  exited: Promise<void>;
  /** Fast shutdown: sessions are cut and everything is written. Resolves when the server has ended. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** A directory for this database only; it is created, and given to the user that PostgreSQL runs as. */
  dataDir: string;
  log?: (message: string) => void;
  /** Server settings by name, such as `fsync`; they override ours. */
  settings?: Record<string, string>;
}

const databaseName = "pennyprompt";

/**
 * Starts the database of `dataDir`; creates an empty one if there is none.
 * @throws Error that says what to do: the directory is in use, PostgreSQL does not run on this system, or the end of its log
 */
export async function startEmbeddedPostgres({ dataDir, log = () => undefined, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true });
  databaseUser(dataDir); // refuses another user's directory before anything is touched
  const lock = takeOwnerLock(dataDir);
  try {
    const home = openHome(dataDir, log);
    const password = databasePassword(home);
    const binaries = prepareBinaries(home, log);
    await freeCluster(home, log);
    await createCluster(home, binaries, password.file, settings.fsync !== "off");
    const server = await startServer(home, binaries, settings);
    const stop = stopOnce(server, lock.release);
    await ensureDatabase(urlOf(server, password.text, "postgres")).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return { url: urlOf(server, password.text), pid: server.pid, exited: server.exited, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The address of the database of `dataDir` if a server runs on it, whichever process started it; otherwise undefined. Changes nothing. */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const directory = findKeptAt(dataDir) ?? dataDir;
  const cluster = join(directory, "cluster");
  const server = readPidFile({ cluster });
  if (!server?.ready || !isPostmasterOf(server.pid, cluster)) return undefined;
  return urlOf(server, readFileSync(passwordFile(directory), "utf8").trim());
}

/** The Unix socket, which costs both sides half as much as TCP for each statement; loopback if the server has no socket. */
function urlOf({ port, socketDirectory }: Pick<Server, "port" | "socketDirectory">, password: string, database = databaseName): string {
  const query = socketDirectory === undefined ? "" : `?host=${socketDirectory}`;
  return `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}${query}`;
}

/** Ends the server at the latest when this process ends. If this process is killed, the next start cleans up. */
function stopOnce(server: Server, release: () => void): () => Promise<void> {
  let ended = false;
  const onExit = () => {
    if (!ended) signalQuietly(server.pid, "SIGINT");
    release();
  };
  process.once("exit", onExit);
  server.exited.then(
    () => {
      ended = true;
    },
    () => undefined,
  );
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= server.stop().finally(() => {
      process.off("exit", onExit);
      release();
    });
    return stopping;
  };
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended on its own, and there is no caller left to notify
  }
}

const ensureDatabase = (adminUrl: string): Promise<void> =>
  withClient(adminUrl, "pennyprompt embedded", async (client) => {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [databaseName]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  });
