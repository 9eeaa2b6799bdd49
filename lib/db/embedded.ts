// The embedded database: a real PostgreSQL below a directory of ours, for everybody who has not set DATABASE_URL. It survives
// the death of this process and of itself at any moment, and there are never two on one directory.

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
  /** Resolves when the server has ended, whoever ended it: unless that was `stop`, the service can not go on. */
  exited: Promise<void>;
  /** Fast shutdown: sessions are cut, everything is written, and it resolves when the server is gone. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** A directory for this purpose alone; it is made, and given to the user that PostgreSQL runs as. */
  dataDir: string;
  log?: (message: string) => void;
  /** Server settings by name, such as `fsync`, over our own. */
  settings?: Record<string, string>;
}

const databaseName = "pennyprompt";

/**
 * Starts the database of `dataDir`, made empty if there is none.
 * @throws Error that says what to do: the directory is in use, PostgreSQL does not run on this system, or its log's end
 */
export async function startEmbeddedPostgres({ dataDir, log = () => undefined, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(dataDir, { recursive: true });
  databaseUser(dataDir); // refuses what belongs to somebody else, before anything is touched
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

/** The address of the database of `dataDir` when a server works on it, whoever started that, or undefined. Changes nothing. */
export async function runningPostgresUrl(dataDir: string): Promise<string | undefined> {
  const directory = findKeptAt(dataDir) ?? dataDir;
  const cluster = join(directory, "cluster");
  const server = readPidFile({ cluster });
  if (!server?.ready || !isPostmasterOf(server.pid, cluster)) return undefined;
  return urlOf(server, readFileSync(passwordFile(directory), "utf8").trim());
}

/** By its Unix socket, which costs both sides half of what TCP does for each statement; by loopback where it has none. */
function urlOf({ port, socketDirectory }: Pick<Server, "port" | "socketDirectory">, password: string, database = databaseName): string {
  const query = socketDirectory === undefined ? "" : `?host=${socketDirectory}`;
  return `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}${query}`;
}

/** Ends the server when this process does, at the latest; one that is killed is cleared up after by the next start. */
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
    // it ended by itself, and nobody is left to tell
  }
}

const ensureDatabase = (adminUrl: string): Promise<void> =>
  withClient(adminUrl, "pennyprompt embedded", async (client) => {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [databaseName]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  });
