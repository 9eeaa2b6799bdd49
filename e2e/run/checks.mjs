// The checks: types, biome, the import layers, dead code, and the tidy rules. Each counts as one.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./children.mjs";

const plain = { NO_COLOR: "1", FORCE_COLOR: undefined };
const sources = ["lib", "app", "components", "e2e", "bench"].filter((folder) => existsSync(join(root, folder)));

// Each tool reports its own findings; a fix is added where it is a command.
/** The native compiler: an eighth of the CPU time. One checker, since several check the large types of packages once each. */
const types = {
  name: "types",
  command: "../typescript-native/bin/tsc",
  args: ["--noEmit", "--pretty", "false", "--checkers", "1"],
};
const biome = {
  name: "biome",
  command: "biome",
  args: ["ci", "--colors=off", "--error-on-warnings", "--max-diagnostics=50", "."],
  cure: "Most of this is mended by: npm run format",
};
const staircase = {
  name: "staircase",
  command: "depcruise",
  args: ["--output-type", "err-long", ...sources],
};
const deadCode = { name: "dead code", command: "knip", args: ["--no-progress", "--no-config-hints"] };
const tidy = { name: "tidy", command: "vitest", args: ["run", "--config", "lib/tidy/vitest.config.ts", "--reporter=default"] };

/** `npm test` runs the tidy rules with all other tests. */
export const checksBeforeTests = [types, biome, staircase, deadCode];
export const allChecks = [types, tidy, biome, staircase, deadCode];

/** Runs `checks`, two at a time. */
export async function runChecks(report, checks) {
  const waiting = [...checks];
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) await runCheck(report, check);
  };
  await Promise.all([worker(), worker()]);
}

async function runCheck(report, { name, command, args, cure }) {
  const since = Date.now();
  const result = await run(`node_modules/.bin/${command}`, args, { env: plain });
  if (result.code === 0) report.pass(name, since);
  else report.fail(name, result.output || `${command} ended with code ${result.code} and said nothing`, cure);
}
