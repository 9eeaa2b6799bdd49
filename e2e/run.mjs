// All checks and tests in one command, on a machine with only Node: `npm test`. With --check only the quick checks (`npm run check`),
// with --changed the checks and the tests near the working tree's changes (`npm run test:changed`), with --long every case of the tests
// that take hours, whole or in parts (`npm run test:long -- PART`). Node builtins only.

import { prepareAgents } from "./run/agents.mjs";
import { chooseChanged } from "./run/changed.mjs";
import { allChecks, checksBeforeTests, runChecks } from "./run/checks.mjs";
import { stopAll } from "./run/children.mjs";
import { longFolders, longParts } from "./run/long.mjs";
import { browserTests, prepareBuild, prepareClient, preparePackages, prepareTools } from "./run/prepare.mjs";
import { createReport } from "./run/report.mjs";
import { runBench, runBrowser, runVitest } from "./run/tests.mjs";

const oldestNode = [20, 19];
// A run takes ten minutes on two quiet cores; a slow machine may take longer, but a hanging run is stopped.
const limitMinutes = { "": 60, "--check": 5, "--changed": 30, "--long": 300 };

const report = createReport();
let isEnding = false;

/** Stops everything and prints the counts; the first reason to end wins. */
async function end(exitCode) {
  if (isEnding) return;
  isEnding = true;
  await stopAll();
  const code = report.end();
  process.exit(exitCode ?? code);
}

/** The mode and its argument: the part of a long run, or the revision that changes are counted from. */
function readMode() {
  const [mode = "", argument, ...rest] = process.argv.slice(2);
  const isKnown = mode in limitMinutes && rest.length === 0;
  const takes = { "--long": longParts.includes(argument), "--changed": true };
  if (isKnown && (argument === undefined || takes[mode])) return { mode, argument };
  const cure =
    mode === "--long"
      ? `npm run test:long takes one of ${longParts.join(", ")}, or nothing for all of them.`
      : "npm test takes no arguments; see npm run check, npm run test:changed and npm run test:long. For one file: npx vitest run <file>.";
  report.fail("arguments", cure);
  return null;
}

function isNodeOldEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isNew = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (!isNew)
    report.fail("node", `Node ${process.versions.node} is too old: install Node ${oldestNode.join(".")} or later; 24 is recommended.`);
  return isNew;
}

function watchTheEnd(mode) {
  for (const [name, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
    process.on(name, () => {
      if (!isEnding) report.say("stopped", `by ${name}; ending what was started`);
      void end(code);
    });
  }
  const minutes = Number(process.env.RUN_LIMIT_MINUTES) || limitMinutes[mode];
  setTimeout(() => {
    report.fail("time", `The run was not over after ${minutes} minutes and was stopped. RUN_LIMIT_MINUTES=90 gives it longer.`);
    void end(1);
  }, minutes * 60_000).unref();
}

async function main() {
  const asked = readMode();
  if (asked === null || !isNodeOldEnough()) return;
  const { mode, argument } = asked;
  watchTheEnd(mode);
  const part = report.times.part;
  if (!(await part("install", () => preparePackages(report)))) return;
  await prepareClient(report);
  if (mode === "--check") return part("checks", () => runChecks(report, allChecks));
  if (mode === "--changed") return testChanged(argument);
  await part("tools", () => prepareTools(report, { browser: browserTests().length > 0 }));
  if (mode === "--long") return testLong(argument === undefined ? longParts : [argument]);
  await part("checks", () => runChecks(report, checksBeforeTests));
  await part("build", () => prepareBuild(report));
  await part("unit tests", () => runVitest(report));
  await part("browser tests", () => runBrowser(report));
}

async function testLong(parts) {
  if (["agents", "browser", "bench"].some((name) => parts.includes(name))) await report.times.part("build", () => prepareBuild(report));
  for (const name of parts) {
    const work = { agents: () => runAgents(report), browser: () => runBrowser(report, { long: true }), bench: () => runBench(report) };
    await report.times.part(name, work[name] ?? (() => runVitest(report, { long: true, only: longFolders[name] })));
  }
}

async function runAgents(report) {
  if (await prepareAgents(report)) await runVitest(report, { long: true, only: ["e2e/agents/"], env: { AGENT_SESSIONS: "1" } });
}

async function testChanged(since = "HEAD") {
  const part = report.times.part;
  await part("checks", () => runChecks(report, allChecks));
  const { unit, browser, left } = await chooseChanged(report, since);
  if (unit.length > 0) await part("unit tests", () => runVitest(report, { only: unit }));
  if (browser.length > 0) {
    await part("tools", () => prepareTools(report, { browser: true }));
    await part("build", () => prepareBuild(report));
    await part("browser tests", () => runBrowser(report, { only: browser }));
  }
  if (left > 0) report.say("changed", `${left} test files further away did not run: npm test runs them`);
}

main().then(
  () => end(),
  (error) => {
    report.fail("run", error.stack ?? String(error));
    return end(1);
  },
);
