// Installs the lockfile's packages when they are missing or differ. Development packages too: the build needs them.

import { missingPackage } from "./packages.mjs";
import { runProgram } from "./run-program.mjs";
import { runStep } from "./steps.mjs";

// NODE_ENV=production would leave out what the build needs. Warnings about other people's packages help nobody here.
const npmArguments = ["ci", "--include=dev", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "--no-update-notifier"];

/** Installs unless `node_modules` already matches the lockfile. @throws Error that says what to do */
export async function installIfChanged(root) {
  const missing = missingPackage(root);
  if (missing === null) return;
  const npm = process.env.npm_execpath ?? "";
  const [command, args] = npm.endsWith("npm-cli.js") ? [process.execPath, [npm, ...npmArguments]] : ["npm", npmArguments];
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
