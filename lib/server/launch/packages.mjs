// Whether the installed packages match the lockfile.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Compares the lockfile with npm's record of what it installed; returns the first difference, or null. Without `dev`, packages that only
 * checks and tests need may be missing.
 */
export function missingPackage(root, { dev }) {
  const installed = readPackages(join(root, "node_modules/.package-lock.json"));
  if (installed === null) return "none there yet";
  const locked = readPackages(join(root, "package-lock.json")) ?? {};
  for (const [path, entry] of Object.entries(locked)) {
    // Optional packages are left out where they do not fit the system.
    if (path === "" || !path.includes("node_modules/") || (entry.optional && !installed[path])) continue;
    if (entry.dev && !dev) continue;
    if (installed[path]?.version !== entry.version || installed[path]?.integrity !== entry.integrity)
      return `${path} is not as in the lockfile`;
  }
  return null;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return null; // missing or incomplete: nothing is known
  }
}
