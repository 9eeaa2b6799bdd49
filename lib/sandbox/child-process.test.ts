import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type ChildOptions, startChild } from "./child-process";

/** A program without our protocol: prints its pid and then waits forever. */
const STUBBORN = `console.log("pid " + process.pid); setInterval(() => {}, 1e6);`;
const OBEDIENT = `process.stdin.once("close", () => process.exit(0)).resume(); ${STUBBORN}`;

const readPid = (line: string) => (line.startsWith("pid ") ? Number(line.slice(4)) : undefined);

function node(script: string, more: Partial<ChildOptions<number>> = {}): ChildOptions<number> {
  return { name: "test program", command: process.execPath, args: ["-e", script], endsWithStdin: false, readReady: readPid, ...more };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilEnded(pid: number): Promise<void> {
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, "SIGKILL")));
  for (let tries = 0; isRunning(pid); tries++) {
    if (tries > 1000) throw new Error(`process ${pid} is still running`);
    await sleep(10);
  }
}

let folder: string;
let modulePath: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "child-process-"));
  modulePath = join(folder, "child-process.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./child-process.ts", import.meta.url))],
    outfile: modulePath,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  { endsWithStdin: true, script: OBEDIENT },
  { endsWithStdin: false, script: STUBBORN },
])("stop ends the program and waits for it (endsWithStdin $endsWithStdin)", async ({ endsWithStdin, script }) => {
  const child = await startChild(node(script, { endsWithStdin }));
  expect(isRunning(child.ready)).toBe(true);
  await child.stop();
  expect(isRunning(child.ready)).toBe(false);
  expect(isRunning(child.pid)).toBe(false);
  await child.stop();
});

test("a program that does not end is killed", async () => {
  const child = await startChild(node(`process.on("SIGTERM", () => {}); ${STUBBORN}`, { stopTimeoutMs: 200 }));
  expect(await child.stop()).toMatchObject({ signal: "SIGKILL" });
  await untilEnded(child.ready);
});

test.each([
  { endsWithStdin: true, script: OBEDIENT },
  { endsWithStdin: false, script: STUBBORN },
])("a child ends when its parent is killed with -9 (endsWithStdin $endsWithStdin)", async ({ endsWithStdin, script }) => {
  const options = JSON.stringify({ name: "test program", command: process.execPath, args: ["-e", script], endsWithStdin });
  const parent = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { startChild } from ${JSON.stringify(modulePath)};
     const child = await startChild({ ...${options}, readReady: (line) => line.startsWith("pid ") ? Number(line.slice(4)) : undefined });
     console.log(child.pid + " " + child.ready);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const pids = line.split(" ").map(Number);
  expect(pids.every(isRunning)).toBe(true);
  parent.kill("SIGKILL");
  for (const pid of pids) await untilEnded(pid);
});

test("a program that ends on its own is reported with its exit code and last stderr output, and leaves nothing behind", async () => {
  const child = await startChild(node(`console.log("pid " + process.pid); console.error("out of ideas"); process.exitCode = 3;`));
  expect(await child.ended).toEqual({ code: 3, signal: null, lastWords: "out of ideas" });
});

test("a program that ends before it is ready, is never ready, or does not exist is an error that says so", async () => {
  await expect(startChild(node(`console.error("no luck"); process.exit(7)`))).rejects.toThrow(
    "The test program ended before it was ready (7): no luck",
  );
  await expect(startChild(node("setInterval(() => {}, 1e6)", { readyTimeoutMs: 100 }))).rejects.toThrow(
    "The test program did not start within 100 ms.",
  );
  await expect(startChild(node("", { command: "/nowhere/to/be/found", endsWithStdin: true }))).rejects.toThrow("/nowhere/to/be/found");
});

test("a child gets only the environment variables that every program needs", async () => {
  process.env.SECRET_OF_OURS = "x";
  onTestFinished(() => void delete process.env.SECRET_OF_OURS);
  const child = await startChild({
    ...node(`console.log(JSON.stringify(process.env)); process.stdin.resume().once("close", () => process.exit())`),
    endsWithStdin: true,
    readReady: (line) => JSON.parse(line) as Record<string, string>,
  });
  onTestFinished(async () => void (await child.stop()));
  expect(child.ready).toMatchObject({ PATH: process.env.PATH });
  expect(child.ready).not.toHaveProperty("SECRET_OF_OURS");
});
