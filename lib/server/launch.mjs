// `npm start`: installs what is missing, builds what has changed, and runs the service in this very process. Node's own
// modules only, since nothing else need be installed yet.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { buildIfChanged } from "./launch/build.mjs";
import { withBuildEnvironment } from "./launch/environment.mjs";
import { installIfChanged } from "./launch/install.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const dev = process.argv.includes("--dev");

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`This needs Node.js 20.19 or newer (24 is recommended); this is ${process.versions.node}.\n`);
  process.exit(1);
}

/** Variables of a `.env` file beside package.json; those already set win. */
function loadEnvironmentFile() {
  const path = join(root, ".env");
  if (existsSync(path)) process.loadEnvFile(path);
}

requireNode();
// Old garbage is collected when there is as much of it as of what lives, instead of up to three times as much: 100 MB less under
// load, for half a percent more CPU. V8 reads this at each collection, so it need not be there when the process begins. The room
// for young objects must be: package.json gives Node twice the usual, or under load whole requests count as old before they end,
// for 3 to 5 % more CPU.
setFlagsFromString("--heap-growing-percent=100");
process.chdir(root);
loadEnvironmentFile();
process.env.NODE_ENV ??= dev ? "development" : "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";
// Next would read .env once more by itself: secrets into the build, and the passphrase back into a process that has forgotten it.
process.env.__NEXT_PROCESSED_ENV = "1";

await withBuildEnvironment(async () => {
  installIfChanged(root);
  await buildIfChanged(root, { dev });
});
if (!process.argv.includes("--build-only")) {
  const { main } = await import(pathToFileURL(join(root, "dist/main.mjs")).href);
  await main({ dev });
}
