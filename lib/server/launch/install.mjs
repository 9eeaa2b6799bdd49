// Installs the lockfile's packages when they are missing or differ: those that the build and the service need, without those for checks and
// tests only, which are a third of all files.

import { missingPackage } from "./packages.mjs";
import { runProgram } from "./run-program.mjs";
import { runStep } from "./steps.mjs";

// No package needs its install script: what it would fetch or build comes as a package of its own. Warnings about other people's packages help
// nobody here.
const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "--no-update-notifier"];

/**
 * The command that installs the missing packages. Without any package yet, and for a start, npm replaces the whole folder; packages for
 * tests are added to those of a start.
 */
export function installCommand(root, { dev }) {
  const isStarted = dev && missingPackage(root, { dev: false }) === null;
  const how = isStarted ? ["install", "--include=dev", "--no-save"] : ["ci", dev ? "--include=dev" : "--omit=dev"];
  const npm = process.env.npm_execpath ?? "";
  return npm.endsWith("npm-cli.js") ? [process.execPath, [npm, ...how, ...flags]] : ["npm", [...how, ...flags]];
}

/** Installs unless `node_modules` already holds what the lockfile names. @throws Error that says what to do */
export async function installIfChanged(root) {
  if (missingPackage(root, { dev: false }) === null) return;
  const [command, args] = installCommand(root, { dev: false });
  try {
    await runStep("Installing", () => runProgram(command, args, root), "packages, once");
  } catch (error) {
    throw new Error(installProblem(error.message), { cause: error });
  }
}

function installProblem(output) {
  if (/ENOSPC/.test(output)) return "The disk is full. Free about 2 GB, then run npm start again.";
  if (/EACCES|EPERM|EROFS/.test(output))
    return `npm cannot write to this folder. Change its owner or its rights, then run npm start again.\n\n${output}`;
  return `Installing the packages failed. Check the network, then run npm start again.\n\n${output}`;
}
