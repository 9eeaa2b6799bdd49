// The runner of `npm test`, driven through a small project whose tools are scripts that pass, fail, hang or break on demand.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { longFolders } from "./run/long.mjs";

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
  cpSync("lib/server/launch", join(root, "lib/server/launch"), { recursive: true });
  write("lib/server/launch.mjs", "");
  write("package-lock.json", JSON.stringify({ packages: {} }));
  write("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));
  write("lib/db/generate.mjs", "");
  const all = {
    "../typescript-native/bin/tsc": passes,
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

test("each part's time and CPU and the slowest files are printed and kept, a part over its budget with a warning", async () => {
  const files = [40, 2, 90].map((seconds, index) => ({
    name: `lib/${index}.test.ts`,
    startTime: 0,
    endTime: seconds * 1_000,
    assertionResults: [],
  }));
  const root = project({ vitest: vitestReport({ numPassedTests: 7 }, files) });
  writeFileSync(join(root, "e2e/run/parts.mjs"), readFileSync("e2e/run/parts.mjs", "utf8").replace(/checks: \d+/, "checks: 0"));
  const { code, output } = await start(root).ended;
  expect(code).toBe(0);
  expect(output).toMatch(/^time +checks +\d+\.\d s +\d+ CPU s {2}WARNING: its budget is 0 s$/m);
  expect(output).toMatch(/^time +unit tests +\d+\.\d s +\d+ CPU s$/m);
  expect([...output.matchAll(/^slow +([\d.]+) s/gm)].map(([, seconds]) => seconds)).toEqual(["90.0", "40.0", "2.0"]);
  const kept = JSON.parse(readFileSync(join(root, ".data/test-times.json"), "utf8")) as { parts: { name: string }[]; files: unknown[] };
  expect(kept.parts.map(({ name }) => name)).toEqual(["install", "tools", "checks", "build", "unit tests", "browser tests"]);
  expect(kept.files).toHaveLength(3);
});

test("a long run takes one part, each test file belongs to one, and an unknown part is refused with the names of all", async () => {
  const asked = 'console.log("asked for", process.env.LONG, ...process.argv.slice(2).filter((word) => !word.startsWith("-")));';
  const root = project({ vitest: `${asked}${vitestReport({ numPassedTests: 3 })}` });
  const { code, output } = await start(root, ["--long", "wallets"]).ended;
  expect(code).toBe(0);
  expect(output).toContain("asked for 1 run lib/wallets/");
  const refused = await start(root, ["--long", "nothing"]).ended;
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("takes one of server, wallets, payments") });
  const tests = execFileSync("git", ["ls-files", "*.test.ts", "*.test.tsx"], { encoding: "utf8" }).trim().split("\n");
  const parts = Object.values(longFolders);
  for (const file of tests) expect([file, parts.filter((part) => part.some((folder) => file.includes(folder))).length]).toEqual([file, 1]);
});

test("the tests near a change run: those that import it, name it, or call an SQL function of it", async () => {
  const root = project({
    vitest: `if (process.argv.includes("lib/tidy/vitest.config.ts")) process.exit(0);
      console.log("near", ...process.argv.filter((word) => word.endsWith(".test.ts")));${vitestReport({ numPassedTests: 3 })}`,
  });
  symlinkSync(resolve("node_modules/esbuild"), join(root, "node_modules/esbuild"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write(".gitignore", "node_modules\n.data\n");
  write("lib/a.ts", "export const a = 1;");
  write("lib/a.test.ts", 'import "./a";');
  write("lib/b.ts", 'export const query = "SELECT ledger_sum()";');
  write("lib/b.test.ts", 'import "./b";');
  write("lib/c.test.ts", 'export const started = "lib/child.ts";');
  write("lib/child.ts", "export const c = 1;");
  write("lib/d.test.ts", "export const d = 1;");
  write("prisma/functions/sum.sql", "CREATE OR REPLACE FUNCTION ledger_sum() RETURNS bigint;");
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], { cwd: root });
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-qm", "all"],
  ])
    git(...args);
  for (const file of ["lib/a.ts", "lib/child.ts"]) write(file, "export const a = 2; export const c = 2;");
  write("prisma/functions/sum.sql", "-- Sums.\nCREATE OR REPLACE FUNCTION ledger_sum() RETURNS bigint;");
  const { code, output } = await start(root, ["--changed"]).ended;
  const near = /^near (.*)$/m.exec(output)?.[1]?.split(" ").toSorted();
  expect([code, near]).toEqual([0, ["lib/a.test.ts", "lib/b.test.ts", "lib/c.test.ts"]]);
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
