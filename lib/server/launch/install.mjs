// Installs the packages of the lockfile when they are missing or the lockfile changed since. Development packages too: the
// build needs them.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Installs unless `node_modules` is already what the lockfile says. */
export function installIfChanged(root) {
  const lockfile = createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
  const stamp = join(root, "node_modules/.installed-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockfile) return;
  process.stdout.write("Installing packages (once)…\n");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, error } = spawnSync(npm, ["ci", "--include=dev", "--no-audit", "--no-fund"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) {
    process.stderr.write(`Installing the packages failed${error ? `: ${error.message}` : ""}. Check the network, then run npm start again.\n`);
    process.exit(1);
  }
  writeFileSync(stamp, lockfile);
}
