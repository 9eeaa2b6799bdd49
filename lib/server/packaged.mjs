// Runs the packaged service: `server.mjs` of the package imports it. The size of the young generation cannot be set once a process runs; with it a busy service needs a little less
// CPU: NODE_OPTIONS=--max-semi-space-size=32.

import { enterServer, runBundle } from "./launch/process.mjs";

process.env.NODE_ENV = "production";
enterServer();
if (process.env.MODE !== "live") {
  process.stderr.write(
    "This package has no sandbox. Set MODE=live and its settings (see .env.example), or run `npm start` in the repository.\n",
  );
  process.exit(1);
}
await runBundle("main", { dev: false, pages: Promise.resolve() });
