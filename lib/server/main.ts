// The service as it runs in production: with its pages. launch.mjs imports it once everything is installed and built.

import { resolve } from "node:path";
import { startPages } from "./pages";
import { runService } from "./run";

/** Runs the service until a signal ends it; a second signal ends it at once. `pages` resolves when they are built. */
export const main = ({ dev, pages }: { dev: boolean; pages: Promise<void> }): Promise<void> =>
  runService(() => pages.then(() => startPages({ dev, dir: resolve(".") })));
