// Processes with a heartbeat for tests: real processes, to be killed and frozen, and the content of their rows.

import { spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { type DeadProcess, type Heartbeat, type HeartbeatOptions, startHeartbeat } from "../heartbeat";
import type { Queryable } from "../pool";
import type { HeartbeatReport, Wake } from "./heartbeat-child";
import { bundleProgram } from "./programs";

/** Short, but longer than a busy machine may delay a living process. */
export const shortTimes = { intervalMs: 150, deadAfterMs: 1_000, sweepEveryMs: 300 } satisfies Partial<HeartbeatOptions>;

/** This many heartbeats take longer than deadAfterMs. */
export const beatsOfADeath = Math.ceil(shortTimes.deadAfterMs / shortTimes.intervalMs) + 3;

export interface HeartbeatProcess {
  id: string;
  /** The processes that it considered dead, once for each call. */
  dead: string[];
  signal: (signal: "SIGSTOP" | "SIGCONT") => void;
  /** Blocks its main thread; resolves when that is over. */
  block: (ms: number) => Promise<Wake>;
  /** Stops it in order; resolves to its exit code. */
  stop: () => Promise<unknown>;
  kill: () => Promise<void>;
}

const running = new Set<HeartbeatProcess>();
const ownHeartbeats: Heartbeat[] = [];

/** Run it after each test. */
export async function endHeartbeats(database: Queryable): Promise<void> {
  await Promise.all(ownHeartbeats.splice(0).map(({ stop }) => stop()));
  await Promise.all([...running].map(({ kill }) => kill()));
  await database.query("DELETE FROM process");
}

/** The bundle of the heart's thread, as the build makes it. */
export const bundleHeart = (): string => bundleProgram("lib/db/heartbeat/worker.ts");

/** Starts a process and waits for its first heartbeat. */
export async function startHeartbeatProcess(url: string, times: Partial<HeartbeatOptions> = shortTimes): Promise<HeartbeatProcess> {
  const program = bundleProgram("lib/db/testing/heartbeat-child.ts");
  const child = spawn(process.execPath, [program, url, JSON.stringify({ bundle: bundleHeart(), ...times })], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, LOG_LEVEL: "silent" },
  });
  child.stdin.on("error", () => undefined); // the child was killed
  const ended = nextEvent(child, "exit");
  const dead: string[] = [];
  const wakes: ((wake: Wake) => void)[] = [];
  const id = await new Promise<string>((started, failed) => {
    void ended.then(() => failed(new Error("the process ended before its first heartbeat")));
    createInterface(child.stdout).on("line", (line) => {
      const report = JSON.parse(line) as HeartbeatReport;
      if ("started" in report) started(report.started);
      else if ("woke" in report) wakes.shift()?.(report.woke);
      else dead.push(report.dead);
    });
  });
  const started: HeartbeatProcess = {
    id,
    dead,
    signal: (signal) => child.kill(signal),
    block: (ms) => {
      child.stdin.write(`block ${ms}\n`);
      return new Promise((resolve) => wakes.push(resolve));
    },
    stop: async () => {
      child.stdin.write("stop\n");
      const [code] = await ended;
      running.delete(started);
      return code;
    },
    kill: async () => {
      child.kill("SIGKILL"); // ends a frozen one too
      await ended;
      running.delete(started);
    },
  };
  running.add(started);
  return started;
}

/** The heartbeat of the test's own process; `told` is which processes it considered dead, and when. */
export async function startOwnHeartbeat(options: Partial<HeartbeatOptions> = {}) {
  const told: { id: string; at: number }[] = [];
  const onDead = async (dead: DeadProcess) => {
    told.push({ id: dead.id, at: performance.now() });
    await options.onDead?.(dead);
  };
  const heartbeat = await startHeartbeat({ roles: ["web"], ...shortTimes, ...options, onDead });
  ownHeartbeats.push(heartbeat);
  return { ...heartbeat, told, toldIds: () => [...new Set(told.map(({ id }) => id))] };
}

/** Inserts the row of a process that does not exist. */
export async function insertDead(database: Queryable): Promise<string> {
  await database.query("INSERT INTO process (id, roles, started_at, beat) VALUES ('prc_dead', 'web', now(), 7)");
  return "prc_dead";
}

/** The beat of a process, or null without a row. */
export async function readBeat(database: Queryable, id: string): Promise<string | null> {
  const { rows } = await database.query<{ beat: string }>("SELECT beat::text FROM process WHERE id = $1", [id]);
  return rows[0]?.beat ?? null;
}

/** Waits until the row of a process has changed `beats` times; returns a monotonic time before its last change. */
export async function waitForBeats(database: Queryable, id: string, beats = 1): Promise<number> {
  let last = await readBeat(database, id);
  let changes = 0;
  let beforeChange = 0;
  const countChanges = async () => {
    const readAt = performance.now();
    const beat = await readBeat(database, id);
    if (beat === last) beforeChange = readAt;
    else if (beat !== null) changes += 1;
    last = beat;
    return changes;
  };
  await expect.poll(countChanges, { interval: 20 }).toBeGreaterThanOrEqual(beats);
  return beforeChange;
}
