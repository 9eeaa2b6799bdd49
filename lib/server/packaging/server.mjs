// Runs the packaged service. The size of the young generation cannot be set once a process runs; with it a busy service needs a little less
// CPU: NODE_OPTIONS=--max-semi-space-size=32.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--heap-growing-percent=100");
const root = dirname(fileURLToPath(import.meta.url));
process.chdir(root);
if (existsSync(".env")) process.loadEnvFile(".env");
process.env.NODE_ENV = "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";
// Next would load .env again, and put the passphrase back into a process that has dropped it.
process.env.__NEXT_PROCESSED_ENV = "1";
if (process.env.MODE !== "live") {
  process.stderr.write(
    "This package has no sandbox. Set MODE=live and its settings (see .env.example), or run `npm start` in the repository.\n",
  );
  process.exit(1);
}
const { main } = await import(pathToFileURL(join(root, "dist/main.mjs")).href);
await main({ dev: false, pages: Promise.resolve() });
