// `npm start`: installs what is missing, builds what has changed, and runs the service in this same process. It uses only Node's
// own modules, since nothing else may be installed yet.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { buildIfChanged } from "./launch/build.mjs";
import { withBuildEnvironment } from "./launch/environment.mjs";
import { installIfChanged } from "./launch/install.mjs";
import { stopPrograms } from "./launch/run-program.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const dev = process.argv.includes("--dev");
let isStopping = false;

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`This needs Node.js 20.19 or newer (24 is recommended); this is ${process.versions.node}.\n`);
  process.exit(1);
}

/** Ends the install and the build. Once the service runs, it handles signals itself and stops in order. */
function stopOnSignal() {
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
    process.on(signal, async () => {
      isStopping = true;
      await stopPrograms();
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
}

/** Loads the variables of a `.env` file beside package.json; variables already set win. */
function loadEnvironmentFile() {
  const path = join(root, ".env");
  if (existsSync(path)) process.loadEnvFile(path);
}

requireNode();
// Old-space garbage is collected once there is as much of it as of live objects, instead of up to three times as much: 100 MB less
// under load, for half a percent more CPU. V8 reads this at each collection, so it can be set after the process began. The size of
// the young generation cannot: package.json gives Node twice the default; otherwise under load whole requests are promoted before
// they end, for 3 to 5 % more CPU.
setFlagsFromString("--heap-growing-percent=100");
process.chdir(root);
loadEnvironmentFile();
process.env.NODE_ENV ??= dev ? "development" : "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";
// Next would load .env again: that puts secrets into the build, and the passphrase back into a process that has dropped it.
process.env.__NEXT_PROCESSED_ENV = "1";

stopOnSignal();
try {
  const { pages } = await withBuildEnvironment(async () => {
    await installIfChanged(root);
    return buildIfChanged(root, { dev });
  });
  if (process.argv.includes("--build-only")) await pages;
  else {
    const { main } = await import(pathToFileURL(join(root, "dist/main.mjs")).href);
    await main({ dev, pages });
  }
} catch (error) {
  if (!isStopping) process.stderr.write(`\n${error instanceof Error ? error.message : error}\n\n`);
  process.exitCode = 1;
  await stopPrograms();
  process.exit();
}
