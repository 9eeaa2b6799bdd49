// The number of modules a reader must open to follow one prompt: those in which a function runs, as V8 counts them.

import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MAX_FILE_LINES, MAX_PROMPT_MODULES } from "@/lib/tidy/limits";
import { openAccount } from "./testing/accounts";
import { ask, promptOf } from "./testing/client";
import { openService } from "./testing/service";

const service = await openService();

/** The product's modules in which a function ran during `work`, as paths from the repository's root. */
async function modulesOf(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Debugger.enable");
  const ran: string[] = [];
  for (const { scriptId, url, functions } of result.filter((script) => script.url.includes("/lib/"))) {
    const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId });
    // The test runner's own function, through which another module reads an export.
    const isExport = ({ startOffset, endOffset }: Profiler.CoverageRange) =>
      /^\(\) ?=>.{0,20}return/.test(scriptSource.slice(startOffset, endOffset));
    if (functions.some(({ ranges: [range] }) => range && range.count > 0 && !isExport(range))) ran.push(url);
  }
  session.disconnect();
  const paths = ran.map((url) => relative(process.cwd(), url.startsWith("file:") ? fileURLToPath(url) : url));
  // The heart asks several times a second, whatever else runs: on a slow machine within each prompt.
  const beside = /\.test\.ts$|\/testing\/|^lib\/(sandbox|tidy)\/|^lib\/db\/heartbeat|^lib\/base\/observe\/event-loop/;
  return paths.filter((path) => path.startsWith("lib/") && !beside.test(path)).sort();
}

test("one JSON prompt runs through few modules, and none of them is long", async () => {
  const { key } = await openAccount();
  const prompt = async () => expect((await ask({ url: service.url("node"), key, body: promptOf() })).status).toBe(200);
  await prompt(); // creates everything that is created once
  // Only modules in all runs count: a heartbeat or another timer may fall into one of them. On a busy machine timers are overdue: the pause
  // lets them run before the count, and more runs find one without them.
  let modules = await modulesOf(prompt);
  for (let run = 1; run < 10 || (run < 50 && modules.length > MAX_PROMPT_MODULES); run += 1) {
    await sleep(100);
    const inThisRun = await modulesOf(prompt);
    modules = modules.filter((path) => inThisRun.includes(path));
  }
  const lines = modules.map((path) => readFileSync(path, "utf8").split("\n").length - 1);
  process.stdout.write(`${modules.length} modules\n${modules.map((path, index) => `${lines[index]}\t${path}`).join("\n")}\n`);
  expect(modules.length).toBeGreaterThan(10);
  expect(modules.length).toBeLessThanOrEqual(MAX_PROMPT_MODULES);
  expect(Math.max(...lines)).toBeLessThanOrEqual(MAX_FILE_LINES);
});
