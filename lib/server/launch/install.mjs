// Installs the lockfile's packages when they are missing or differ. Development packages too: the build needs them.

import { spawnSync } from "node:child_process";
import { missingPackage } from "./packages.mjs";

/** Installs unless `node_modules` already matches the lockfile. */
export function installIfChanged(root) {
  const missing = missingPackage(root);
  if (missing === null) return;
  process.stdout.write(`Installing packages (${missing})…\n`);
  const npm = process.env.npm_execpath ?? "";
  // NODE_ENV=production would leave out what the build needs.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"] };
  const { status, error } = npm.endsWith("npm-cli.js")
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync("npm", args, options);
  if (status === 0) return;
  process.stderr.write(
    `Installing the packages failed${error ? `: ${error.message}` : ""}. Check the network, then run npm start again.\n`,
  );
  process.exit(1);
}
