// All checks and tests in one command, on a machine with only Node: `npm test`. With --check only the quick checks (`npm run check`),
// with --long also every case of the tests that take hours (`npm run test:long`). Node builtins only.

import { allChecks, checksBeforeTests, runChecks } from "./run/checks.mjs";
import { stopAll } from "./run/children.mjs";
import { prepareClient, preparePackages, prepareTools } from "./run/prepare.mjs";
import { createReport } from "./run/report.mjs";
import { browserTests, runBrowser, runVitest } from "./run/tests.mjs";

const oldestNode = [20, 19];
// A run should take less than fifteen minutes on two cores; a slow machine may take longer, but a hanging run is stopped.
const limitMinutes = { "": 60, "--check": 5, "--long": 240 };

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

function readMode() {
  const [mode = "", ...rest] = process.argv.slice(2);
  if (rest.length === 0 && mode in limitMinutes) return mode;
  report.fail("arguments", "npm test takes no arguments; see npm run check and npm run test:long. For one file: npx vitest run <file>.");
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
  const mode = readMode();
  if (mode === null || !isNodeOldEnough()) return;
  watchTheEnd(mode);
  if (!(await preparePackages(report))) return;
  await prepareClient(report);
  if (mode === "--check") return runChecks(report, allChecks);
  await prepareTools(report, { browser: browserTests().length > 0 });
  await runChecks(report, checksBeforeTests);
  await runVitest(report, { long: mode === "--long" });
  await runBrowser(report);
}

main().then(
  () => end(),
  (error) => {
    report.fail("run", error.stack ?? String(error));
    return end(1);
  },
);
