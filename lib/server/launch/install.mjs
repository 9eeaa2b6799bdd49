// Installs the lockfile's packages when they are missing or differ. Development packages too: the build needs them.

import { missingPackage } from "./packages.mjs";
import { runQuietly } from "./run.mjs";
import { step } from "./steps.mjs";

/** NODE_ENV=production would leave out what the build needs; a package that is in npm's cache is not asked for again. */
export const installArgs = ["ci", "--include=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

/** Installs unless `node_modules` already matches the lockfile. */
export async function installIfChanged(root) {
  const missing = missingPackage(root);
  if (missing === null) return;
  const npm = process.env.npm_execpath ?? "";
  const [command, args] = npm.endsWith("npm-cli.js") ? [process.execPath, [npm, ...installArgs]] : ["npm", installArgs];
  try {
    await step(`Installing packages (${missing})`, () => runQuietly(command, args, { cwd: root }));
  } catch (error) {
    process.stderr.write(
      `${error.message}\n\nThe packages could not be installed. Check your network connection, then run npm start again.\n`,
    );
    process.exit(1);
  }
}
