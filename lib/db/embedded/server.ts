// One run of the embedded PostgreSQL server: on its own Unix socket, and on a loopback port that is remembered between runs and changed
// when another program has it; detached from our terminal, so that we can drain before it ends.

import { spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries";
import { cannotRun, cleanEnvironment, endServer, readPidFile } from "./cluster";
import { findSocketDirectory, type Home } from "./home";

export interface Server {
  pid: number;
  port: number;
  /** The directory of its Unix socket; undefined if it has none. */
  socketDirectory: string | undefined;
  /** Resolves when the server has ended, for whatever reason. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

/** The server's settings unless the caller overrides them; durability stays at PostgreSQL's own safe defaults. */
const defaultSettings = {
  listen_addresses: "127.0.0.1",
  max_connections: "250",
  password_encryption: "scram-sha-256",
  huge_pages: "off",
  jit: "off",
  lc_messages: "C",
  timezone: "UTC",
  log_timezone: "UTC",
};

const logFileLimitBytes = 16 * 1024 * 1024;

/**
 * Starts the server and waits until it accepts connections, however long its recovery takes.
 * @throws Error with the end of PostgreSQL's log if the server ends instead
 */
export async function startServer(home: Home, binaries: Binaries, settings: Record<string, string>): Promise<Server> {
  let socket = findSocketDirectory(home.directory);
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(home);
    const outcome = await tryStart(home, binaries, {
      ...defaultSettings,
      unix_socket_directories: socket ?? "",
      ...settings,
      port: String(port),
    });
    if (typeof outcome !== "string") return { ...outcome, port };
    // Some file systems do not support sockets, for example a host's directories mounted in a virtual machine.
    if (socket !== undefined && isAboutSocket(outcome)) {
      socket = undefined;
      continue;
    }
    // Another program may take the port between our check and PostgreSQL's; the sessions of a killed server may need a moment to end.
    // A retry helps with nothing else.
    const portTaken = /Address already in use|could not bind/.test(outcome);
    const sessionsLeft = /pre-existing shared memory block/.test(outcome);
    if (!(portTaken && attempt < 10) && !(sessionsLeft && attempt < 100)) {
      throw new Error(
        `The embedded PostgreSQL did not start. Its log, ${home.logFile}, ends with:\n${outcome.split("\n").slice(-15).join("\n")}`,
      );
    }
    if (sessionsLeft) await sleep(100);
  }
}

/** `could not bind Unix address "….s.PGSQL.5432"`, `lock file "….s.PGSQL.5432.lock" already exists`. */
const isAboutSocket = (log: string): boolean =>
  log.split("\n").some((line) => /could not |lock file "/.test(line) && /Unix|\.s\.PGSQL\./.test(line));

async function tryStart(home: Home, binaries: Binaries, settings: Record<string, string>): Promise<Omit<Server, "port"> | string> {
  const logFile = openLog(home);
  const logStart = fstatSync(logFile).size;
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const identity = home.user === undefined ? {} : { uid: home.user.uid, gid: home.user.gid };
  try {
    // Detached: a Ctrl-C in our terminal must not end the database before we have drained.
    const child = spawn(binaries.postgres, ["-D", home.cluster, ...args], {
      ...identity,
      env: cleanEnvironment(binaries),
      cwd: home.cluster,
      detached: true,
      stdio: ["ignore", logFile, logFile],
    });
    child.unref();
    let ended = false;
    const exited = new Promise<void>((resolve, reject) => {
      child.once("exit", () => {
        ended = true;
        resolve();
      });
      child.once("error", (cause) => {
        ended = true;
        reject(cannotRun(binaries.postgres, cause));
      });
    });
    exited.catch(() => undefined); // if the process could not be started, the wait below reports it
    const findReady = () => {
      const file = readPidFile(home);
      return file?.ready && file.pid === child.pid ? file : undefined;
    };
    let ready = findReady();
    while (!ended && !ready) {
      await Promise.race([sleep(20), exited]);
      ready = findReady();
    }
    if (ended || !ready) {
      await exited;
      return readFrom(home.logFile, logStart);
    }
    const { pid, socketDirectory } = ready;
    return { pid, socketDirectory, exited, stop: () => endServer(pid, () => ended) };
  } finally {
    closeSync(logFile);
  }
}

/** The port of the last run if it is free, otherwise a free one, which is remembered for the next run. */
async function choosePort(home: Home): Promise<number> {
  const remembered = existsSync(home.portFile) ? Number(readFileSync(home.portFile, "utf8")) : 0;
  const port = (await freePort(remembered)) ?? (await freePort(0));
  if (port === undefined) throw new Error("No TCP port is free on 127.0.0.1.");
  if (port !== remembered) writeFileSync(home.portFile, String(port), { mode: 0o600 });
  return port;
}

/** `port` itself, or any free port when it is 0; undefined when it is taken. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : undefined));
    });
  });
}

function openLog(home: Home): number {
  const size = statSync(home.logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logFileLimitBytes) renameSync(home.logFile, `${home.logFile}.1`);
  return openSync(home.logFile, "a", 0o600);
}

function readFrom(path: string, start: number): string {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(Math.max(0, fstatSync(file).size - start));
    readSync(file, buffer, 0, buffer.length, start);
    return buffer.toString("utf8").trim();
  } finally {
    closeSync(file);
  }
}
