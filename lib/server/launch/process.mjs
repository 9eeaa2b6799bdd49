// The first steps of every process of the service, in the repository and in the package: the launcher, the packaged server and the
// operator's commands. It uses only Node's own modules, since nothing else may be installed yet.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

/** The folder of the service. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** Works in the service's folder, with the variables of its `.env` file; variables already set win. */
export function enterRoot() {
  process.chdir(root);
  if (existsSync(".env")) process.loadEnvFile(".env");
}

/** The same for a process that serves, with the memory it may take and the settings of Next. */
export function enterServer() {
  // Old-space garbage is collected once there is as much of it as of live objects, instead of up to three times as much: 100 MB less
  // under load, for half a percent more CPU. V8 reads this at each collection, so it can be set after the process began. The size of
  // the young generation cannot: package.json gives Node twice the default; otherwise under load whole requests are promoted before
  // they end, for 3 to 5 % more CPU.
  setFlagsFromString("--heap-growing-percent=100");
  enterRoot();
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  // Next would load .env again: that puts secrets into the build, and the passphrase back into a process that has dropped it.
  process.env.__NEXT_PROCESSED_ENV = "1";
}

/** The path of a bundle that the build made. */
export const bundlePath = (name) => join(root, "dist", `${name}.mjs`);

/** Runs the `main` of a bundle. */
export async function runBundle(name, options) {
  const { main } = await import(pathToFileURL(bundlePath(name)).href);
  await main(options);
}
