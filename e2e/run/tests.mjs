// The tests: vitest for code against real databases and servers, Playwright for a person in a browser. Their own reports are shown
// as they arrive; the counts come from the JSON that they write.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root, run } from "./children.mjs";
import { browserTests, findChromium, hasChromium } from "./prepare.mjs";

const longTimeoutMs = 900_000;

/** Runs `work` with a path to which a tool writes its JSON report, and returns the parsed report, or null. */
async function withJson(work) {
  const folder = mkdtempSync(join(tmpdir(), "pennyprompt-run-"));
  // Not in a finally: a run that is stopped never returns here.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "report.json");
  const { code } = await work(file);
  return { code, json: readJson(file) };
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** Adds the counts. A tool that wrote no report, ran no test, or ended badly without a failed test counts as one failure. */
function addCounts(report, step, code, counts) {
  if (counts) report.add(counts);
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 0, skipped: 0 };
  const result = `${passed} passed and ${failed} failed, ${skipped} skipped`;
  if (failed === 0 && (code !== 0 || passed === 0))
    report.fail(step, `${step} ended with code ${code} after ${result}: see its output above.`);
  else report.say(step, result);
}

/** Counts vitest's report; a file that could not be loaded counts as one failure. */
function countVitest(json) {
  if (!json) return null;
  const brokenFiles = json.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((item) => item.status === "failed"),
  );
  return {
    passed: json.numPassedTests,
    failed: json.numFailedTests + brokenFiles.length,
    skipped: json.numPendingTests + json.numTodoTests,
  };
}

/** Runs the unit tests: all of them, or the files whose paths contain one of `only`. With `long`, every case of their samples. */
export async function runVitest(report, { long = false, only = [], env = {} } = {}) {
  report.say("vitest", "running");
  const longArgs = long ? [`--testTimeout=${longTimeoutMs}`, `--hookTimeout=${longTimeoutMs}`] : [];
  const { code, json } = await withJson((file) =>
    run(
      "node_modules/.bin/vitest",
      ["run", "--allowOnly=false", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`, ...longArgs, ...only],
      {
        env: { ...(long ? { LONG: "1" } : {}), ...env },
        echo: true,
      },
    ),
  );
  const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1_000;
  report.times.addFiles((json?.testResults ?? []).map((result) => ({ file: relative(root, result.name ?? ""), seconds: seconds(result) })));
  addCounts(report, "vitest", code, countVitest(json));
}

/** Counts Playwright's report. A test that passed only on retry is a failure: it is not reliable. */
function countPlaywright(json) {
  if (!json) return null;
  const { expected, unexpected, flaky, skipped } = json.stats;
  return { passed: expected, failed: unexpected + flaky + json.errors.length, skipped };
}

/** The seconds of a file's tests, one after the other. */
function playwrightSeconds({ specs = [], suites = [] }) {
  const results = specs.flatMap(({ tests }) => tests.flatMap((test) => test.results));
  return (
    results.reduce((sum, { duration }) => sum + duration / 1_000, 0) + suites.reduce((sum, suite) => sum + playwrightSeconds(suite), 0)
  );
}

/** Runs the browser tests: all of them, or the files in `only`. With `long`, every case of their samples. */
export async function runBrowser(report, { long = false, only = [] } = {}) {
  const files = browserTests();
  if (files.length === 0) return report.say("browser", "there are no browser tests");
  if (!hasChromium()) {
    report.add({ skipped: files.length });
    return report.say("browser", `${files.length} files skipped: there is no Chromium`);
  }
  report.say("browser", "running");
  const chromium = findChromium();
  const { code, json } = await withJson((file) =>
    run(
      "node_modules/.bin/playwright",
      ["test", "--config", "e2e/playwright.config.ts", "--forbid-only", "--reporter=list,json", ...only],
      {
        env: { PLAYWRIGHT_JSON_OUTPUT_NAME: file, ...(chromium ? { CHROMIUM_PATH: chromium } : {}), ...(long ? { LONG: "1" } : {}) },
        echo: true,
      },
    ),
  );
  report.times.addFiles((json?.suites ?? []).map((suite) => ({ file: `e2e/${suite.file}`, seconds: playwrightSeconds(suite) })));
  addCounts(report, "browser", code, countPlaywright(json));
}

/** How the bench ends when it ran whole and each figure met its target, and when one missed it, as on a busy machine. */
const benchEnds = [0, 2];

/** Runs the bench once at its quick pace, so that a bench that no longer reaches its end is seen. Its figures are not judged. */
export async function runBench(report) {
  const since = Date.now();
  const { code } = await run(process.execPath, ["bench/run.mjs", "quick"], { echo: true });
  if (benchEnds.includes(code)) report.pass("bench", since);
  else report.fail("bench", `node bench/run.mjs quick ended with code ${code}: see its output above.`);
}
