// A separate, durable PostgreSQL whose whole process tree is killed at once and restarted on the same data. The product reaches it by one
// address, through a gate that is shut from the kill until the books have been checked; the check bypasses the gate.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { expect } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@/lib/db/embedded";
import { findProcessIdentity } from "@/lib/db/embedded/processes";
import { migrate } from "@/lib/db/migrate";
import { createPool } from "@/lib/db/pool";
import { newDataDir } from "@/lib/db/testing/embedded-fixture";

/**
 * As durable as PostgreSQL's own defaults. For seconds only commits that wait flush the log, so that a crash forgets the commits that do
 * not wait.
 */
const settings = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  wal_writer_delay: "10s",
  wal_writer_flush_after: "1GB",
  bgwriter_lru_maxpages: "0",
};

export interface DurableCluster {
  /** Through the gate; it never changes. */
  url: string;
  /** A pool that bypasses the gate; a new one after each start. */
  direct: () => pg.Pool;
  /** Shuts the gate and kills every process of the server with SIGKILL, at once: nothing is written on the way out. */
  kill: () => Promise<void>;
  /** Starts the server on the same data. The gate stays shut. */
  start: () => Promise<void>;
  openGate: () => Promise<void>;
  /** Breaks the connections through the gate while the server runs on: statements sent just before are executed, and their answers lost. */
  cut: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a cluster, with the tables and an open gate. The file's `cleanUpEmbedded` removes its data. */
export async function startDurableCluster(): Promise<DurableCluster> {
  const dataDir = newDataDir({ prepared: true });
  const startServer = () => startEmbeddedPostgres({ dataDir, settings });
  let server = await startServer();
  let direct = createPool(server.url, 2);
  await migrate({ url: server.url });
  const gate = createGate(join(dirname(dataDir), "gate"), () => server);
  await gate.open();
  return {
    url: gate.urlOf(server.url),
    direct: () => direct,
    async kill() {
      const processes = killTree(server.pid);
      gate.shut();
      await server.exited;
      await expect.poll(() => processes.filter((pid) => findProcessIdentity(pid) !== undefined), { interval: 5 }).toEqual([]);
      await Promise.all([server.stop(), direct.end()]);
    },
    async start() {
      server = await startServer();
      direct = createPool(server.url, 2);
    },
    openGate: gate.open,
    cut: gate.cut,
    async stop() {
      gate.shut();
      await direct.end();
      await server.stop();
    },
  };
}

/** Kills a server with all its children, and returns their numbers. */
function killTree(postmaster: number): number[] {
  // Stopped, it starts no other child and does not notify the others of a death: a notified child might flush the log on its way out.
  process.kill(postmaster, "SIGSTOP");
  const children = childrenOf(postmaster);
  for (const pid of [...children, postmaster]) process.kill(pid, "SIGKILL");
  return children;
}

function childrenOf(pid: number): number[] {
  const isLinux = process.platform === "linux";
  if (isLinux) return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return listed.map((line) => line.trim().split(/\s+/).map(Number)).flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

interface Gate {
  urlOf: (serverUrl: string) => string;
  /** Lets new connections through from now on. */
  open: () => Promise<void>;
  /** Refuses new connections from now on; existing ones end with the server. */
  shut: () => void;
  cut: () => Promise<void>;
}

const gatePort = 1;
const ANSWERS_LOST_MS = 10;

function createGate(directory: string, server: () => EmbeddedPostgres): Gate {
  mkdirSync(directory, { recursive: true });
  const pairs = new Map<Socket, Socket>();
  const listener = createServer((near) => {
    const far = connectTo(server().url);
    joinSockets(near, far);
    pairs.set(near, far);
    near.on("close", () => pairs.delete(near));
  });
  return {
    urlOf(serverUrl) {
      const url = new URL(serverUrl);
      url.port = String(gatePort);
      url.searchParams.set("host", directory);
      return url.href;
    },
    open: () => new Promise((done) => void listener.listen(join(directory, `.s.PGSQL.${gatePort}`), done)),
    shut: () => void listener.close(),
    async cut() {
      const cutNow = [...pairs];
      for (const [near, far] of cutNow) far.unpipe(near).resume();
      await sleep(ANSWERS_LOST_MS);
      for (const [near] of cutNow) near.destroy();
    },
  };
}

function connectTo(serverUrl: string): Socket {
  const { hostname, port, searchParams } = new URL(serverUrl);
  const directory = searchParams.get("host");
  return directory ? connect(join(directory, `.s.PGSQL.${port}`)) : connect(Number(port), hostname);
}

/** Passes what one side sent before it ended on to the other. */
function joinSockets(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroySoon());
  near.on("close", () => far.destroy());
}
