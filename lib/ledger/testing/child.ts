// Child processes for tests: TypeScript bundled into a standalone program, controlled by lines of JSON, and ended after the test in any
// case.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once as nextEvent } from "node:events";
import { rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";

const running = new Set<Child>();

export interface Child {
  /** Sends an order and resolves to the next answer that is not taken yet. */
  ask(order: unknown): Promise<unknown>;
  send(order: unknown): void;
  /** Calls back for every answer from now on. */
  onAnswer(tell: (answer: unknown) => void): void;
  /** SIGKILL; resolves when the process is gone and all its output has been read. */
  kill(): Promise<void>;
}

/** Run it after each test. */
export async function killChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.kill()));
}

/** Starts a program, of this folder or with its path, and waits for its first line, which reports that it is ready. */
export async function startChild(program: string, ...args: string[]): Promise<Child> {
  const outfile = bundle(program);
  const child = spawn(process.execPath, [outfile, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, LOG_LEVEL: "silent", MODE: "sandbox" },
  });
  child.stdin.on("error", () => undefined); // it was killed while we wrote to it
  const lines = createInterface(child.stdout);
  const closed = Promise.all([nextEvent(child, "close"), nextEvent(lines, "close")]);
  const answers: unknown[] = [];
  let wake = () => {};
  let tell: ((answer: unknown) => void) | null = null;
  lines.on("line", (line) => {
    const answer: unknown = JSON.parse(line);
    if (tell) tell(answer);
    else answers.push(answer);
    wake();
  });
  const next = async (): Promise<unknown> => {
    while (answers.length === 0) {
      const ended = await Promise.race([new Promise<false>((resolveNext) => (wake = () => resolveNext(false))), closed.then(() => true)]);
      if (ended && answers.length === 0) throw new Error(`${program} ended without an answer`);
    }
    return answers.shift();
  };
  const started: Child = {
    ask: (order) => {
      started.send(order);
      return next();
    },
    send: (order) => child.stdin.write(`${JSON.stringify(order)}\n`),
    onAnswer: (callback) => {
      tell = callback;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
      running.delete(started);
      rmSync(outfile, { force: true });
    },
  };
  running.add(started);
  await next();
  return started;
}

function bundle(program: string): string {
  const outfile = resolve("node_modules/.cache/pennyprompt", `${basename(program)}-${randomBytes(6).toString("hex")}.mjs`);
  const entryPoints = [program.includes("/") ? `${program}.ts` : `lib/ledger/testing/${program}.ts`];
  buildSync({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", packages: "external", alias: { "@": resolve(".") } });
  return outfile;
}
