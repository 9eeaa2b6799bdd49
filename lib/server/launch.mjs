// `npm start`: installs missing packages, builds if anything changed, and runs the service in this same process. It uses only Node's own
// modules, since nothing else may be installed yet.

import { buildIfChanged } from "./launch/build.mjs";
import { withBuildEnvironment } from "./launch/environment.mjs";
import { installIfChanged } from "./launch/install.mjs";
import { enterServer, root, runBundle } from "./launch/process.mjs";
import { stopPrograms } from "./launch/run-program.mjs";

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

requireNode();
enterServer();
process.env.NODE_ENV ??= dev ? "development" : "production";
stopOnSignal();
try {
  const { pages } = await withBuildEnvironment(async () => {
    await installIfChanged(root);
    return buildIfChanged(root, { dev });
  });
  await (process.argv.includes("--build-only") ? pages : runBundle("main", { dev, pages }));
} catch (error) {
  if (!isStopping) process.stderr.write(`\n${error instanceof Error ? error.message : error}\n\n`);
  process.exitCode = 1;
  await stopPrograms();
  process.exit();
}
