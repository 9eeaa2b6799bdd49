// The runner of `npm test`, driven through a small project whose tools are scripts that pass, fail, hang or break on demand.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";

const folders: string[] = [];
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) if (child.pid && child.exitCode === null) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const passes = "process.exit(0);";
const vitestReport = (counts: object, files: object[] = []) => {
  const json = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: files, ...counts };
  return `const file = process.argv.find((text) => text.startsWith("--outputFile.json=")).split("=")[1];
    require("node:fs").writeFileSync(file, ${JSON.stringify(JSON.stringify(json))});`;
};

/** A project of only the runner and its tools; `tools` replaces what a tool does. */
function project(tools: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "runner-"));
  folders.push(root);
  const write = (file: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    chmodSync(join(root, file), mode);
  };
  cpSync("e2e/run.mjs", join(root, "e2e/run.mjs"));
  cpSync("e2e/run", join(root, "e2e/run"), { recursive: true });
  cpSync("lib/server/launch/packages.mjs", join(root, "lib/server/launch/packages.mjs"));
  write("package-lock.json", JSON.stringify({ packages: {} }));
  write("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));
  write("lib/db/generate.mjs", "");
  const all = {
    tsc: passes,
    biome: passes,
    depcruise: passes,
    knip: passes,
    vitest: vitestReport({ numPassedTests: 7 }),
    "redis-server": passes,
    ...tools,
  };
  for (const [name, script] of Object.entries(all)) write(`node_modules/.bin/${name}`, `#!${process.execPath}\n${script}\n`, 0o755);
  return root;
}

interface Ending {
  code: number | null;
  output: string;
  lastLine: string;
}

function start(root: string, args: string[] = [], env: Record<string, string> = {}) {
  const path = `${join(root, "node_modules/.bin")}:${process.env.PATH}`;
  const child = spawn(process.execPath, ["e2e/run.mjs", ...args], {
    cwd: root,
    env: { NODE_ENV: "test", PATH: path, HOME: root, CHROMIUM_PATH: "/bin/true", ...env },
  });
  children.push(child);
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const ended = new Promise<Ending>((resolve) =>
    child.on("close", (code) => resolve({ code, output, lastLine: output.trimEnd().split("\n").at(-1) ?? "" })),
  );
  return { child, ended };
}

test("what passed is counted: four checks and the tests", async () => {
  const { code, lastLine } = await start(project({})).ended;
  expect([code, lastLine]).toEqual([0, "11 passed, 0 failed"]);
});

test("a check that fails is shown, counted, and does not stop the tests", async () => {
  const { code, output, lastLine } = await start(project({ biome: 'console.log("line 3 is wrong"); process.exit(1);' })).ended;
  expect([code, lastLine]).toEqual([1, "10 passed, 1 failed"]);
  expect(output).toContain("line 3 is wrong");
});

test("failed tests and files that cannot be loaded are counted", async () => {
  const broken = { status: "failed", assertionResults: [] };
  const { code, lastLine } = await start(
    project({ vitest: `${vitestReport({ numPassedTests: 5, numFailedTests: 2 }, [broken])} process.exit(1);` }),
  ).ended;
  expect([code, lastLine]).toEqual([1, "9 passed, 3 failed"]);
});

test("a test run that ends badly without a failed test counts as one failure, and keeps its other results", async () => {
  expect((await start(project({ vitest: "process.exit(1);" })).ended).lastLine).toBe("4 passed, 1 failed");
  expect((await start(project({ vitest: "process.exit(0);" })).ended).lastLine).toBe("4 passed, 1 failed");
  expect((await start(project({ vitest: `${vitestReport({ numPassedTests: 7 })} process.exit(1);` })).ended).lastLine).toBe(
    "11 passed, 1 failed",
  );
});

test("skipped tests are reported, and fail in CI", async () => {
  const root = project({ vitest: vitestReport({ numPassedTests: 7, numPendingTests: 1, numTodoTests: 1 }) });
  expect(await start(root).ended).toMatchObject({ code: 0, lastLine: "11 passed, 0 failed, 2 skipped" });
  expect(await start(root, [], { CI: "true" }).ended).toMatchObject({ code: 1, lastLine: "11 passed, 2 failed" });
});

test("browser tests are counted, and a test that passed only on retry counts as failed", async () => {
  const stats = JSON.stringify({ stats: { expected: 3, unexpected: 0, flaky: 1, skipped: 0 }, errors: [] });
  const root = project({
    playwright: `require("node:fs").writeFileSync(process.env.PLAYWRIGHT_JSON_OUTPUT_NAME, ${JSON.stringify(stats)});`,
  });
  writeFileSync(join(root, "e2e/journey.spec.ts"), "");
  expect(await start(root).ended).toMatchObject({ code: 1, lastLine: "14 passed, 1 failed" });
});

test("the checks alone are five, the tidy rules among them", async () => {
  expect(await start(project({ vitest: passes }), ["--check"]).ended).toMatchObject({ code: 0, lastLine: "5 passed, 0 failed" });
});

test("packages, including development ones, are installed when they differ from the lockfile", async () => {
  const root = project({ npm: "console.log(process.argv.slice(2).join(' ')); process.exit(1);" });
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "node_modules/a": { version: "2.0.0" } } }));
  const { code, output, lastLine } = await start(root, [], { NODE_ENV: "production" }).ended;
  expect(output).toContain("ci --include=dev");
  expect([code, lastLine]).toEqual([1, "0 passed, 1 failed"]);
});

// Starts a process in its own group, as a database server would be, and waits forever.
const hangs = (file: string) => `const { spawn } = require("node:child_process");
  const server = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  require("node:fs").writeFileSync(${JSON.stringify(file)}, String(server.pid));
  setInterval(() => {}, 1000);`;

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

async function pidIn(file: string): Promise<number> {
  return await vi.waitFor(() => Number(readFileSync(file, "utf8")) || Promise.reject(new Error("not started yet")), { timeout: 30_000 });
}

test.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM"] as const)(
  "%s ends everything that was started, and still prints the counts",
  async (signal) => {
    const pidFile = join(tmpdir(), `runner-${process.pid}-${signal}`);
    folders.push(pidFile);
    const { child, ended } = start(project({ vitest: hangs(pidFile) }));
    const pid = await pidIn(pidFile);
    expect(isAlive(pid)).toBe(true);
    child.kill(signal);
    const { code, lastLine } = await ended;
    expect([code, lastLine]).toEqual([signal === "SIGINT" ? 130 : 143, "4 passed, 0 failed"]);
    expect(isAlive(pid)).toBe(false);
  },
);

test("a run that takes too long is stopped, and reports that", async () => {
  const pidFile = join(tmpdir(), `runner-${process.pid}-limit`);
  folders.push(pidFile);
  const { code, output, lastLine } = await start(project({ vitest: hangs(pidFile) }), [], { RUN_LIMIT_MINUTES: "0.03" }).ended;
  expect(output).toContain("was not over after 0.03 minutes");
  expect([code, lastLine]).toEqual([1, "4 passed, 1 failed"]);
});
