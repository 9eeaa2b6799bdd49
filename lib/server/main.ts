// The service as it runs in production: with its pages. launch.mjs imports it once everything is installed and built.

import { resolve } from "node:path";
import { startPages } from "./pages";
import { runService } from "./run";

/** Runs the service until a signal ends it; a second signal ends it at once. */
export const main = ({ dev }: { dev: boolean }): Promise<void> => runService(() => startPages({ dev, dir: resolve(".") }));
